/* SPDX-License-Identifier: Apache-2.0 */
/* quantile - of plain values, and of the buckets of a histogram. */
#include "promql/quantile.h"

#include <math.h>
#include <stdlib.h>

static int double_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    if (isnan(x) || isnan(y))
        return isnan(y) - isnan(x);
    return (x > y) - (x < y);
}

double quantile_of(double q, double *values, size_t count)
{
    if (count == 0 || isnan(q))
        return (double)NAN;
    if (q < 0)
        return -INFINITY;
    if (q > 1)
        return INFINITY;
    qsort(values, count, sizeof values[0], double_compare);
    double last = (double)count - 1;
    double rank = q * last;
    double lower = fmax(0, floor(rank));
    double upper = fmin(last, lower + 1);
    double weight = rank - floor(rank);
    return values[(size_t)lower] * (1 - weight) + values[(size_t)upper] * weight;
}

static int bucket_compare(const void *a, const void *b)
{
    const struct bucket *x = a, *y = b;
    return (x->upper > y->upper) - (x->upper < y->upper);
}

/* Buckets of equal bounds become one; counts never fall from one to the next. */
static size_t make_monotonic(struct bucket *buckets, size_t count)
{
    size_t last = 0;
    for (size_t i = 1; i < count; i++) {
        if (buckets[i].upper == buckets[last].upper)
            buckets[last].count += buckets[i].count;
        else
            buckets[++last] = buckets[i];
    }
    for (size_t i = 1; i <= last; i++)
        if (!(buckets[i].count > buckets[i - 1].count))
            buckets[i].count = buckets[i - 1].count;
    return last + 1;
}

static double interpolate(double rank, const struct bucket *buckets, size_t index)
{
    double end = buckets[index].upper;
    if (index == 0 && end <= 0)
        return end;
    double begin = 0, count = buckets[index].count;
    if (index > 0) {
        begin = buckets[index - 1].upper;
        count -= buckets[index - 1].count;
        rank -= buckets[index - 1].count;
    }
    return begin + (end - begin) * (rank / count);
}

double quantile_of_buckets(double q, struct bucket *buckets, size_t count)
{
    if (isnan(q) || count == 0)
        return (double)NAN;
    if (q < 0)
        return -INFINITY;
    if (q > 1)
        return INFINITY;
    qsort(buckets, count, sizeof buckets[0], bucket_compare);
    if (!(isinf(buckets[count - 1].upper) && buckets[count - 1].upper > 0))
        return (double)NAN;
    count = make_monotonic(buckets, count);
    double observations = buckets[count - 1].count;
    if (count < 2 || observations == 0)
        return (double)NAN;
    double rank = q * observations;
    size_t index = 0;
    while (index < count - 1 && !(buckets[index].count >= rank))
        index++;
    if (index == count - 1)
        return buckets[count - 2].upper;
    return interpolate(rank, buckets, index);
}
