/* SPDX-License-Identifier: Apache-2.0 */
/* change_points - where several series change their level at the same time. */
#include "analysis/stats/change_points.h"

#include "analysis/stats/statistics.h"
#include "base/cleanup.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* Of the distance of two values from one normal distribution: its third quartile, in
 * standard deviations of that. */
#define DISTANCE_QUARTILE 1.626842
#define PAIRS_MIN 3
/* The chance of a cut through noise is about columns to the power of minus this. */
#define PENALTY_POWER 3.0

void change_noise(const double *values, size_t count, double least, double *ret)
{
    double distances[2 * CHANGE_NOISE_REACH];
    for (size_t at = 0; at < count; at++) {
        size_t from = at > CHANGE_NOISE_REACH ? at - CHANGE_NOISE_REACH : 0;
        size_t to =
            count - at > CHANGE_NOISE_REACH ? at + CHANGE_NOISE_REACH : count - 1;
        size_t pairs = 0;
        for (size_t i = from; i < to; i++)
            if (isfinite(values[i]) && isfinite(values[i + 1]))
                distances[pairs++] = fabs(values[i + 1] - values[i]);
        pairs = numbers_sort(distances, pairs);
        double noise = pairs < PAIRS_MIN
                           ? 0
                           : quantile(distances, pairs, 0.75) / DISTANCE_QUARTILE;
        ret[at] = noise > least ? noise : least;
    }
}

static double median_of_3(double a, double b, double c)
{
    return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

void change_smooth(const double *values, size_t count, double *ret)
{
    for (size_t i = 0; i < count; i++) {
        double before = i > 0 ? values[i - 1] : NAN;
        double after = i + 1 < count ? values[i + 1] : NAN;
        ret[i] = isnan(values[i]) || isnan(before) || isnan(after)
                     ? values[i]
                     : median_of_3(before, values[i], after);
    }
}

/* ---- the partition ---- */

/* Sums over the columns before each: the cost of any segment is a difference of them.
 * A value weighs as much as its noise is little. */
struct sums {
    double *weights, *values, *squares; /* [series * (columns + 1) + column] */
    size_t series_count, columns;
};

static void sums_fill(struct sums *s, const struct change_series *series)
{
    for (size_t i = 0; i < s->series_count; i++) {
        size_t at = i * (s->columns + 1);
        s->values[at] = s->squares[at] = s->weights[at] = 0;
        for (size_t c = 0; c < s->columns; c++, at++) {
            double value = series[i].values[c];
            bool is_known = isfinite(value);
            double weight =
                is_known ? 1 / (series[i].noise[c] * series[i].noise[c]) : 0;
            value = is_known ? value : 0;
            s->weights[at + 1] = s->weights[at] + weight;
            s->values[at + 1] = s->values[at] + weight * value;
            s->squares[at + 1] = s->squares[at] + weight * value * value;
        }
    }
}

static double segment_cost(const struct sums *s, size_t from, size_t to)
{
    double cost = 0;
    for (size_t i = 0; i < s->series_count; i++) {
        size_t at = i * (s->columns + 1);
        double weight = s->weights[at + to] - s->weights[at + from];
        double sum = s->values[at + to] - s->values[at + from];
        if (weight > 0)
            cost += s->squares[at + to] - s->squares[at + from] - sum * sum / weight;
    }
    return cost;
}

static double penalty_of(size_t series_count, size_t columns)
{
    double d = (double)series_count;
    double t = PENALTY_POWER * log((double)columns);
    return d + 2 * sqrt(d * t) + 2 * t;
}

/* The least cost of all columns before each, and where its last segment starts. */
static void partition(const struct sums *s, size_t length_min, double *costs,
                      size_t *lasts)
{
    double penalty = penalty_of(s->series_count, s->columns);
    costs[0] = 0;
    for (size_t to = 1; to <= s->columns; to++) {
        costs[to] = INFINITY;
        lasts[to] = 0;
        for (size_t from = 0; from + length_min <= to; from++) {
            if (!isfinite(costs[from]))
                continue;
            double cost = costs[from] + segment_cost(s, from, to) + penalty;
            if (cost < costs[to]) {
                costs[to] = cost;
                lasts[to] = from;
            }
        }
    }
}

static int starts_fill(const size_t *lasts, size_t columns, size_t *starts)
{
    size_t count = 0;
    for (size_t to = columns; to > 0; to = lasts[to])
        count++;
    size_t at = count;
    for (size_t to = columns; to > 0; to = lasts[to])
        starts[--at] = lasts[to];
    return (int)count;
}

int change_points_find(const struct change_series *series, size_t series_count,
                       size_t columns, size_t length_min, size_t *starts)
{
    size_t count = series_count * (columns + 1);
    starts[0] = 0;
    if (series_count == 0 || length_min == 0 || columns < 2 * length_min ||
        columns > CHANGE_COLUMNS_MAX)
        return 1;
    AUTO_FREE double *numbers = calloc(3 * count + columns + 1, sizeof *numbers);
    AUTO_FREE size_t *lasts = calloc(columns + 1, sizeof *lasts);
    if (!numbers || !lasts)
        return -ENOMEM;
    struct sums sums = { numbers, numbers + count, numbers + 2 * count, series_count,
                         columns };
    sums_fill(&sums, series);
    partition(&sums, length_min, numbers + 3 * count, lasts);
    return starts_fill(lasts, columns, starts);
}
