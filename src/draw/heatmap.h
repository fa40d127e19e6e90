/* SPDX-License-Identifier: Apache-2.0 */
/* heatmap - a measure of many components over time, as a picture.
 *
 *     fs-OST0000  ░░▒▒▓▓██▒▒░░░░////░░░░░   dark: much; hatched: not measured
 *     fs-OST0001  ░░░░▒▒▒▒░░░░░░////░░░░░
 *                 14:00      14:30      15:00
 *
 * One hue whose lightness falls evenly, so that the order of values is seen in grey
 * too, and by people who do not tell colours apart.  What is missing is no colour but a
 * pattern.
 *
 * Cells are gathered in time until each is HEATMAP_CELL_PX wide: a cell is the mean of
 * what was measured of it.  The size of the picture is bounded by the number of cells.
 */
#ifndef DRAW_HEATMAP_H
#define DRAW_HEATMAP_H

#include "base/strbuf.h"
#include "draw/axis.h"
#include "source/lmt/lmt.h"

#define HEATMAP_TARGETS_MAX 4096

struct heatmap_opts {
    const char *title;
    double left, width; /* of the cells, in the picture */
    double top;
};

/* Rows of names in natural order (OST000a behind OST0009), whatever the file's order.
 * Draws at top into a picture that is begun; *ret_bottom is where it ends.
 * grid: a count, drawn by second, or a gauge.
 * Errors: -E2BIG (more than HEATMAP_TARGETS_MAX components), -ENOMEM. */
int heatmap_draw(const struct lmt_grid *grid, enum lmt_measure measure,
                 const struct heatmap_opts *opts, struct strbuf *out,
                 double *ret_bottom);

/* How high it will be. */
double heatmap_height(const struct lmt_grid *grid);

/* A picture of its own.  Errors: as above. */
int heatmap_print_svg(const struct lmt_grid *grid, enum lmt_measure measure,
                      const char *title, struct strbuf *out);

#endif
