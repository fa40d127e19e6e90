/* SPDX-License-Identifier: Apache-2.0 */
/* job_dataset_ledger - datasets of jobs as rows of a ledger: the table job_datasets.
 *
 * One is known by (cluster, job, uid, item); item is host, digest, command, name and
 * path.  A row has when it was first and last mounted so: each step of a job mounts it
 * anew.
 */
#ifndef RECORDS_TABLES_JOB_DATASET_LEDGER_H
#define RECORDS_TABLES_JOB_DATASET_LEDGER_H

#include "records/tables/ledger.h"

extern const struct ledger ledger_job_datasets;

/* The row as it is submitted at now_ms, in arena; texts but uid's and item's are
 * dataset's.  NULL: no memory. */
const struct scalar *job_dataset_ledger_row(const struct job_dataset *dataset,
                                            int64_t now_ms, struct arena *arena);
/* The item of a row. */
struct span job_dataset_ledger_item(const struct scalar *row);

/* One as it is stored; texts are the row's.  dataset.t_ns is that of the first. */
struct job_dataset_mounted {
    struct job_dataset dataset;
    int64_t last_ns;
};
/* Errors: -EINVAL (another program stored what is none here). */
int job_dataset_ledger_dataset(const struct scalar *row,
                               struct job_dataset_mounted *ret);

#endif
