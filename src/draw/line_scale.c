/* SPDX-License-Identifier: Apache-2.0 */
/* line_scale - where the points of a line plot come to lie. */
#include "draw/line_scale.h"

#include <errno.h>
#include <math.h>

static void point_add(struct line_scale *s, int64_t t_ms, double low, double high)
{
    s->from_ms = t_ms < s->from_ms ? t_ms : s->from_ms;
    s->to_ms = t_ms > s->to_ms ? t_ms : s->to_ms;
    s->low = fmin(s->low, low);
    s->high = fmax(s->high, high);
}

int line_scale_find(const struct line_plot *plot, struct line_scale *ret)
{
    struct line_scale s = { INT64_MAX, INT64_MIN, INFINITY, -INFINITY };
    for (size_t i = 0; i < plot->line_count; i++)
        for (size_t j = 0; j < plot->lines[i].count; j++)
            point_add(&s, plot->lines[i].points[j].t_ms, plot->lines[i].points[j].value,
                      plot->lines[i].points[j].value);
    for (size_t i = 0; i < plot->band_count; i++)
        point_add(&s, plot->bands[i].t_ms, plot->bands[i].least,
                  plot->bands[i].greatest);
    if (s.from_ms == INT64_MAX)
        return -ENODATA;
    /* A line that is level lies in the middle. */
    if (s.low == s.high) {
        double half = s.low == 0 ? 1 : fabs(s.low) / 2;
        s.low -= half;
        s.high += half;
    }
    s.to_ms += s.to_ms == s.from_ms;
    *ret = s;
    return 0;
}

double line_scale_x(const struct line_scale *scale, int64_t t_ms, double width)
{
    return (double)(t_ms - scale->from_ms) / (double)(scale->to_ms - scale->from_ms) *
           width;
}

double line_scale_y(const struct line_scale *scale, double value, double height)
{
    return (scale->high - value) / (scale->high - scale->low) * height;
}

bool line_is_joined(const struct line_plot *plot, int64_t before_ms, int64_t t_ms)
{
    return plot->gap_ms == 0 || t_ms - before_ms <= plot->gap_ms;
}
