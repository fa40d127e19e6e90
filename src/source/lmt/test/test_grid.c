/* SPDX-License-Identifier: Apache-2.0 */
/* test_grid - a window of one measure, and its step. */
#include "base/span.h"
#include "base/test/testing.h"
#include "source/lmt/lmt.h"
#include "source/lmt/series_format.h"

#include <math.h>

static void rows_begin_with_the_step_the_window_begins_in(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int64_t from, to, anchor, start;
        size_t rows;
    } cases[] = {
        { "on the step", 100, 120, 0, 100, 4 },
        { "within a step", 103, 121, 0, 100, 5 },
        { "times that are not multiples", 103, 113, 2, 102, 3 },
        { "before the first time", -7, 3, 100, -10, 3 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(lmt_grid_done) struct lmt_grid grid = { 0 };
        lmt_grid_init(&grid, cases[i].from, cases[i].to);
        assert_int_equal(lmt_grid_shape(&grid, 5, cases[i].anchor, NULL), 0);
        if (grid.start_s != cases[i].start || grid.row_count != cases[i].rows)
            fail_msg("%s: starts at %lld with %zu rows", cases[i].name,
                     (long long)grid.start_s, grid.row_count);
        assert_int_equal(lmt_grid_row(&grid, grid.start_s - 1), -1);
        assert_int_equal(lmt_grid_row(&grid, cases[i].from), 0);
    }
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int64_t step, anchor, to;
        int want;
    } cases[] = {
        { "no step", 0, 0, 100, -EINVAL },
        { "a step backwards", -5, 0, 100, -EINVAL },
        { "a step of more than a day", 86401, 0, 100, -EINVAL },
        { "a time beyond all", 5, INT64_MAX - 1, 100, -EINVAL },
        { "more steps than there is memory for", 1, 0, INT64_C(1) << 40, -EFBIG },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(lmt_grid_done) struct lmt_grid grid = { 0 };
        lmt_grid_init(&grid, 0, cases[i].to);
        int rc = lmt_grid_shape(&grid, cases[i].step, cases[i].anchor, NULL);
        if (rc != cases[i].want)
            fail_msg("%s: got %d", cases[i].name, rc);
    }
}

static void columns_of_several_files_meet_by_name(void **state)
{
    (void)state;
    static const struct span first[] = { { "a", 1 }, { "b", 1 } };
    static const struct span second[] = { { "c", 1 }, { "b", 1 } };
    AUTO(lmt_grid_done) struct lmt_grid grid = { 0 };
    size_t map[2];
    lmt_grid_init(&grid, 0, 10);
    assert_int_equal(lmt_grid_columns(&grid, first, 2, map, NULL), -EINVAL);
    assert_int_equal(lmt_grid_shape(&grid, 5, 0, NULL), 0);
    assert_int_equal(lmt_grid_columns(&grid, first, 2, map, NULL), 0);
    *lmt_grid_at(&grid, 1, map[1]) = 7;
    assert_int_equal(lmt_grid_columns(&grid, second, 2, map, NULL), 0);
    assert_int_equal(grid.column_count, 3);
    assert_int_equal(map[0], 2);
    assert_int_equal(map[1], 1);
    assert_true(*lmt_grid_at(&grid, 1, 1) == 7);
    assert_true(isnan(*lmt_grid_at(&grid, 1, 2)));
    assert_true(isnan(*lmt_grid_at(&grid, 0, 1)));
    assert_int_equal(lmt_grid_shape(&grid, 10, 0, NULL), -EINVAL);
}

static void what_came_during_a_hole_makes_no_peak(void **state)
{
    (void)state;
    static const double values[] = { NAN, NAN, 30, 7, NAN, 80, 0, NAN, 8, 9 };
    static const double even[] = { NAN, NAN, 10, 7, NAN, 40, 0, NAN, 8, 9 };
    AUTO(lmt_grid_done) struct lmt_grid grid;
    const struct span names[] = { SPAN("a") };
    size_t map[1];
    lmt_grid_init(&grid, 0, 50);
    assert_int_equal(lmt_grid_shape(&grid, 5, 0, NULL), 0);
    assert_int_equal(lmt_grid_columns(&grid, names, 1, map, NULL), 0);
    for (size_t row = 0; row < COUNT_OF(values); row++)
        *lmt_grid_at(&grid, row, 0) = values[row];
    for (size_t row = 0; row < COUNT_OF(even); row++) {
        double got = lmt_grid_even(&grid, row, 0);
        assert_true(isnan(even[row]) ? isnan(got) : got == even[row]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_begin_with_the_step_the_window_begins_in),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(columns_of_several_files_meet_by_name),
        cmocka_unit_test(what_came_during_a_hole_makes_no_peak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
