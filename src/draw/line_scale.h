/* SPDX-License-Identifier: Apache-2.0 */
/* line_scale - where the points of a line plot come to lie; private to draw. */
#ifndef DRAW_LINE_SCALE_H
#define DRAW_LINE_SCALE_H

#include "draw/line_plot.h"

#include <stdbool.h>

struct line_scale {
    int64_t from_ms, to_ms;
    double low, high;
};

/* What all points and bands lie in.  Errors: -ENODATA (there are none). */
int line_scale_find(const struct line_plot *plot, struct line_scale *ret);

/* Where a point lies in a picture of width × height, the origin above on the left. */
double line_scale_x(const struct line_scale *scale, int64_t t_ms, double width);
double line_scale_y(const struct line_scale *scale, double value, double height);

/* Whether a line goes on from one time to the next. */
bool line_is_joined(const struct line_plot *plot, int64_t before_ms, int64_t t_ms);

#endif
