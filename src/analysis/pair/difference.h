/* SPDX-License-Identifier: Apache-2.0 */
/* difference - in what two runs differ, the most unusual first.
 *
 *     two profiles ─▶ each measure's distance / its floor ─▶ above 1? ─▶ in order
 *
 * A distance is |ln(b / a)| of what is compared by its ratio, |b - a| of shares.  The
 * floor of a measure is how far apart two runs may be that are alike in every counter;
 * what lies below it is no difference.  The order: first what the runs did otherwise
 * and nothing else explains, then what another difference explains, then how they went.
 *
 * Each interface is compared for itself, too: what differs no more than a measure of
 * the whole run, or than another one of the same interface, is not repeated.
 *
 * Where alike runs are given, a floor is twice the distance that 95 of 100 pairs of
 * them keep within, and at least that of a counter.
 */
#ifndef ANALYSIS_PAIR_DIFFERENCE_H
#define ANALYSIS_PAIR_DIFFERENCE_H

#include "analysis/job/job.h"

/* Of timed measures: what 95 of 100 pairs of alike production runs keep within
 * (doc/decisions/0181). */
#define DIFFERENCE_FLOOR_DEFAULT 1.4
#define DIFFERENCE_ALIKE_MIN 3

struct difference {
    const char *name, *label, *unit, *family;
    double a, b;
    double distance;
    double floor;
    double score;    /* distance / floor: above 1 */
    bool is_ratio;   /* the distance is a logarithm */
    bool is_effect;  /* how the runs went */
    bool is_because; /* another difference explains it */
};

struct differences {
    struct difference items[PROFILE_MEASURE_COUNT + 1];
    size_t count;
    size_t compared; /* measures that both runs have */
    bool is_program; /* the executables differ: also an item, of name "program" */
};

/* floors: PROFILE_MEASURE_COUNT of them.  timed: how much slower, as a share (0.5: half
 * as long again), a run may be that is alike. */
void difference_floors(double timed, double *floors);
/* The same out of at least DIFFERENCE_ALIKE_MIN alike runs.  Errors: -EINVAL (fewer),
 * -ENOMEM. */
int difference_floors_measure(const struct profile *alike, size_t count,
                              double *floors);

void difference_find(const struct profile *a, const struct profile *b,
                     const double *floors, struct differences *ret);

/* NaN where one of both is missing; between nothing and something it is 20. */
double difference_distance(enum profile_measure measure, const struct profile *a,
                           const struct profile *b);

#endif
