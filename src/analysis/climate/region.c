/* SPDX-License-Identifier: Apache-2.0 */
/* region - where the performance of late runs parts from that of the season. */
#include "analysis/climate/region.h"

#include "analysis/stats/stats.h"
#include "base/cleanup.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>

/* Whole numbers, so that a sum that slides does not drift: two windows with the same
 * runs have the same average, to the bit. */
#define UNIT 0x1p52

struct window {
    int64_t width_ns;
    size_t first, end;
    __int128 sum;
};

static __int128 units_of(double value)
{
    return (__int128)llrint(value * UNIT);
}

static void window_move(struct window *w, const int64_t *times, const double *values,
                        size_t count, int64_t t)
{
    int64_t from = t - w->width_ns / 2;
    int64_t to = from + w->width_ns;
    while (w->end < count && times[w->end] < to)
        w->sum += units_of(values[w->end++]);
    while (w->first < w->end && times[w->first] < from)
        w->sum -= units_of(values[w->first++]);
}

void moving_average(const int64_t *times, const double *values, size_t count,
                    int64_t window_ns, double *ret)
{
    struct window w = { .width_ns = window_ns };
    for (size_t i = 0; i < count; i++) {
        window_move(&w, times, values, count, times[i]);
        ret[i] = (double)w.sum / UNIT / (double)(w.end - w.first);
    }
}

/* ---- regions ---- */

/* Values are summed up as whole units, set by set: units of the set's greatest value,
 * shifted so that a million squared of them fit into 127 bits. */
#define UNIT_BITS 85

struct scale {
    double peak;
    int exponent; /* of the greatest value */
};

/* Sums of the runs in a window, by set. */
struct sums {
    size_t first, end;
    int64_t width_ns;
    __int128 *of_set;
};

struct region_work {
    const struct region_values *v;
    size_t set_count;
    struct scale *scales;
    struct sums near, far;
    struct ratio *ratios;
};

void region_work_free(struct region_work *w)
{
    if (!w)
        return;
    free(w->scales);
    free(w->near.of_set);
    free(w->far.of_set);
    free(w->ratios);
    free(w);
}

int region_work_new(size_t set_count, struct region_work **ret)
{
    AUTO(region_work_free) struct region_work *w = calloc(1, sizeof *w);
    if (!w)
        return -ENOMEM;
    w->set_count = set_count;
    w->scales = calloc(set_count + 1, sizeof *w->scales);
    w->near.of_set = calloc(set_count + 1, sizeof(__int128));
    w->far.of_set = calloc(set_count + 1, sizeof(__int128));
    w->ratios = calloc(set_count + 1, sizeof *w->ratios);
    if (!w->scales || !w->near.of_set || !w->far.of_set || !w->ratios)
        return -ENOMEM;
    *ret = TAKE(w);
    return 0;
}

static size_t set_of(const struct region_values *v, size_t i)
{
    return v->sets ? v->sets[i] : 0;
}

static void work_begin(struct region_work *w, const struct region_values *v,
                       int64_t short_ns, int64_t long_ns)
{
    w->v = v;
    w->near.first = w->near.end = w->far.first = w->far.end = 0;
    w->near.width_ns = short_ns;
    w->far.width_ns = long_ns;
    for (size_t s = 0; s < w->set_count; s++) {
        w->near.of_set[s] = w->far.of_set[s] = 0;
        w->scales[s].peak = v->peaks[s];
        (void)frexp(v->peaks[s], &w->scales[s].exponent);
    }
    for (size_t i = 0; i < v->count; i++) {
        int exponent = 0;
        struct scale *scale = &w->scales[set_of(v, i)];
        (void)frexp(v->values[i], &exponent);
        if (exponent > scale->exponent)
            scale->exponent = exponent;
    }
}

/* Its bits from those of the set's greatest value down; what lies below is cut off. */
static __int128 value_units(const struct region_work *c, size_t i)
{
    int exponent = 0;
    const struct scale *scale = &c->scales[set_of(c->v, i)];
    if (!(scale->peak > 0))
        return 0;
    __int128 mantissa = (__int128)scalbn(frexp(c->v->values[i], &exponent), 53);
    int shift = UNIT_BITS - 53 + exponent - scale->exponent;
    if (shift >= 0)
        return mantissa << shift;
    return shift > -64 ? mantissa >> -shift : 0;
}

static void sums_move(const struct region_work *c, struct sums *w, int64_t t)
{
    const struct region_values *v = c->v;
    int64_t from = t - w->width_ns / 2;
    int64_t to = from + w->width_ns;
    for (; w->end < v->count && v->times[w->end] < to; w->end++)
        w->of_set[set_of(v, w->end)] += value_units(c, w->end);
    for (; w->first < w->end && v->times[w->first] < from; w->first++)
        w->of_set[set_of(v, w->first)] -= value_units(c, w->first);
}

/* Is the short average above the long one? */
static bool near_is_above(const struct region_work *c)
{
    size_t count = 0;
    __int128 near_runs = (__int128)(c->near.end - c->near.first);
    __int128 far_runs = (__int128)(c->far.end - c->far.first);
    for (size_t s = 0; s < c->set_count; s++) {
        const struct scale *scale = &c->scales[s];
        int exponent = 0;
        if (!(scale->peak > 0))
            continue;
        double mantissa = scalbn(frexp(scale->peak, &exponent), 53);
        int shift = scale->exponent - exponent;
        c->ratios[count++] = (struct ratio){
            .over = c->near.of_set[s] * far_runs - c->far.of_set[s] * near_runs,
            .under = (uint64_t)mantissa,
            .shift = shift < 64 ? shift : 64,
        };
    }
    return ratio_sum_sign(c->ratios, count) > 0;
}

size_t regions_find(struct region_work *work, const struct region_values *values,
                    int64_t short_ns, int64_t long_ns, struct region *ret)
{
    bool was_above = false;
    size_t border = 0; /* where the last crossing was; 0: none yet */
    size_t found = 0;
    work_begin(work, values, short_ns, long_ns);
    for (size_t i = 0; i < values->count; i++) {
        sums_move(work, &work->near, values->times[i]);
        sums_move(work, &work->far, values->times[i]);
        bool is_above = near_is_above(work);
        if (i > 0 && is_above != was_above) {
            if (border > 0)
                ret[found++] = (struct region){ border, i };
            border = i;
        }
        was_above = is_above;
    }
    return found;
}
