/* SPDX-License-Identifier: Apache-2.0 */
/* read - the samples of one series: the readers' side.
 *
 * Units    nanoseconds since the Unix epoch.
 * Threads  any number, without a lock: between epoch_enter() and epoch_leave().  They
 *          see a series as it was at one moment, or newer in its head.
 */
#ifndef STORE_SERIES_READ_H
#define STORE_SERIES_READ_H

#include "store/series/view.h"

/* Some samples in order of time; slots that are missing have the missing value.  What
 * is pointed to is valid during the call.  Not 0 ends the reading with that value. */
typedef int series_samples_fn(void *arg, const int64_t *times, const double *values,
                              size_t count);

/* Everything with from_ns <= time < to_ns.  Errors: what fn returns, -EBADMSG. */
int series_read(const struct metric_series *series, int64_t from_ns, int64_t to_ns,
                series_samples_fn *fn, void *arg);

/* When the newest sample in memory stands, missing values included; INT64_MIN: there is
 * none.  Between enter and leave. */
int64_t series_last_ns(const struct metric_series *series);
/* How many came late and are not yet folded into blocks: at most SERIES_LATE_MAX.
 * Likewise. */
uint32_t series_late_count(const struct metric_series *series);

/* The longest step that samples in memory of these times have; 0: all keep their own.
 * Where there is none, that of the newest. */
int64_t series_step_between(const struct metric_series *series, int64_t from_ns,
                            int64_t to_ns);

/* Bring near what reading the newest samples of these is going to touch.  Their memory
 * is far apart: requested all at once it arrives in the time of a few. */
void series_prefetch(const struct metric_series *const *series, size_t count);

struct series_stats {
    uint64_t count; /* of numbers */
    double min, max, sum;
    uint64_t blocks_decoded; /* that were not answered by what is known of the whole */
    /* Where a part begins within the step, counted from from_ns on, in which the one
     * before it ended: on a grid both samples are one point. */
    uint64_t contention;
    int64_t last_ns; /* of the newest sample read; 0: none */
};

/* The numbers with from_ns <= time < to_ns.  Errors: -EBADMSG. */
int series_stats(const struct metric_series *series, int64_t from_ns, int64_t to_ns,
                 struct series_stats *ret);

/* One reading: samples go to fn, or into stats. */
struct series_reading {
    int64_t from_ns, to_ns;
    series_samples_fn *fn;
    void *arg;
    struct series_stats *stats;
    int64_t step_ns;      /* of the series; 0: none.  For stats only */
    uint64_t *unreadable; /* counts damaged blocks; NULL: the first ends the reading */
};

/* What there is from before the first part of a series, which begins at first_ns. */
typedef int series_before_fn(void *arg, int64_t first_ns);

/* before may be NULL.  Errors: what functions return, -EBADMSG. */
int reading_series(const struct series_reading *reading,
                   const struct metric_series *series, series_before_fn *before,
                   void *before_arg);
/* When the first part begins; INT64_MAX: there is none. */
int64_t series_first_ns(const struct metric_series *series);
/* A block by itself. */
int reading_block(const struct series_reading *reading, const struct block *block);

#endif
