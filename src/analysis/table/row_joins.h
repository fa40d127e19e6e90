/* SPDX-License-Identifier: Apache-2.0 */
/* row_joins - columns of second tables beside those of a row.
 *
 *     row ─▶ key, time of each join ─▶ its row ─▶ the columns that formulas name
 *
 * Keys and times are formulas over the row's own fields, not over made columns.
 */
#ifndef ANALYSIS_TABLE_ROW_JOINS_H
#define ANALYSIS_TABLE_ROW_JOINS_H

#include "analysis/table/joined_table.h"

#define ROW_JOINS_MAX 8
#define ROW_JOINED_MAX 256 /* columns that formulas name */

struct row_joins;

/* form: how a run writes its time; it and joins must outlive *ret.
 * Errors: as joined_table_load(). */
int row_joins_new(const struct table_join *joins, size_t count,
                  const struct time_form *form, struct row_joins **ret,
                  struct err *err);
void row_joins_free(struct row_joins *joins);
DEFINE_AUTO(struct row_joins, row_joins_free);

/* For a table whose columns are known now: the columns named so far are forgotten.
 * Errors: as expression_parse(). */
int row_joins_parse(struct row_joins *joins, expression_column_fn *column_fn, void *arg,
                    struct arena *arena, struct err *err);
/* The slot of NAME.COLUMN; -ENOENT: no such column, or too many. */
int row_joins_slot(struct row_joins *joins, struct span name);
/* slots: ROW_JOINED_MAX of them. */
void row_joins_fill(struct row_joins *joins, const struct value *values,
                    struct value *slots, struct arena *arena);
/* Rows for which the n-th join had none. */
uint64_t row_joins_missed(const struct row_joins *joins, size_t n);

#endif
