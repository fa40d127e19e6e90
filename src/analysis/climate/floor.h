/* SPDX-License-Identifier: Apache-2.0 */
/* floor - how far apart runs are that are alike in every counter.
 *
 *     runs of a class ─▶ groups equal in all `alike` of the mapping ─▶ pairs
 *                                          faster / slower of each pair ─▶ quantiles
 *
 * What two runs differ by below their floor needs no cause.  Each run of a group counts
 * as much as any other, however large the group: it is paired with all others of it, or
 * with FLOOR_PARTNERS_MAX of them, evenly spread.  Pairs of successive runs are kept
 * apart: what changes slowly does not show in them.
 */
#ifndef ANALYSIS_CLIMATE_FLOOR_H
#define ANALYSIS_CLIMATE_FLOOR_H

#include "analysis/climate/runs.h"

#define FLOOR_PARTNERS_MAX 128
#define FLOOR_TIMED_MIN 0.05 /* clocks are no better */
/* With fewer pairs a floor is not to be relied on. */
#define FLOOR_PAIRS_MIN 20

/* Factors, 1 and above, by which the faster of two alike runs is faster. */
struct floor_spread {
    size_t pairs;
    double median, q90, q95, q99; /* NaN: no pairs */
};

struct floor {
    const char *name;    /* of the set; NULL: of all sets together */
    size_t groups;       /* of two runs or more */
    size_t runs;         /* in them */
    size_t single_runs;  /* like no other */
    size_t unknown_runs; /* that lack a counter, or have no performance */
    struct floor_spread any;
    struct floor_spread next; /* of successive runs of a group */
};

struct floors {
    struct floor *sets; /* as many as runs has, in its order */
    size_t count;
    struct floor all; /* pairs are within sets */
};

/* runs must outlive *ret; wanted jobs have no part in it.  Errors: -ENOMEM. */
int floors_make(const struct runs *runs, struct floors *ret);
void floors_done(struct floors *floors);
DEFINE_AUTO_DONE(struct floors, floors_done);

/* The floor of the set, where it has FLOOR_PAIRS_MIN pairs; else that of all; NULL
 * where that has not as many either. */
const struct floor *floors_find(const struct floors *floors, const char *set);

/* How much slower, as a share (0.5: half as long again), a run may be that is alike, in
 * 95 of 100 pairs: what difference_floors() wants. */
double floor_timed(const struct floor *floor);

#endif
