/* SPDX-License-Identifier: Apache-2.0 */
/* row_range - between which values a row of runs is drawn. */
#include "draw/row_range.h"

#include <math.h>

#define FENCE 3.0 /* widths of the middle half */
#define SHARE_MIN 0.5

static struct row_range within(const struct umami_row *row, size_t count, double low,
                               double high)
{
    struct row_range range = { INFINITY, -INFINITY, 0, 0 };
    for (size_t i = 0; i < count; i++) {
        double value = row->history[i];
        if (isnan(value))
            continue;
        range.below += value < low;
        range.above += value > high;
        if (value < low || value > high)
            continue;
        range.low = fmin(range.low, value);
        range.high = fmax(range.high, value);
    }
    return range;
}

struct row_range row_range_of(const struct umami_row *row, size_t count)
{
    struct row_range all = within(row, count, -INFINITY, INFINITY);
    double width = row->q75 - row->q25;
    if (!(width > 0) || row->other_count == 0)
        return all;
    /* fmin() and fmax() pass over a value that is missing. */
    struct row_range most =
        within(row, count, fmin(row->value, row->q25 - FENCE * width),
               fmax(row->value, row->q75 + FENCE * width));
    bool is_flat = most.high - most.low < SHARE_MIN * (all.high - all.low);
    return most.low < most.high && is_flat ? most : all;
}

double row_range_limit(const struct row_range *range, double value)
{
    return value < range->low ? range->low : value > range->high ? range->high : value;
}

int row_range_side(const struct row_range *range, double value)
{
    return value < range->low ? -1 : value > range->high ? 1 : 0;
}
