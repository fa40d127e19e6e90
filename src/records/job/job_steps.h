/* SPDX-License-Identifier: Apache-2.0 */
/* job_steps - steps of jobs, stored with the runs that batch systems report.
 *
 * A step is a struct job whose member step is set.  It has the name, times, nodes and
 * resources of the step; whose it is, its job's run has.
 */
#ifndef RECORDS_JOB_JOB_STEPS_H
#define RECORDS_JOB_JOB_STEPS_H

#include "records/jobs.h"

/* Those of jobs that are steps, in one durable transaction; what is refused is added to
 * *submission, nothing else of it changes.  Errors: as records_put_jobs(). */
int records_put_job_steps(struct records *records, const struct job *jobs, size_t count,
                          int64_t now_ms, struct records_submission *submission,
                          struct err *err);

struct job_step_filter {
    struct span cluster;
    struct span id;         /* as people write it: of the run */
    int64_t from_ns, to_ns; /* began within [from, to]: of that run */
    struct span step;       /* data NULL: any */
    size_t limit;           /* 0: none */
};

/* By the time of their start, then by step; *ret_has_more: there were more than limit.
 * step is valid during the call; a negative return of fn ends the reading and is
 * returned.  Errors: as in records.h, also for a database of before there were steps
 * (barod migrates it when it starts). */
int records_find_job_steps(struct records_reader *reader,
                           const struct job_step_filter *filter, records_job_fn *fn,
                           void *arg, bool *ret_has_more, struct err *err);

#endif
