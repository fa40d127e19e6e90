/* SPDX-License-Identifier: Apache-2.0 */
/* ledger_read - the rows of a ledger, for both engines. */
#ifndef RECORDS_ENGINE_LEDGER_READ_H
#define RECORDS_ENGINE_LEDGER_READ_H

#include "records/engine/statement.h"
#include "records/tables/tables.h"

/* A column of a row as a scalar; its text is valid as long as the row. */
struct scalar ledger_scalar(const struct sql_row *row, int column,
                            enum scalar_type type);
/* The first columns of a row of ledger, copied into arena.  Errors: -ENOMEM. */
int ledger_row_copy(const struct sql_row *row, const struct ledger *ledger,
                    struct arena *arena, const struct scalar **ret);
/* Every row that query selects, in its order.  Errors: as in engine.h. */
int ledger_select(const struct sql_conn *conn, const struct ledger_query *query,
                  ledger_row_fn *fn, void *arg, struct err *err);

#endif
