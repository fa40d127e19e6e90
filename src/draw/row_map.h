/* SPDX-License-Identifier: Apache-2.0 */
/* row_map - rows over time as a picture within a page: nodes, devices, targets.
 *
 *     c01  ░░▒▒▓▓██▒▒░░        strong: much; a thin line: not measured
 *     c02  ░░▒▒── ── ▒▒
 *     UTC  14:00   15:00
 *
 * Its colours are the page's: classes heat (a stroke), gap (a stroke), row (a fill) and
 * lab (text), so that the picture follows light, dark and paper.  Strength is opacity
 * alone: the order of values is seen in grey, too.
 *
 * Of more than ROW_MAP_ROWS_MAX rows those are drawn whose mean is farthest from the
 * median row's, in the order of the rows.
 */
#ifndef DRAW_ROW_MAP_H
#define DRAW_ROW_MAP_H

#include "base/strbuf.h"

#include <stddef.h>
#include <stdint.h>

#define ROW_MAP_ROWS_MAX 64
#define ROW_MAP_LEVELS 12
#define ROW_MAP_FLAT 0.9 /* the range's lower end is at most this part of its upper */

struct row_map_row {
    const char *name;     /* from anywhere: it is escaped */
    const double *values; /* columns; NaN: not measured */
};

struct row_map {
    const char *title; /* for people who cannot see it */
    const struct row_map_row *rows;
    size_t row_count;
    size_t columns;       /* of equal length */
    int64_t from_s, to_s; /* of all columns */
};

/* What faint and strong stand for: from 0, or from the least value where all are near
 * the greatest.  Both 0: there is no number. */
void row_map_range(const struct row_map *map, double *ret_low, double *ret_high);

/* Errors: -ENODATA (no number), -ENOMEM; then out has nothing of it. */
int row_map_svg(const struct row_map *map, struct strbuf *out);

#endif
