/* SPDX-License-Identifier: Apache-2.0 */
/* statistics - correlations, tails and quantiles. */
#include "analysis/stats/statistics.h"

#include "base/cleanup.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>

/* The continued fraction of I_x(a, b) by Lentz's method; it converges fast for
 * x < (a + 1) / (a + b + 2).  Source: Abramowitz and Stegun, 26.5.8. */
static double beta_fraction(double a, double b, double x)
{
    const double tiny = 1e-300;
    double c = 1;
    double d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) < tiny ? tiny : d);
    double fraction = d;
    for (int m = 1; m <= 10000; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        double step = 1;
        for (int half = 0; half < 2; half++) {
            double term = half == 0 ? even : odd;
            d = 1 + term * d;
            c = 1 + term / c;
            d = 1 / (fabs(d) < tiny ? tiny : d);
            c = fabs(c) < tiny ? tiny : c;
            step = c * d;
            fraction *= step;
        }
        if (fabs(step - 1) < 1e-15)
            break;
    }
    return fraction;
}

double beta_regularized(double a, double b, double x)
{
    if (!(x > 0))
        return isnan(x) ? NAN : 0;
    if (x >= 1)
        return 1;
    /* In logarithms, so that a probability of 1e-305 is one. */
    double front = lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x);
    if (x < (a + 1) / (a + b + 2))
        return exp(front + log(beta_fraction(a, b, x)) - log(a));
    return 1 - exp(front + log(beta_fraction(b, a, 1 - x)) - log(b));
}

static double correlation_p(double r, size_t count)
{
    double rest = (1 - r) * (1 + r);
    return rest <= 0 ? 0 : beta_regularized((double)(count - 2) / 2, 0.5, rest);
}

/* One side of a correlation, brought to the size of 1 by a power of two: so that
 * squares neither vanish nor overflow, and that no digit is lost. */
struct side {
    const double *values;
    int scale;
    double min, max;
    long double mean;
};

static double side_at(const struct side *s, size_t i)
{
    return scalbn(s->values[i], s->scale);
}

static bool is_pair(const double *x, const double *y, size_t i)
{
    return !isnan(x[i]) && !isnan(y[i]);
}

/* Of the pairs; false: there is nothing that changes, or an infinity. */
static bool side_look(struct side *s, const double *x, const double *y, size_t count)
{
    s->min = INFINITY;
    s->max = -INFINITY;
    for (size_t i = 0; i < count; i++)
        if (is_pair(x, y, i)) {
            s->min = fmin(s->min, s->values[i]);
            s->max = fmax(s->max, s->values[i]);
        }
    if (!(s->min < s->max) || isinf(s->min) || isinf(s->max))
        return false;
    int exponent = 0;
    (void)frexp(fmax(fabs(s->min), fabs(s->max)), &exponent);
    s->scale = -exponent;
    return true;
}

/* The deviations from the first value have the digits that the values have in which
 * they differ; their spread may still be far less than 1. */
static void side_centre(struct side *s, const double *x, const double *y, size_t count,
                        size_t pairs)
{
    double first = 0;
    bool has_first = false;
    long double sum = 0;
    for (size_t i = 0; i < count; i++)
        if (is_pair(x, y, i)) {
            if (!has_first)
                first = side_at(s, i);
            has_first = true;
            sum += (long double)side_at(s, i) - first;
        }
    s->mean = first + sum / (long double)pairs;
}

struct correlation correlate(const double *x, const double *y, size_t count)
{
    struct correlation c = { 0, NAN, NAN };
    struct side sx = { .values = x }, sy = { .values = y };
    long double xx = 0, yy = 0, xy = 0, rest_x = 0, rest_y = 0;
    for (size_t i = 0; i < count; i++)
        c.count += is_pair(x, y, i);
    if (c.count < 3 || !side_look(&sx, x, y, count) || !side_look(&sy, x, y, count))
        return c;
    side_centre(&sx, x, y, count, c.count);
    side_centre(&sy, x, y, count, c.count);
    for (size_t i = 0; i < count; i++) {
        if (!is_pair(x, y, i))
            continue;
        long double dx = side_at(&sx, i) - sx.mean;
        long double dy = side_at(&sy, i) - sy.mean;
        xx += dx * dx;
        yy += dy * dy;
        xy += dx * dy;
        rest_x += dx; /* what the mean's last digit is off by */
        rest_y += dy;
    }
    long double n = (long double)c.count;
    xx -= rest_x * rest_x / n;
    yy -= rest_y * rest_y / n;
    xy -= rest_x * rest_y / n;
    long double spread = sqrtl(xx) * sqrtl(yy);
    if (!(spread > 0) || !isfinite(spread))
        return c;
    c.r = fmax(-1, fmin(1, (double)(xy / spread)));
    c.p = correlation_p(c.r, c.count);
    return c;
}

struct ranked {
    double value;
    size_t place;
};

static int ranked_order(const void *a, const void *b)
{
    double x = ((const struct ranked *)a)->value;
    double y = ((const struct ranked *)b)->value;
    return (x > y) - (x < y);
}

/* Ranks of values (none missing) into ret, at their places. */
static void rank(struct ranked *values, size_t count, double *ret)
{
    qsort(values, count, sizeof *values, ranked_order);
    for (size_t first = 0, end = 0; first < count; first = end) {
        while (end < count && values[end].value == values[first].value)
            end++;
        for (size_t i = first; i < end; i++)
            ret[values[i].place] = (double)(first + end - 1) / 2;
    }
}

int correlate_ranks(const double *x, const double *y, size_t count,
                    struct correlation *ret)
{
    AUTO_FREE struct ranked *values = reallocarray(NULL, count + 1, sizeof *values);
    AUTO_FREE double *ranks = reallocarray(NULL, 2 * count + 1, sizeof *ranks);
    if (!values || !ranks)
        return -ENOMEM;
    const double *const sides[] = { x, y };
    size_t pairs = 0;
    for (size_t side = 0; side < COUNT_OF(sides); side++) {
        pairs = 0;
        for (size_t i = 0; i < count; i++)
            if (!isnan(x[i]) && !isnan(y[i])) {
                values[pairs] = (struct ranked){ sides[side][i], pairs };
                pairs++;
            }
        rank(values, pairs, ranks + side * count);
    }
    *ret = correlate(ranks, ranks + count, pairs);
    return 0;
}

double binomial_tail(size_t k, size_t n, double p)
{
    if (k == 0)
        return 1;
    return k > n ? 0 : beta_regularized((double)k, (double)(n - k) + 1, p);
}

double quantile(const double *sorted, size_t count, double q)
{
    if (count == 0)
        return NAN;
    double place = q * (double)(count - 1);
    size_t below = (size_t)place;
    if (below + 1 >= count)
        return sorted[count - 1];
    return sorted[below] +
           (place - (double)below) * (sorted[below + 1] - sorted[below]);
}

static int number_order(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    if (isnan(x) || isnan(y))
        return isnan(x) - isnan(y);
    return (x > y) - (x < y);
}

size_t numbers_sort(double *values, size_t count)
{
    qsort(values, count, sizeof *values, number_order);
    while (count > 0 && isnan(values[count - 1]))
        count--;
    return count;
}

static void numbers_swap(double *a, double *b)
{
    double first = *a;
    *a = *b;
    *b = first;
}

/* Hoare's selection: afterwards values[at] is as if all were ordered, and none before
 * it is greater. */
static void numbers_select(double *values, size_t count, size_t at)
{
    size_t low = 0, high = count - 1;
    while (low < high) {
        double middle = values[low + (high - low) / 2];
        size_t i = low, j = high;
        for (;;) {
            while (values[i] < middle)
                i++;
            while (values[j] > middle)
                j--;
            if (i >= j)
                break;
            numbers_swap(&values[i++], &values[j--]);
        }
        /* None up to j is greater than those beyond it, and j < high. */
        if (at <= j)
            high = j;
        else
            low = j + 1;
    }
}

double numbers_median(double *values, size_t count)
{
    if (count == 0)
        return NAN;
    size_t at = (count - 1) / 2;
    numbers_select(values, count, at);
    if (count % 2 == 1)
        return values[at];
    double next = values[at + 1];
    for (size_t i = at + 2; i < count; i++)
        next = fmin(next, values[i]);
    return values[at] + (next - values[at]) / 2;
}
