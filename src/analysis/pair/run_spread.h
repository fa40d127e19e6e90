/* SPDX-License-Identifier: Apache-2.0 */
/* run_spread - in which measures any of several runs differ, those that differ most
 * first.
 *
 *     profiles ─▶ of each measure the largest distance of two runs / its floor ─▶ order
 *
 * Distances, floors and the order are those of a pair (difference.h): first what runs
 * did otherwise and nothing else explains, then what another difference explains, then
 * how they went; measures in which no two runs differ come last, in their own order.
 */
#ifndef ANALYSIS_PAIR_RUN_SPREAD_H
#define ANALYSIS_PAIR_RUN_SPREAD_H

#include "analysis/job/job.h"

#define RUN_SPREAD_RUNS_MAX 64

struct run_spread_item {
    enum profile_measure measure;
    double score;    /* distance / floor: above 1 they differ; NaN: of fewer than two
                      * runs known */
    bool is_because; /* another difference explains it */
};

struct run_spread {
    struct run_spread_item items[PROFILE_MEASURE_COUNT];
    size_t count;     /* measures that any run has */
    size_t differing; /* the first so many differ */
    bool is_program;  /* not all ran the same executable */
};

/* floors: PROFILE_MEASURE_COUNT of them, as difference_floors() has them. */
void run_spread_find(const struct profile *runs, size_t count, const double *floors,
                     struct run_spread *ret);

#endif
