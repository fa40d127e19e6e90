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

/* ---- one hour at a time, in a transaction of the roller ---- */

/* The oldest hour of kind with a state; T_NONE: none has. */
int hours_oldest(const struct sql_conn *conn, enum target_kind kind,
                 int64_t *ret_hour_ms, struct err *err);
/* The hour is being made: it is not clean, and has a new ticket. */
int hour_begin(const struct sql_conn *conn, enum target_kind kind, int64_t hour_ms,
               int64_t *ret_ticket, struct err *err);
/* lock: what the engine appends so that no row touches the hour until the commit.
 * Errors: also -ESTALE (rows came since the ticket was given). */
int hour_check_ticket(const struct sql_conn *conn, enum target_kind kind,
                      int64_t hour_ms, int64_t ticket, const char *lock,
                      struct err *err);
int hour_end(const struct sql_conn *conn, enum target_kind kind, int64_t hour_ms,
             struct err *err);
/* Delete the hour's cells, or its state. */
int hour_delete_cells(const struct sql_conn *conn, enum target_kind kind,
                      int64_t hour_ms, struct err *err);
int hour_delete_state(const struct sql_conn *conn, enum target_kind kind,
                      int64_t hour_ms, struct err *err);

#endif
