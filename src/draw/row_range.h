/* SPDX-License-Identifier: Apache-2.0 */
/* row_range - between which values a row of runs is drawn, so that one run far away
 * does not make a line of all others.
 *
 *     ·  ·    ·· ·      ·                                ·
 *     low ├── the others ──┤ high                        drawn at the edge, marked
 *
 * Values farther from the middle half than three times its width lie outside, where all
 * others would share less than half of the height without that.  The run that the
 * diagram is about is always inside.
 */
#ifndef DRAW_ROW_RANGE_H
#define DRAW_ROW_RANGE_H

#include "analysis/climate/climate.h"

struct row_range {
    double low, high;    /* low > high: there is no number */
    size_t below, above; /* of the history, outside */
};

struct row_range row_range_of(const struct umami_row *row, size_t count);
/* Inside: value itself. */
double row_range_limit(const struct row_range *range, double value);
/* -1, 0, 1: below, inside, above; NaN is inside. */
int row_range_side(const struct row_range *range, double value);

#endif
