/* SPDX-License-Identifier: Apache-2.0 */
/* cell_read - the cells of hours, read from both engines.
 *
 * How they are found differs: SQLite walks its index of long cells in an inner
 * statement and looks few series up one by one, PostgreSQL is given an array of them.
 */
#ifndef RECORDS_ENGINE_CELL_READ_H
#define RECORDS_ENGINE_CELL_READ_H

#include "base/strbuf.h"
#include "records/engine/server_names.h"
#include "records/request/request.h"

/* `hour, sid, ...`: the columns that cell_read() needs, of range. */
void cell_columns_add(struct strbuf *sql, const struct cell_range *range);
/* The server's name is valid until the names are loaded again. */
void cell_read(const struct sql_row *row, const struct cell_range *range,
               const struct server_names *servers, struct rollup_cell *ret);

#endif
