/* SPDX-License-Identifier: Apache-2.0 */
/* clock_table - by how much servers' clocks differ from those of jobs, as a table. */
#ifndef REPORT_CLOCK_TABLE_H
#define REPORT_CLOCK_TABLE_H

#include "analysis/job/job.h"
#include "base/table/table.h"

/* Give an initialised table that has no column its columns, one row of the estimate
 * (offset_s, step_s, jobs, r, next_r, is_clear, correction) and notes on what to do
 * with it; the notes it has stay before them.  next_r is null where there is no other
 * offset, correction where the estimate is not clear.
 * Errors: -ENODATA (no job had a part in the estimate; the table is as it was),
 * -ENOMEM. */
int clock_table_make(const struct clock_estimate *estimate, struct table *table,
                     struct err *err);

#endif
