/* SPDX-License-Identifier: Apache-2.0 */
/* quantile - of plain values, and of the buckets of a histogram. */
#ifndef PROMQL_QUANTILE_H
#define PROMQL_QUANTILE_H

#include <stddef.h>

/* Between two values by their distance; values are sorted here, NaN first.  NaN where
 * there are none or q is NaN, an infinity where q is outside 0..1. */
double quantile_of(double q, double *values, size_t count);

struct bucket {
    double upper;
    double count; /* observations up to upper */
};

/* Of cumulative buckets in any order, the last of which has to be +Inf. */
double quantile_of_buckets(double q, struct bucket *buckets, size_t count);

#endif
