/* SPDX-License-Identifier: Apache-2.0 */
/* phase_segments - a run cut where its series change, so that what is left are its
 * phases; private to analysis/footprint.
 *
 *     change_points ─▶ segments, those that differ too little joined
 *                  ─▶ groups: a segment each, or many that alternate between two levels
 *
 * Units    windows.  Memory  the arena's.  Threads  none inside.
 */
#ifndef ANALYSIS_FOOTPRINT_PHASE_SEGMENTS_H
#define ANALYSIS_FOOTPRINT_PHASE_SEGMENTS_H

#include "base/arena.h"

#include <stddef.h>

struct phase_segment {
    size_t from, to; /* to is the first window that is not of it */
};

/* Segments first .. end - 1. */
struct phase_group {
    size_t first, end;
};

struct phase_cut {
    const double *const *series;
    size_t series_count, columns;
    double *tops; /* the greatest level of each series that lasts */
    struct phase_segment *segments;
    size_t segment_count;
    struct phase_group *groups; /* group_max at most */
    size_t group_count;
};

/* The median of the numbers of a series in [from, to); NaN: there is none.  space: for
 * so many numbers. */
double phase_median(const double *series, size_t from, size_t to, double *space);

/* A value of a series is infinite nowhere; columns: at least 1.  Errors: -ENOMEM. */
int phase_cut_make(const double *const *series, size_t series_count, size_t columns,
                   size_t group_max, struct arena *arena, struct phase_cut *ret);

#endif
