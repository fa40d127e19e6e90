/* SPDX-License-Identifier: Apache-2.0 */
/* job_pair - in what two runs differ: what they did, what was around them, in one
 * order.
 *
 *     profiles ───┐            floors: given, of comparable runs, or of their class
 *     comparison ─┴▶ contrast
 */
#ifndef ANALYSIS_PAIR_JOB_PAIR_H
#define ANALYSIS_PAIR_JOB_PAIR_H

#include "analysis/job/job.h"
#include "analysis/pair/contrast.h"
#include "analysis/pair/difference.h"

#define JOB_PAIR_ALIKE_MAX 1000

struct job_pair {
    struct profile runs[2]; /* A and B */
    struct job_comparison comparison;
    double floors[PROFILE_MEASURE_COUNT];
    size_t alike_count; /* comparable runs that measured them; 0: none were given */
    const char *set;    /* whose class in the climate they are of; NULL: none */
    size_t pairs;       /* of that class */
    struct differences found;
    struct contrast contrast; /* of found and the comparison's climate */
};

/* An empty one is all zero. */
void job_pair_done(struct job_pair *pair);
DEFINE_AUTO_DONE(struct job_pair, job_pair_done);

/* How much slower a comparable run may be: 1.4 is 140 %. */
void job_pair_floor(struct job_pair *pair, double timed);
/* As comparable runs differ.  Errors: -EINVAL (not DIFFERENCE_ALIKE_MIN to
 * JOB_PAIR_ALIKE_MAX of them), -ENOMEM. */
int job_pair_floor_alike(struct job_pair *pair, const struct profile *alike,
                         size_t count, struct err *err);
/* As runs of B's class differ, or of all classes; without a climate, or a class of
 * enough runs, the floors stay.  Errors: -ENOMEM. */
int job_pair_floor_class(struct job_pair *pair, struct err *err);

/* Fill found and contrast out of the rest. */
void job_pair_compare(struct job_pair *pair);

#endif
