/* SPDX-License-Identifier: Apache-2.0 */
/* line_plot - lines over time as a picture: braille for a terminal, or SVG.
 *
 * A braille character has 2 × 4 dots, so a terminal of 80 × 20 draws 160 × 80.
 */
#ifndef DRAW_LINE_PLOT_H
#define DRAW_LINE_PLOT_H

#include "base/strbuf.h"

#include "draw/line_bands.h"

#include <stdint.h>

#define LINE_PLOT_LINES_MAX 16

struct line_plot_line {
    const char *name;
    const struct line_plot_point *points; /* in order of time, all of them numbers */
    size_t count;
};

struct line_plot {
    const char *title;
    const struct line_plot_line *lines;
    size_t line_count; /* 0 .. LINE_PLOT_LINES_MAX */
    int64_t gap_ms;    /* points further apart than this are not joined; 0: all are */
    /* Bands in place of lines, where there are too many; then no line. */
    const struct line_plot_band *bands; /* in order of time */
    size_t band_count;
    size_t series_count; /* which the bands are over */
};

/* Append the picture to out: width and height are in characters of a terminal, with
 * the labels.  Too small a picture is drawn as small as it can be (20 x 2 and labels).
 * Errors: -ENODATA (no line has a point), -ENOMEM; then out has nothing of it. */
int line_plot_braille(const struct line_plot *plot, size_t width, size_t height,
                      struct strbuf *out);

/* Append the picture to out; width and height are those of the area between the axes,
 * in pixels.  Errors: as above. */
int line_plot_svg(const struct line_plot *plot, size_t width, size_t height,
                  struct strbuf *out);

#endif
