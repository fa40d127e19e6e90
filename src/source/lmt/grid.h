/* SPDX-License-Identifier: Apache-2.0 */
/* grid - one measure of a span of time: a row a step, a column a component.
 *
 *               OST0000  OST0001 ...
 *     start_s     4096        0         what happened in [start, start + step)
 *     + step_s       0      NaN         NaN: nobody measured
 *
 * Rows are laid out before they are known: what no file fills stays missing, so that a
 * hole between two files is a hole here.
 */
#ifndef SOURCE_LMT_GRID_H
#define SOURCE_LMT_GRID_H

#include "base/cleanup.h"
#include "base/err.h"
#include "base/span_type.h"

#include <stdint.h>

#define LMT_CELLS_MAX ((size_t)1 << 26) /* 512 MiB: a day of 3,800 targets at 5 s */
#define LMT_COLUMNS_MAX ((size_t)65536)
#define LMT_STEP_S_MAX INT64_C(86400)

struct lmt_grid {
    int64_t from_s; /* asked for: [from_s, to_s), Unix time */
    int64_t to_s;
    int64_t start_s; /* of the first row, at most from_s */
    int64_t step_s;  /* 0 until something was read */
    size_t row_count;
    size_t column_count;
    char **columns; /* names, each its own */
    double *values; /* row after row */
};

/* A window with nothing in it; to_s > from_s. */
void lmt_grid_init(struct lmt_grid *grid, int64_t from_s, int64_t to_s);
void lmt_grid_done(struct lmt_grid *grid);
DEFINE_AUTO_DONE(struct lmt_grid, lmt_grid_done);

/* Lay out rows, at the first call: the step, and a time at which one begins.
 * Errors: -EINVAL (another step than before, or one that cannot be), -ENOMEM,
 * -EFBIG (more than LMT_CELLS_MAX cells). */
int lmt_grid_shape(struct lmt_grid *grid, int64_t step_s, int64_t anchor_s,
                   struct err *err);
/* Which column each name has; those that are new are made, full of NaN.  map has room
 * for count.  Errors: -EINVAL (no shape yet), -EFBIG, -ENOMEM. */
int lmt_grid_columns(struct lmt_grid *grid, const struct span *names, size_t count,
                     size_t *map, struct err *err);
/* The row that t_s lies in, or -1: outside of the window. */
int64_t lmt_grid_row(const struct lmt_grid *grid, int64_t t_s);

/* A count, where what came in during a hole is not taken for what came in after it: the
 * servers' counters go on while nobody reads them, and the first step behind a hole has
 * all of it (as LMT's archives are made).  Here it is spread evenly over the hole and
 * the step, unless the step after it has as much: then it was no more than that.  For
 * peaks and pictures; sums want lmt_grid_at(). */
double lmt_grid_even(const struct lmt_grid *grid, size_t row, size_t column);

static inline double *lmt_grid_at(const struct lmt_grid *grid, size_t row,
                                  size_t column)
{
    return &grid->values[row * grid->column_count + column];
}

#endif
