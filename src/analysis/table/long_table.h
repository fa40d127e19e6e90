/* SPDX-License-Identifier: Apache-2.0 */
/* long_table - a table with a metric a row, as one with a row a run.
 *
 *     run,metric,value                 run,metric,value,bandwidth,latency
 *     7,bandwidth,12.5        ──▶      7,bandwidth,12.5,12.5,0.3
 *     7,latency,0.3
 *
 * Rows of a run need not stand together; columns that are no metric are those of its
 * first row.  A metric that a run has twice is that of the first row, and counted.
 *
 * Memory   the first row of each run and every value; at most LONG_BYTES_MAX.
 * Threads  none inside.
 */
#ifndef ANALYSIS_TABLE_LONG_TABLE_H
#define ANALYSIS_TABLE_LONG_TABLE_H

#include "analysis/table/sheet.h"

#define LONG_BYTES_MAX ((size_t)2 << 30)

struct long_table;

/* header lives until long_table_free().  Errors: -EINVAL (a column of the form is not
 * there), -ENOMEM. */
int long_table_new(const struct sheet *form, const struct span *header, size_t count,
                   struct long_table **ret, struct err *err);
void long_table_free(struct long_table *table);
DEFINE_AUTO(struct long_table, long_table_free);

/* A row of as many fields as the header.  Errors: -E2BIG, with the reason. */
int long_table_add(struct long_table *table, const struct span *fields, uint64_t line,
                   struct err *err);

/* All metrics, then runs in the order of their first rows; the same fields in all. */
size_t long_table_metrics(const struct long_table *table, const struct span **ret);
/* The fields of run index, at the end of the header's those of metrics; false: there is
 * none.  *ret is valid until the next call. */
bool long_table_run(struct long_table *table, size_t index, const struct span **ret,
                    uint64_t *ret_line);
uint64_t long_table_doubles(const struct long_table *table);

#endif
