/* SPDX-License-Identifier: Apache-2.0 */
/* clock_offset - by how much the clock of servers differs from that of jobs.
 *
 *     job     ____▁▃█▃▁________          what its log says it moved
 *     servers ________▁▃█▃▁____          what they saw: later by the offset
 *
 * For each offset the bytes of the servers, moved by it, are correlated with those of
 * the job, over its time and as long before and after; the offset with the greatest
 * mean over all jobs is the estimate.  What others do meanwhile makes r less, not the
 * offset another.  An estimate is certain to a step of the servers.
 */
#ifndef ANALYSIS_JOB_CLOCK_OFFSET_H
#define ANALYSIS_JOB_CLOCK_OFFSET_H

#include "analysis/job/job_traffic.h"

#include <stdbool.h>

/* Below it, or with another offset nearly as good, nothing is claimed. */
#define CLOCK_R_MIN 0.5
#define CLOCK_MARGIN_MIN 0.05

struct clock_estimate {
    int64_t step_s;
    size_t reach; /* offsets from -reach to +reach steps */
    double *sums; /* of r, 2 reach + 1 of them */
    size_t *counts;
    size_t jobs; /* that have a part in it */
};

struct clock_answer {
    int64_t offset_s; /* servers minus jobs */
    double r;         /* mean over the jobs */
    double next_r;    /* the best of offsets more than two steps away; NaN: none */
    bool is_clear;
};

/* Errors: -EINVAL (step_s < 1, or more than 100,000 offsets), -ENOMEM. */
int clock_estimate_init(struct clock_estimate *estimate, int64_t step_s,
                        int64_t reach_s);
void clock_estimate_done(struct clock_estimate *estimate);
DEFINE_AUTO_DONE(struct clock_estimate, clock_estimate_done);

/* The window of servers' steps that a job needs. */
void clock_estimate_window(const struct clock_estimate *estimate,
                           const struct job_traffic *job, int64_t *ret_from_s,
                           int64_t *ret_to_s);

/* servers: bytes of each step from from_s on; NaN: not measured.
 * Errors: -ENOMEM. */
int clock_estimate_add(struct clock_estimate *estimate, const struct job_traffic *job,
                       int64_t from_s, const double *servers, size_t count);

/* Errors: -ENODATA (no job had a part in it). */
int clock_estimate_get(const struct clock_estimate *estimate, struct clock_answer *ret);

#endif
