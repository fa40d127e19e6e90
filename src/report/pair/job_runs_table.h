/* SPDX-License-Identifier: Apache-2.0 */
/* job_runs_table - several runs as a table: a row a run, a column a measure, those in
 * which runs differ first.
 */
#ifndef REPORT_PAIR_JOB_RUNS_TABLE_H
#define REPORT_PAIR_JOB_RUNS_TABLE_H

#include "analysis/pair/pair.h"
#include "base/table/table.h"

/* Append columns and a row a run to table, which is empty, and a note that names the
 * measures that differ.  names: what each run is called.  The table copies what it
 * shows; running out of memory is table_error(). */
void job_runs_table(const struct run_spread *spread, const struct profile *runs,
                    const char *const *names, size_t count, struct table *table);

#endif
