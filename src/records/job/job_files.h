/* SPDX-License-Identifier: Apache-2.0 */
/* job_files - the files that jobs ran with, as their owners let them be recorded.
 *
 * Who may read them the caller decides first.
 */
#ifndef RECORDS_JOB_JOB_FILES_H
#define RECORDS_JOB_JOB_FILES_H

#include "records/jobs.h"
#include "records/tables/tables.h"

/* Of one owner's job, and of a user's rows of a day (since the start, where that was
 * later).  A list that may be beyond is refused, and the job has a mark that it was:
 * "more" of "site". */
#define RECORDS_FILES_OF_JOB_MAX ((size_t)4096)
#define RECORDS_FILES_OF_USER_MAX ((size_t)200000)
/* So much a node's clock may be another than the batch system's. */
#define RECORDS_FILES_SLACK_NS (30 * NS_PER_S)

/* All of files in one durable transaction.  What is sent again, or was seen within the
 * time that is stored, changes nothing.  In *ret each list is one: accepted where any
 * file of it is new, changed, duplicate; refused: what job_file_check() refuses, beyond
 * a limit, older than retention_provenance, or where that is 0; of a host that is none
 * of the job's nodes, as far as those are known.  Errors: as in records.h. */
#define RECORDS_JOB_FILES_MAX ((size_t)1000)
int records_put_job_files(struct records *records, const struct job_file_list *files,
                          size_t count, int64_t now_ms, struct records_submission *ret,
                          struct err *err);

struct job_file_filter {
    struct span cluster;
    struct span job;        /* the batch system's number */
    struct span uid;        /* in digits */
    int64_t from_ns, to_ns; /* all of it seen within [from, to]: of a run of the job */
};

/* seen is valid during the call. */
typedef int records_job_file_fn(void *arg, const struct job_file_seen *seen);

/* By kind, name and build-id.  A negative return of fn ends the reading and is
 * returned; 1 ends it well.  Errors: as in records.h, also for a database of before
 * there were such files (barod migrates it when it starts). */
int records_find_job_files(struct records_reader *reader,
                           const struct job_file_filter *filter,
                           records_job_file_fn *fn, void *arg, struct err *err);

#endif
