/* SPDX-License-Identifier: Apache-2.0 */
/* row_read - rows of the operations' tables, read from both engines.
 *
 * Which rows a statement selects is each engine's own business: SQLite has a table a
 * day and merges, PostgreSQL has one table and sorts.
 */
#ifndef RECORDS_ENGINE_ROW_READ_H
#define RECORDS_ENGINE_ROW_READ_H

#include "base/strbuf.h"
#include "records/engine/server_names.h"
#include "records/request/request.h"

/* `sid, "timestamp", ...`: the columns that the functions below read, of range. */
void row_columns_add(struct strbuf *sql, const struct row_range *range);

int64_t row_sid(const struct sql_row *row);
/* How far back the row's increment reaches: see jobrow_reach_ms(). */
int64_t row_reach_ms(const struct sql_row *row);
/* The whole row.  Texts are valid as long as row, the server's name until the names are
 * loaded again. */
void row_read(const struct sql_row *row, const struct row_range *range,
              const struct server_names *servers, struct jobrow *ret);

#endif
