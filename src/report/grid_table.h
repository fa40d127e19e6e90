/* SPDX-License-Identifier: Apache-2.0 */
/* grid_table - a measure's grid as CSV, and what measures there are as a table. */
#ifndef REPORT_GRID_TABLE_H
#define REPORT_GRID_TABLE_H

#include "base/strbuf.h"
#include "base/table/table.h"
#include "source/lmt/lmt.h"

/* Append "time" and the names of the components. */
void grid_csv_head(const struct lmt_grid *grid, struct strbuf *out);
/* Append a row: seconds since 1970, a value a component; empty where nothing was
 * measured. */
void grid_csv_row(const struct lmt_grid *grid, size_t row, struct strbuf *out);

/* A list of measures: its columns, to an initialised, empty table; and a row. */
void grid_list_columns(struct table *table);
void grid_list_add(struct table *table, enum lmt_measure measure,
                   const struct lmt_grid *grid);

#endif
