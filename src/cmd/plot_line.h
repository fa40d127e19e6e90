/* SPDX-License-Identifier: Apache-2.0 */
/* plot_line - lines over time as a picture: braille for a terminal, or SVG.
 *
 * A braille character has 2 × 4 dots, so a terminal of 80 × 20 draws 160 × 80.
 */
#ifndef CMD_PLOT_LINE_H
#define CMD_PLOT_LINE_H

#include "base/strbuf.h"

#include <stdint.h>

#define PLOT_LINES_MAX 16

struct plot_point {
    int64_t t_ms;
    double value;
};

struct plot_line {
    const char *name;
    const struct plot_point *points; /* in order of time, all of them numbers */
    size_t count;
};

struct plot {
    const char *title;
    const struct plot_line *lines;
    size_t line_count; /* 1 .. PLOT_LINES_MAX */
    int64_t gap_ms;    /* points further apart than this are not joined; 0: all are */
};

/* Errors: -ENODATA (no point), -ENOMEM. */
int plot_braille(const struct plot *plot, size_t width, size_t height,
                 struct strbuf *out);
int plot_svg(const struct plot *plot, size_t width, size_t height, struct strbuf *out);

#endif
