/* SPDX-License-Identifier: Apache-2.0 */
/* metric_points - the samples of one series by their place on a grid.
 *
 *     from_ns        + step_ns
 *     ┌─── 0 ───┐┌─── 1 ───┐┌─── 2 ───┐      a sample belongs to the point that is
 *          x           x    .     .           nearest, between two to the earlier
 *
 * A grid begins where it was requested when there are samples before, else at the first
 * sample; it ends with the last sample, or where it was requested when it goes on.
 *
 * Threads  between metric_store_enter() and metric_store_leave().
 */
#ifndef QUERY_METRIC_METRIC_POINTS_H
#define QUERY_METRIC_METRIC_POINTS_H

#include "store/store.h"

#include <stdbool.h>

#define METRIC_POINTS_MAX ((size_t)4 * 1024 * 1024)

struct metric_grid {
    struct metric_store *store;
    int64_t from_ns;     /* of point 0 */
    int64_t step_ns;     /* > 0 */
    int64_t to_ns;       /* the requested end */
    size_t count;        /* points before it */
    unsigned sources;    /* METRIC_FROM_*, of what was read */
    uint64_t unreadable; /* blocks, likewise */
};

/* All values below count are set. */
struct metric_points {
    double *values;
    size_t count;
    size_t capacity;
};

void metric_grid_set(struct metric_grid *grid, int64_t from_ns, int64_t to_ns);

/* Set the missing value up to count.  Errors: -EMSGSIZE, -ENOMEM. */
int metric_points_extend(struct metric_points *points, size_t count);

/* Up to the last sample.  Errors: -EMSGSIZE, -ENOMEM, what reading says. */
int metric_points_read(struct metric_grid *grid, const struct level_series *series,
                       struct metric_points *points);

/* For series without a step: a point is the mean of the numbers from its time until
 * that of the next.  Up to the last sample.  Errors: the same. */
int metric_points_mean(struct metric_grid *grid, const struct level_series *series,
                       struct metric_points *points);

/* The numbers of a series at their own times. */
struct metric_times {
    int64_t *times;
    double *values;
    size_t count, capacity;
};
/* Between from_ns and to_ns.  Errors: the same. */
int metric_times_read(struct metric_grid *grid, const struct level_series *series,
                      int64_t from_ns, int64_t to_ns, struct metric_times *ret);

/* All of the above for one series, in one reading: where the grid begins, the values,
 * the missing ones up to its end when more follow.  Errors: also -ENOENT (no sample).
 */
int metric_points_read_whole(struct metric_grid *grid,
                             const struct level_series *series, int64_t from_ns,
                             int64_t to_ns, struct metric_points *points);

/* These return METRIC_IS_THERE, 0, or an error of reading. */
enum { METRIC_IS_THERE = 1 };
/* The first number of a series from from_ns on; 0: there is none. */
int metric_first_number(struct metric_store *store, const struct level_series *series,
                        int64_t from_ns, int64_t *ret_ns);
/* Where a grid begins that shall begin at from_ns; 0: there is no sample. */
int metric_grid_begin(const struct metric_grid *grid, const struct level_series *series,
                      int64_t from_ns, int64_t *ret_ns);
/* Whether points are missing up to the end of the grid, rather than that it ends after
 * the count points up to its last sample: more samples follow.  cc-metric-store has a
 * series in buffers of 512 steps, and what follows in another buffer than the last
 * sample's counts only when that buffer begins before the requested end, or
 * the last sample's ends where it stands. */
int metric_grid_goes_on(const struct metric_grid *grid,
                        const struct level_series *series, size_t count);
/* How many points there are, without reading them; 0: only reading shows it. */
int metric_grid_count(const struct metric_grid *grid, const struct level_series *series,
                      size_t *ret);
/* The numbers on it; blocks that lie on it whole are not read.  The grid has the step
 * of the series.  0: two samples stand on one point, only reading shows it. */
int metric_grid_stats(const struct metric_grid *grid, const struct level_series *series,
                      struct series_stats *ret);

#endif
