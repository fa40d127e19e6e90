/* SPDX-License-Identifier: Apache-2.0 */
/* metric_resample - many values as fewer that show the same line. */
#include "query/metric/metric_resample.h"

#include "store/store.h"

#include <math.h>

struct point {
    double x, y;
};

static double triangle(struct point a, struct point b, struct point c)
{
    return fabs(((a.x - c.x) * (b.y - a.y) - (a.x - b.x) * (c.y - a.y)) * 0.5);
}

/* Of values from .. last; y is NaN as soon as one of them is. */
static struct point mean_point(const double *values, size_t from, size_t last)
{
    struct point sum = { 0, 0 };
    for (size_t i = from; i <= last; i++) {
        sum.x += (double)i;
        sum.y += values[i];
    }
    double count = (double)(last - from + 1);
    return (struct point){ sum.x / count, sum.y / count };
}

/* The value of from .. end - 1 that makes the largest triangle with a and next; where
 * no triangle can be made, because one of the three is missing, the last that has none:
 * so a bucket is missing when its last missing value is, or when a or next is and its
 * last value. */
static size_t largest(const double *values, size_t from, size_t end, struct point a,
                      struct point next)
{
    size_t best = from;
    double best_area = -1;
    for (size_t i = from; i < end; i++) {
        double area = triangle(a, next, (struct point){ (double)i, values[i] });
        if (area > best_area || isnan(area)) {
            best_area = area;
            best = i;
        }
    }
    return best;
}

/* Writing in place is safe: what is written lies before everything still read but the
 * point chosen last, which is kept apart. */
static size_t resample_triangles(double *values, int64_t *times, size_t count,
                                 size_t wanted)
{
    if (wanted < 3) {
        values[1] = values[count - 1];
        return 2;
    }
    double size = (double)(count - 2) / (double)(wanted - 2);
    double final = values[count - 1];
    size_t low = 1, middle = (size_t)size + 1;
    struct point chosen = { 0, values[0] };
    for (size_t i = 0; i < wanted - 2; i++) {
        size_t high = (size_t)((double)(i + 2) * size) + 1;
        if (high >= count - 1)
            high = count - 2;
        struct point next = mean_point(values, middle, high);
        size_t best = largest(values, low, middle, chosen, next);
        chosen = (struct point){ (double)best, values[best] };
        values[i + 1] = chosen.y;
        if (times)
            times[i + 1] = times[best];
        low = middle;
        middle = high;
    }
    values[wanted - 1] = final;
    if (times)
        times[wanted - 1] = times[count - 1];
    return wanted;
}

static size_t resample_average(double *values, size_t count, size_t factor)
{
    size_t wanted = count / factor;
    for (size_t i = 0; i < wanted; i++) {
        double sum = 0;
        size_t numbers = 0;
        for (size_t j = i * factor; j < (i + 1) * factor; j++) {
            if (isnan(values[j]))
                continue;
            sum += values[j];
            numbers++;
        }
        values[i] = numbers ? sum / (double)numbers : bits_double(MISSING_BITS);
    }
    return wanted;
}

size_t metric_resample(enum resampling how, double *values, size_t count, size_t factor)
{
    if (factor < 2 || count / factor == 0)
        return count;
    return how == RESAMPLE_AVERAGE
               ? resample_average(values, count, factor)
               : resample_triangles(values, NULL, count, count / factor);
}

size_t metric_resample_times(double *values, int64_t *times, size_t count,
                             size_t factor)
{
    return resample_triangles(values, times, count, count / factor);
}
