/* SPDX-License-Identifier: Apache-2.0 */
/* job_ledger - runs of jobs as rows of a ledger: the table job_runs.
 *
 * A run is known by (cluster, id, start).  Submitted again it replaces the earlier one,
 * unless it has no end where that had one.  One without a start (start_ns 0) waits: it
 * is deleted once a run of the job is there that has begun since it was submitted.
 */
#ifndef RECORDS_TABLES_JOB_LEDGER_H
#define RECORDS_TABLES_JOB_LEDGER_H

#include "records/tables/ledger.h"

/* Names are resolved to numbers (id_names), and runs are found by them. */
#define JOB_LEDGER_UID_INDEX \
    "CREATE INDEX IF NOT EXISTS job_runs_uid ON job_runs (uid, start_ns);"

extern const struct ledger ledger_jobs;

/* The row of job as it is submitted at now_ms, in arena; its texts are job's, but for
 * the name.  Errors: -ENOMEM. */
int job_ledger_row(const struct job *job, int64_t now_ms, struct arena *arena,
                   const struct scalar **ret);
/* The job of a row.  Its texts are the row's, but for the name, which lies in name.
 * Errors: -ENOMEM. */
int job_ledger_job(const struct scalar *row, struct strbuf *name, struct job *ret);

#endif
