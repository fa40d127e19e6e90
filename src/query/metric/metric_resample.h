/* SPDX-License-Identifier: Apache-2.0 */
/* metric_resample - many values as fewer that show the same line.
 *
 * The largest triangles of three buckets are those of ClusterCockpit's resampler: the
 * first and the last value stay, and of each bucket between the one that makes the
 * largest triangle with the value chosen before it and the mean of the next bucket.
 * Where a triangle has a corner that is missing, the last such point of the bucket is
 * chosen: a bucket with a missing value is missing, but for a gap's neighbours, where
 * the bucket's last value stands.
 */
#ifndef QUERY_METRIC_METRIC_RESAMPLE_H
#define QUERY_METRIC_METRIC_RESAMPLE_H

#include <stddef.h>
#include <stdint.h>

enum resampling {
    RESAMPLE_TRIANGLES,
    RESAMPLE_AVERAGE, /* of the numbers of each bucket */
    RESAMPLING_COUNT,
};

/* In place: count values become count / factor (factor > 1); returns how many.  What
 * would become none stays as it is. */
size_t metric_resample(enum resampling how, double *values, size_t count,
                       size_t factor);

/* By the largest triangles; the time of each value goes with it.  count / factor >= 3.
 */
size_t metric_resample_times(double *values, int64_t *times, size_t count,
                             size_t factor);

#endif
