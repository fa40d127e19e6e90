/* SPDX-License-Identifier: Apache-2.0 */
/* jobs - runs of jobs: which ran when and where, as batch systems report it.
 *
 * A run is known by (cluster, id, start).  Submitted again it replaces the earlier one,
 * unless it has no end where that had one.  One without a start waits: it goes once a
 * run of the job is submitted that has begun since it was submitted.
 */
#ifndef RECORDS_JOBS_H
#define RECORDS_JOBS_H

#include "base/err.h"
#include "model/model.h"

struct records;
struct records_reader;

enum { RECORDS_SUBMISSION_REFUSALS_MAX = 10 };

struct records_submission_refusal {
    size_t index;       /* in what was put */
    const char *reason; /* static text */
};

/* What became of jobs or summaries that were put. */
struct records_submission {
    uint64_t accepted;  /* new */
    uint64_t changed;   /* replaced earlier ones */
    uint64_t duplicate; /* the same as what is stored, or less */
    uint64_t refused;   /* cannot be stored, or older than retention_jobs */
    struct records_submission_refusal refusals[RECORDS_SUBMISSION_REFUSALS_MAX];
    size_t refusal_count;
};

/* All of jobs in one durable transaction, steps among them (job_steps.h) in another,
 * which are not counted; sending it again changes nothing.  Of several that are the
 * same run the last counts.  Errors: -EMSGSIZE (over RECORDS_JOBS_MAX),
 * else as in records.h. */
#define RECORDS_JOBS_MAX ((size_t)1000000)
int records_put_jobs(struct records *records, const struct job *jobs, size_t count,
                     int64_t now_ms, struct records_submission *ret, struct err *err);

/* Whose runs: of any of these, as their records state.  Size 0 names no owner. */
#define JOB_OWNERS_ACCOUNTS_MAX ((size_t)16)
struct job_owners {
    struct span cluster; /* only on it; size 0: on any */
    struct span user;    /* a name */
    struct span uid;     /* in digits */
    const struct span *accounts;
    size_t account_count;
};

/* Spans with data NULL: any. */
struct job_filter {
    const struct job_owners *owners; /* NULL: everyone's */
    struct span cluster;
    struct span id;    /* as people write it, or as the system counts */
    struct span array; /* is an element of it: 5 of 5_1 */
    struct span user;  /* its name, or its number */
    struct span account;
    struct span state;      /* the whole, or its first word: CANCELLED */
    struct span node;       /* is one of its nodes */
    int64_t from_ns, to_ns; /* ran within [from, to); JOB_TIME_NONE: open */
    size_t limit;           /* 0: none */
};

/* job is valid during the call. */
typedef int records_job_fn(void *arg, const struct job *job);

/* The newest start first, what waits last; *ret_has_more: there were more than limit.
 * A negative return of fn ends the reading and is returned. */
int records_find_jobs(struct records_reader *reader, const struct job_filter *filter,
                      records_job_fn *fn, void *arg, bool *ret_has_more,
                      struct err *err);

#endif
