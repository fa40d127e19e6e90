/* SPDX-License-Identifier: Apache-2.0 */
/* run_metrics_table - a row a run, with its footprint as columns. */
#ifndef REPORT_USAGE_RUN_METRICS_TABLE_H
#define REPORT_USAGE_RUN_METRICS_TABLE_H

#include "analysis/usage/usage.h"
#include "base/table/table.h"

/* Columns and rows of runs, limit at most (0: all), into table, which is empty; running
 * out of memory is table_error(). */
void run_metrics_table(const struct run_metrics *runs, size_t limit,
                       struct table *table);

#endif
