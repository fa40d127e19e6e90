/* SPDX-License-Identifier: Apache-2.0 */
/* hours - the table rollup_hours, which hours have a state, for both engines. */
#ifndef RECORDS_ENGINE_HOURS_H
#define RECORDS_ENGINE_HOURS_H

#include "records/engine/statement.h"
#include "records/request/request.h"

/* The newest hour with a state; T_NONE: none has. */
int hours_newest(const struct sql_conn *conn, enum target_kind kind,
                 int64_t *ret_hour_ms, struct err *err);
/* Hours with from_ms <= hour < to_ms that have a state, ascending. */
int hours_read(const struct sql_conn *conn, enum target_kind kind, int64_t from_ms,
               int64_t to_ms, records_hour_fn *fn, void *arg, struct err *err);

#endif
