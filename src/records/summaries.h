/* SPDX-License-Identifier: Apache-2.0 */
/* summaries - logs of jobs as rows of scalars: model/summary.h.
 *
 * A summary is known by (cluster, job, log).  Submitted again it replaces the earlier
 * one.
 */
#ifndef RECORDS_SUMMARIES_H
#define RECORDS_SUMMARIES_H

#include "records/jobs.h"

/* All of summaries in one durable transaction.  Errors: -EMSGSIZE (over
 * RECORDS_SUMMARIES_MAX), else as in records.h. */
#define RECORDS_SUMMARIES_MAX ((size_t)20000)
int records_put_summaries(struct records *records, const struct summary *summaries,
                          size_t count, int64_t now_ms, struct records_submission *ret,
                          struct err *err);

/* Spans with data NULL: any. */
struct summary_filter {
    /* Whose run it is of: the one of its cluster and job that ran when the log began.
     * NULL: everyone's, also those of which there is no run. */
    const struct job_owners *owners;
    struct span cluster, job;
    struct span user; /* by the list of jobs, when it was summarised */
    struct span app, fs;
    int64_t from_ns, to_ns; /* ran within [from, to); JOB_TIME_NONE: open */
    size_t limit;           /* 0: none */
};

/* summary is valid during the call. */
typedef int records_summary_fn(void *arg, const struct summary *summary);

/* The newest start first; as records_find_jobs. */
int records_find_summaries(struct records_reader *reader,
                           const struct summary_filter *filter, records_summary_fn *fn,
                           void *arg, bool *ret_has_more, struct err *err);

#endif
