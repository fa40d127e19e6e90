/* SPDX-License-Identifier: Apache-2.0 */
/* test_readings - a counter that was read now and then, as what happened in each step.
 */
#include "base/test/testing.h"
#include "source/lmt/readings.h"

#include <math.h>

#define STEPS 6
#define READINGS_MAX 10

static const struct span column = { "a", 1 };

/* A grid of six steps of five seconds from 100 s on. */
static void grid_make(struct lmt_grid *grid)
{
    size_t map;
    lmt_grid_init(grid, 100, 100 + 5 * STEPS);
    assert_int_equal(lmt_grid_shape(grid, 5, 0, NULL), 0);
    assert_int_equal(lmt_grid_columns(grid, &column, 1, &map, NULL), 0);
}

static void check(const char *name, const struct lmt_grid *grid, const double *want)
{
    for (size_t i = 0; i < STEPS; i++) {
        double got = *lmt_grid_at(grid, i, 0);
        if (got != want[i] && !(isnan(got) && isnan(want[i])))
            fail_msg("%s: step %zu: got %g, want %g", name, i, got, want[i]);
    }
}

static void a_step_is_known_when_all_of_it_is(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        struct {
            double t_s, value;
        } readings[READINGS_MAX]; /* up to a time of 0 */
        double want[STEPS];
    } cases[] = {
        { "every step",
          { { 100, 7 }, { 105, 10 }, { 110, 10 }, { 115, 30 }, { 120, 31 } },
          { 3, 0, 20, 1, NAN, NAN } },
        { "from before to behind",
          { { 95, 1 }, { 100, 2 }, { 130, 62 }, { 135, 99 } },
          { 10, 10, 10, 10, 10, 10 } },
        { "whole numbers of what does not divide",
          { { 100, 0 }, { 115, 10 } },
          { 3, 3, 4, NAN, NAN, NAN } },
        { "a counter that began anew",
          { { 100, 900 }, { 105, 950 }, { 110, 20 }, { 115, 30 } },
          { 50, NAN, 10, NAN, NAN, NAN } },
        { "and from nothing",
          { { 100, 900 }, { 105, 0 }, { 110, 20 } },
          { NAN, 20, NAN, NAN, NAN, NAN } },
        { "a hole longer than is watched",
          { { 40, 1 }, { 101, 9999 }, { 105, 9999 }, { 110, 10000 } },
          { NAN, 1, NAN, NAN, NAN, NAN } },
        { "as long as is watched",
          { { 60, 0 }, { 120, 12000 } },
          { 1000, 1000, 1000, 1000, NAN, NAN } },
        { "finer than the steps",
          { { 100, 0 }, { 102, 5 }, { 104, 9 }, { 105, 10 }, { 108, 13 }, { 110, 15 } },
          { 10, 5, NAN, NAN, NAN, NAN } },
        { "beside the steps",
          { { 98, 0 }, { 103, 50 }, { 108, 100 }, { 113, 200 } },
          { 50, 70, NAN, NAN, NAN, NAN } },
        { "read twice, and out of order",
          { { 100, 5 }, { 100, 90 }, { 90, 1 }, { 105, 6 } },
          { 1, NAN, NAN, NAN, NAN, NAN } },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(lmt_grid_done) struct lmt_grid grid = { 0 };
        grid_make(&grid);
        struct lmt_readings r = { .grid = &grid, .gap_ms = 60000 };
        for (size_t k = 0; k < READINGS_MAX && cases[i].readings[k].t_s > 0; k++)
            lmt_readings_put(&r, (int64_t)(cases[i].readings[k].t_s * 1000),
                             cases[i].readings[k].value);
        check(cases[i].name, &grid, cases[i].want);
    }
}

static void what_two_counters_did_is_added_up(void **state)
{
    (void)state;
    AUTO(lmt_grid_done) struct lmt_grid grid = { 0 };
    grid_make(&grid);
    struct lmt_readings one = { .grid = &grid, .gap_ms = 60000 };
    struct lmt_readings other = one;
    lmt_readings_put(&one, 100000, 0);
    lmt_readings_put(&one, 110000, 20);
    lmt_readings_put(&other, 105000, 100);
    lmt_readings_put(&other, 115000, 107);
    check("a failover", &grid, (const double[STEPS]){ 10, 13, 4, NAN, NAN, NAN });
}

static void shares_add_up_to_the_last_unit(void **state)
{
    (void)state;
    AUTO(lmt_grid_done) struct lmt_grid grid = { 0 };
    grid_make(&grid);
    struct lmt_readings r = { .grid = &grid, .gap_ms = 60000 };
    double sum = 0;
    lmt_readings_put(&r, 100000, 4503599627370000);
    lmt_readings_put(&r, 130000, 9007199254740991);
    for (size_t i = 0; i < STEPS; i++) {
        double value = *lmt_grid_at(&grid, i, 0);
        assert_true(value == floor(value));
        sum += value;
    }
    assert_true(sum == 9007199254740991.0 - 4503599627370000.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_is_known_when_all_of_it_is),
        cmocka_unit_test(what_two_counters_did_is_added_up),
        cmocka_unit_test(shares_add_up_to_the_last_unit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
