/* SPDX-License-Identifier: Apache-2.0 */
/* job_datasets - the datasets that jobs had mounted.
 *
 * Who may read them the caller decides.
 */
#ifndef RECORDS_JOB_JOB_DATASETS_H
#define RECORDS_JOB_JOB_DATASETS_H

#include "records/jobs.h"
#include "records/tables/tables.h"

/* Of one job on one node: a user chooses the paths.  More are refused; those that are
 * stored are still renewed. */
#define RECORDS_DATASETS_OF_NODE_MAX ((size_t)1024)
#define RECORDS_JOB_DATASETS_MAX ((size_t)10000)
/* Jobs on a node, in one put: the database is read for each.  A sender has 100 lines
 * at once. */
#define RECORDS_DATASETS_OF_PUT_MAX ((size_t)128)

/* All in one durable transaction.  What is sent again, or was mounted so within the
 * time that is stored, changes nothing.  Refused: what job_dataset_check() refuses,
 * beyond RECORDS_DATASETS_OF_NODE_MAX, of jobs beyond RECORDS_DATASETS_OF_PUT_MAX,
 * older than retention_jobs.  Errors: as in records.h. */
int records_put_job_datasets(struct records *records,
                             const struct job_dataset *datasets, size_t count,
                             int64_t now_ms, struct records_submission *ret,
                             struct err *err);

struct job_dataset_filter {
    struct span cluster;
    struct span job;        /* the batch system's number */
    struct span uid;        /* in digits */
    int64_t from_ns, to_ns; /* mounted within [from, to]: numbers are used again */
};

/* mounted is valid during the call. */
typedef int records_job_dataset_fn(void *arg,
                                   const struct job_dataset_mounted *mounted);

/* By digest, path, command, name and host.  A negative return of fn ends the reading
 * and is returned; 1 ends it well.  Errors: as in records.h, also for a database of
 * before there were such rows (barod migrates it when it starts). */
int records_find_job_datasets(struct records_reader *reader,
                              const struct job_dataset_filter *filter,
                              records_job_dataset_fn *fn, void *arg, struct err *err);

#endif
