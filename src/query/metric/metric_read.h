/* SPDX-License-Identifier: Apache-2.0 */
/* metric_read - one metric of one or several levels, on the grid of cc-metric-store.
 *
 *     levels ─▶ nearest series at or below each ─▶ grid ─▶ resample ─▶ statistics
 *
 *     from                first             last
 *      │                    x    x    .   x    x             to
 *      result.from_ns ──────┘                 └─ + step = result.to_ns
 *
 * The result begins at the requested beginning, or with the first sample that
 * there is, whichever is later; point k stands for from + k * step and takes the sample
 * whose time is nearest.  It ends before the requested end, or with the last
 * sample.  So does cc-metric-store.  Several series are added up, or averaged, over
 * those that have a number at a point; strict mode is as the peer is: one that has none
 * voids the point, and series that begin or end apart are an error.
 *
 * Where a series has no step of its own, points are at whole steps of the resolution
 * from the requested beginning, and each is the mean of what lies between it
 * and the next; without a resolution that is an error.
 *
 * Memory   a reader keeps its buffers; a result's values stand in them until the next
 *          read.  At most METRIC_POINTS_MAX points.
 * Threads  a reader belongs to one at a time; everything is called between
 *          metric_store_enter() and metric_store_leave().
 */
#ifndef QUERY_METRIC_METRIC_READ_H
#define QUERY_METRIC_METRIC_READ_H

#include "base/err.h"
#include "query/metric/metric_points.h"
#include "query/metric/metric_resample.h"

#define METRIC_RESAMPLE_POINTS_MIN \
    1000 /* the peer's: shorter results stay as they are */

enum metric_strictness {
    METRIC_TOLERANT,
    METRIC_STRICT,
};

/* How the samples of a metric that is a counter are read. */
enum metric_counters {
    METRIC_COUNTERS_RAW,
    METRIC_COUNTERS_RATE, /* per second; of metric_window_read() alone */
};

enum metric_want {
    METRIC_WANT_DATA = 1,
    METRIC_WANT_STATS = 2,
};

struct metric_read_opts {
    const struct metric *metric;
    struct level *const *levels;
    size_t level_count;
    int64_t from_ns, to_ns;
    int64_t resolution_ns; /* wanted distance of points; 0: as they are kept */
    enum resampling resampling;
    size_t resample_points_min; /* shorter results are not resampled */
    enum aggregation aggregation;
    enum metric_strictness strictness;
    enum metric_counters counters;
    struct span job; /* "job:4711": of hosts, what they have of this job where it has
                      * the metric, and nothing of other jobs; empty: all there is */
    unsigned want;   /* METRIC_WANT_* */
};

struct metric_numbers {
    uint64_t count;
    double min, max, sum; /* min and max are NaN when count is 0 */
};

struct metric_result {
    int64_t from_ns, to_ns, step_ns;
    const double *values; /* missing where there is none; NULL when not wanted */
    const int64_t *times; /* of each, which then is a number; NULL: step_ns apart */
    size_t count;
    struct metric_numbers numbers; /* of the values, resampled */
    size_t series_count;
    uint32_t contributors_min, contributors_max; /* over the points with a number */
    unsigned sources;                            /* METRIC_FROM_* */
    uint64_t unreadable;                         /* blocks */
    uint64_t resets; /* of counters read as rates: where no rate is known */
};

struct metric_reader;

int metric_reader_new(struct metric_store *store, struct metric_reader **ret);
void metric_reader_free(struct metric_reader *reader);
DEFINE_AUTO(struct metric_reader, metric_reader_free);

/* watch is called while a request is served, before each series: a negative return
 * ends it with that error.  NULL: none. */
void metric_reader_watch(struct metric_reader *reader, int (*watch)(void *arg),
                         void *arg);

/* Errors: -ENOENT (no series), -EINVAL (the range, the resolution, strict mode's or the
 * aggregation's objections), -EMSGSIZE (METRIC_POINTS_MAX), -ENOMEM, and what reading
 * says; err has the words, in strict and tolerant mode those of the peer where it has
 * any. */
int metric_read(struct metric_reader *reader, const struct metric_read_opts *opts,
                struct metric_result *ret, struct err *err);

#endif
