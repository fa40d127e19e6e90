/* SPDX-License-Identifier: Apache-2.0 */
/* line_bands - too many lines for one picture as bands: least, quartiles, median,
 * greatest over all of them, time by time.
 */
#ifndef DRAW_LINE_BANDS_H
#define DRAW_LINE_BANDS_H

#include <stddef.h>
#include <stdint.h>

struct line_plot_point {
    int64_t t_ms;
    double value;
};

struct line_plot_band {
    int64_t t_ms; /* where its interval begins */
    double least, lower, median, upper, greatest;
};

/* points, of all lines in any order, are sorted by time and gathered by intervals of
 * width_ms > 0 since the epoch; an interval without points has no band.  *ret is the
 * caller's, to free().  Errors: -ENOMEM. */
int line_bands_make(struct line_plot_point *points, size_t count, int64_t width_ms,
                    struct line_plot_band **ret, size_t *ret_count);

#endif
