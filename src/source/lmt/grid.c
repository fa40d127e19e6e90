/* SPDX-License-Identifier: Apache-2.0 */
/* grid - one measure of a span of time: a row a step, a column a component. */
#include "source/lmt/grid.h"

#include "base/span.h"

#include <math.h>

void lmt_grid_init(struct lmt_grid *grid, int64_t from_s, int64_t to_s)
{
    *grid = (struct lmt_grid){ .from_s = from_s, .to_s = to_s };
}

void lmt_grid_done(struct lmt_grid *grid)
{
    for (size_t i = 0; i < grid->column_count; i++)
        free(grid->columns[i]);
    free(grid->columns);
    free(grid->values);
    *grid = (struct lmt_grid){ 0 };
}

/* Downwards, also before 1970. */
static int64_t floor_to(int64_t t, int64_t step, int64_t anchor)
{
    int64_t rest = (t - anchor) % step;
    return t - (rest < 0 ? rest + step : rest);
}

int lmt_grid_shape(struct lmt_grid *grid, int64_t step_s, int64_t anchor_s,
                   struct err *err)
{
    const int64_t far_s = INT64_MAX / 4;
    if (step_s <= 0 || step_s > LMT_STEP_S_MAX || anchor_s > far_s || anchor_s < -far_s)
        return err_set(err, EINVAL, "a step of %lld s cannot be", (long long)step_s);
    if (grid->step_s != 0 && grid->step_s != step_s)
        return err_set(err, EINVAL, "steps of %lld s, after some of %lld s",
                       (long long)step_s, (long long)grid->step_s);
    if (grid->step_s != 0)
        return 0;
    int64_t start_s = floor_to(grid->from_s, step_s, anchor_s);
    int64_t rows = (grid->to_s - start_s + step_s - 1) / step_s;
    if (rows <= 0 || (uint64_t)rows > LMT_CELLS_MAX)
        return err_set(err, EFBIG, "%lld steps are too many", (long long)rows);
    grid->start_s = start_s;
    grid->step_s = step_s;
    grid->row_count = (size_t)rows;
    return 0;
}

static size_t column_find(const struct lmt_grid *grid, struct span name, size_t hint)
{
    for (size_t i = 0; i < grid->column_count; i++) {
        size_t at = (hint + i) % grid->column_count;
        if (span_is(name, grid->columns[at]))
            return at;
    }
    return grid->column_count;
}

/* Room for more columns: rows become longer, from the last one on. */
static int values_widen(struct lmt_grid *grid, size_t old_wide)
{
    size_t wide = grid->column_count;
    double *values = realloc(grid->values, grid->row_count * wide * sizeof *values);
    if (!values)
        return -ENOMEM;
    grid->values = values;
    for (size_t row = grid->row_count; row-- > 0;) {
        memmove(&values[row * wide], &values[row * old_wide],
                old_wide * sizeof *values);
        for (size_t column = old_wide; column < wide; column++)
            values[row * wide + column] = NAN;
    }
    return 0;
}

/* What was added goes again when not all of it could be. */
static int columns_undo(struct lmt_grid *grid, size_t old_wide, struct err *err)
{
    while (grid->column_count > old_wide)
        free(grid->columns[--grid->column_count]);
    return err_set(err, ENOMEM, "out of memory");
}

int lmt_grid_columns(struct lmt_grid *grid, const struct span *names, size_t count,
                     size_t *map, struct err *err)
{
    size_t old_wide = grid->column_count;
    if (grid->row_count == 0)
        return err_set(err, EINVAL, "no step is known");
    if (count > LMT_COLUMNS_MAX || old_wide + count > LMT_COLUMNS_MAX ||
        old_wide + count > LMT_CELLS_MAX / grid->row_count)
        return err_set(err, EFBIG, "%zu rows of %zu columns are too much",
                       grid->row_count, old_wide + count);
    char **columns = realloc(grid->columns, (old_wide + count + 1) * sizeof *columns);
    if (!columns)
        return err_set(err, ENOMEM, "out of memory");
    grid->columns = columns;
    for (size_t i = 0; i < count; i++) {
        map[i] = column_find(grid, names[i], i);
        if (map[i] < grid->column_count)
            continue;
        columns[grid->column_count] = span_dup(names[i]);
        if (!columns[grid->column_count])
            return columns_undo(grid, old_wide, err);
        grid->column_count++;
    }
    if (grid->column_count > old_wide && values_widen(grid, old_wide) < 0)
        return columns_undo(grid, old_wide, err);
    return 0;
}

int64_t lmt_grid_row(const struct lmt_grid *grid, int64_t t_s)
{
    if (t_s < grid->start_s)
        return -1;
    int64_t row = (t_s - grid->start_s) / grid->step_s;
    return (uint64_t)row < grid->row_count ? row : -1;
}

double lmt_grid_even(const struct lmt_grid *grid, size_t row, size_t column)
{
    double value = *lmt_grid_at(grid, row, column);
    size_t hole = 0;
    if (isnan(value))
        return NAN;
    while (hole < row && isnan(*lmt_grid_at(grid, row - hole - 1, column)))
        hole++;
    if (hole == 0)
        return value;
    double after =
        row + 1 < grid->row_count ? *lmt_grid_at(grid, row + 1, column) : NAN;
    return fmin(value, fmax(value / (double)(hole + 1), after));
}
