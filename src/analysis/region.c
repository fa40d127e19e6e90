/* SPDX-License-Identifier: Apache-2.0 */
/* region - where the performance of late runs parts from that of the season. */
#include "analysis/region.h"

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

size_t regions_find(const int64_t *times, const double *values, size_t count,
                    int64_t short_ns, int64_t long_ns, struct region *ret)
{
    struct window near = { .width_ns = short_ns };
    struct window far = { .width_ns = long_ns };
    bool was_above = false;
    size_t border = 0; /* where the last crossing was; 0: none yet */
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        window_move(&near, times, values, count, times[i]);
        window_move(&far, times, values, count, times[i]);
        bool is_above = near.sum * (__int128)(far.end - far.first) >
                        far.sum * (__int128)(near.end - near.first);
        if (i > 0 && is_above != was_above) {
            if (border > 0)
                ret[found++] = (struct region){ border, i };
            border = i;
        }
        was_above = is_above;
    }
    return found;
}
