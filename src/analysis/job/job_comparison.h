/* SPDX-License-Identifier: Apache-2.0 */
/* job_comparison - one job, or a pair of them, and the runs that they are compared
 * with.
 *
 *     contexts ─┐
 *     runs ─────┴▶ their class ─▶ how unusual each of their values is there
 */
#ifndef ANALYSIS_JOB_JOB_COMPARISON_H
#define ANALYSIS_JOB_JOB_COMPARISON_H

#include "analysis/climate/climate.h"
#include "analysis/job/clock_offset.h"
#include "analysis/job/finding.h"
#include "analysis/job/job_climate.h"
#include "analysis/job/job_context.h"
#include "analysis/job/job_inputs.h"

struct job_comparison {
    struct job_context jobs[RUNS_WANTED_MAX]; /* A, and B of a pair */
    size_t count; /* 0: nothing around a job was asked for */
    bool has_climate;
    struct mapping mapping;
    struct runs runs;
    struct job_climate climate; /* of the one job, or of the pair */
    bool has_clock; /* of one job: servers' clocks seem to differ from its */
    struct clock_answer clock;
    int64_t clock_step_s;
    const char *clocks; /* which were corrected by what, the inputs'; NULL: none */
};

/* An empty one is all zero. */
void job_comparison_done(struct job_comparison *comparison);
DEFINE_AUTO_DONE(struct job_comparison, job_comparison_done);

/* Compare its jobs with the runs that inputs have; without any it has no climate.
 * Errors: what the reader says, -ENOMEM. */
int job_comparison_climate(struct job_comparison *comparison,
                           const struct job_inputs *inputs, struct err *err);

/* The first job among the runs; run is NULL where it is none of them, or there are no
 * runs. */
struct finding_climate job_comparison_run(const struct job_comparison *comparison);

#endif
