/* SPDX-License-Identifier: Apache-2.0 */
/* joined_table - the rows of a second table, found by a key and a time.
 *
 *     run: key, time ─▶ the last row with that key at or before it ─▶ its columns
 *                       and not older than within
 *
 * Memory   all of the table.  Threads  none.
 */
#ifndef ANALYSIS_TABLE_JOINED_TABLE_H
#define ANALYSIS_TABLE_JOINED_TABLE_H

#include "analysis/table/expression.h"
#include "analysis/table/time_form.h"

/* Section [join NAME] of a mapping. */
struct table_join {
    const char *name; /* its columns are NAME.COLUMN */
    const char *path;
    const char *key;                      /* a formula over a run; NULL: none */
    const char *time;                     /* likewise */
    const char *key_column, *time_column; /* of the table; NULL: none */
    struct time_form form;                /* of time_column */
    int64_t within_ns;
};

struct joined_table;

/* join must outlive *ret.  Errors: as csv_open_form() and csv_next(); -EINVAL (no such
 * column, a time that cannot be read, a key twice where there are no times), -E2BIG
 * (more than JOINED_ROWS_MAX rows), -ENOMEM. */
#define JOINED_ROWS_MAX ((size_t)1 << 22)
int joined_table_load(const struct table_join *join, struct joined_table **ret,
                      struct err *err);
void joined_table_free(struct joined_table *table);
DEFINE_AUTO(struct joined_table, joined_table_free);

/* -1: the table has no such column. */
int joined_table_column(const struct joined_table *table, struct span name);
/* false: it has no row for them.  t_ns counts where the join has a time_column. */
bool joined_table_find(const struct joined_table *table, struct span key, int64_t t_ns,
                       size_t *ret_row);
struct value joined_table_value(const struct joined_table *table, size_t row,
                                int column);

#endif
