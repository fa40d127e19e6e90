/* SPDX-License-Identifier: Apache-2.0 */
/* metric_resample - many values as fewer that show the same line.
 *
 * The largest triangles of three buckets are those of ClusterCockpit's resampler: the
 * first and the last value stay, and of each bucket between the one that makes the
 * largest triangle with the value chosen before it and the mean of the next bucket.
 * Where that mean has no value, or a triangle has no area, the missing value wins, so
 * that a gap is seen.
 */
#ifndef QUERY_METRIC_RESAMPLE_H
#define QUERY_METRIC_RESAMPLE_H

#include <stddef.h>

enum resampling {
    RESAMPLE_TRIANGLES,
    RESAMPLE_AVERAGE, /* of the numbers of each bucket */
    RESAMPLING_COUNT,
};

/* In place: count values become count / factor (factor > 1); returns how many.  What
 * would become none stays as it is. */
size_t metric_resample(enum resampling how, double *values, size_t count,
                       size_t factor);

#endif
