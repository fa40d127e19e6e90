/* SPDX-License-Identifier: Apache-2.0 */
/* usage_table - a row a job or array: what it used of what it was given. */
#ifndef REPORT_USAGE_USAGE_TABLE_H
#define REPORT_USAGE_USAGE_TABLE_H

#include "analysis/usage/usage.h"
#include "base/table/table.h"

#define USAGE_TABLE_LIMIT_DEFAULT 20

/* Append columns and the first limit rows (0: all) to table, which is empty, and notes:
 * the sums of all rows, how many are not shown, and of how many nothing is accounted.
 * The table copies what it shows; running out of memory is table_error(). */
void usage_table(const struct job_usage_list *list, size_t limit, struct table *table);

#endif
