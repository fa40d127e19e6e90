/* SPDX-License-Identifier: Apache-2.0 */
/* job_file_ledger - files of jobs as rows of a ledger: the table job_files.
 *
 * A file is known by (cluster, job, uid, item); item is a hash of the run, its kind,
 * for what is executed its build-id, and its name: two builds of a library are two, and
 * so are those of two runs, for a job that is requeued has its number again.  A row has
 * when the file was first and last seen, and how it was the last time.
 */
#ifndef RECORDS_TABLES_JOB_FILE_LEDGER_H
#define RECORDS_TABLES_JOB_FILE_LEDGER_H

#include "records/tables/ledger.h"

extern const struct ledger ledger_job_files;

/* The row of one of files as it is submitted at now_ms, in arena; texts but uid's and
 * item's are the file's.  NULL: no memory. */
const struct scalar *job_file_ledger_row(const struct job_file_list *files,
                                         const struct job_file *file, int64_t now_ms,
                                         struct arena *arena);
/* The item of a row. */
struct span job_file_ledger_item(const struct scalar *row);

/* A file as it is stored; texts are the row's. */
struct job_file_seen {
    struct job_file file;
    struct span host; /* where it was seen last */
    struct span run;
    int64_t first_ns, last_ns;
};
/* Errors: -EINVAL (another program stored what is none here). */
int job_file_ledger_file(const struct scalar *row, struct job_file_seen *ret);

#endif
