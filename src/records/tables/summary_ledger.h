/* SPDX-License-Identifier: Apache-2.0 */
/* summary_ledger - summaries of the logs of jobs as rows of a ledger: the table
 * job_summary_rows.
 *
 * A summary is known by (cluster, job, log).  Submitted again it replaces the earlier
 * one.
 */
#ifndef RECORDS_TABLES_SUMMARY_LEDGER_H
#define RECORDS_TABLES_SUMMARY_LEDGER_H

#include "records/tables/ledger.h"

/* Made once, by the first caller, on any thread: its columns are those of
 * model/summary.h. */
const struct ledger *ledger_summaries(void);

/* The row of summary as it is submitted at now_ms, in arena; its texts are summary's.
 * NULL: no memory. */
const struct scalar *summary_ledger_row(const struct summary *summary, int64_t now_ms,
                                        struct arena *arena);
/* The summary of a row, with its scalars in the caller's memory; texts are the row's.
 */
void summary_ledger_summary(const struct scalar *row,
                            struct scalar scalars[static SUMMARY_COLUMN_COUNT],
                            struct summary *ret);

#endif
