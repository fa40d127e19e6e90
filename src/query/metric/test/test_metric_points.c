/* SPDX-License-Identifier: Apache-2.0 */
/* test_metric_points - grids and buffers of points at their limits. */
#include "base/test/testing.h"
#include "query/metric/metric.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static void a_grid_has_the_points_before_its_end(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int64_t step_ns, from_ns, to_ns;
        size_t count;
    } cases[] = {
        { "an empty range", 10, 100, 100, 0 },
        { "a range that ends before it begins", 10, 100, 99, 0 },
        { "a point for the beginning alone", 10, 100, 101, 1 },
        { "the end is not in it", 10, 100, 110, 1 },
        { "a part of a step is a point", 10, 100, 111, 2 },
        { "whole steps", 10, 100, 200, 10 },
        { "before 1970", 10, -100, 100, 20 },
        { "longer than a signed number holds", INT64_MAX, INT64_MIN, INT64_MAX, 3 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct metric_grid grid = { .step_ns = cases[i].step_ns };
        metric_grid_set(&grid, cases[i].from_ns, cases[i].to_ns);
        if (grid.count != cases[i].count || grid.from_ns != cases[i].from_ns ||
            grid.to_ns != cases[i].to_ns)
            fail_msg("%s: %zu points, not %zu", cases[i].name, grid.count,
                     cases[i].count);
    }
}

static void new_points_are_missing_and_old_ones_stay(void **state)
{
    (void)state;
    struct metric_points points = { 0 };
    assert_int_equal(metric_points_extend(&points, 2), 0);
    assert_true(isnan(points.values[0]) && isnan(points.values[1]));
    points.values[1] = 7;
    assert_int_equal(metric_points_extend(&points, 1), 0);
    assert_int_equal(points.count, 2);
    assert_int_equal(metric_points_extend(&points, 5000), 0);
    assert_int_equal(points.count, 5000);
    assert_true(points.values[1] == 7);
    for (size_t i = 2; i < points.count; i++)
        assert_true(isnan(points.values[i]));
    free(points.values);
}

static void too_many_points_leave_those_there_are(void **state)
{
    (void)state;
    struct metric_points points = { 0 };
    assert_int_equal(metric_points_extend(&points, 3), 0);
    assert_int_equal(metric_points_extend(&points, METRIC_POINTS_MAX + 1), -EMSGSIZE);
    assert_int_equal(metric_points_extend(&points, SIZE_MAX), -EMSGSIZE);
    assert_int_equal(points.count, 3);
    free(points.values);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_grid_has_the_points_before_its_end),
        cmocka_unit_test(new_points_are_missing_and_old_ones_stay),
        cmocka_unit_test(too_many_points_leave_those_there_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
