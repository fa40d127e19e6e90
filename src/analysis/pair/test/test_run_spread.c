/* SPDX-License-Identifier: Apache-2.0 */
/* test_run_spread - which measures of several runs differ, the widest first. */
#include "analysis/pair/difference.h"
#include "analysis/pair/run_spread.h"
#include "base/test/testing.h"

#include <math.h>

static struct profile runs[4];
static double floors[PROFILE_MEASURE_COUNT];

/* Equal runs, of which some values are known. */
static void runs_fill(void)
{
    static const enum profile_measure known[] = { PROFILE_PROCESSES, PROFILE_BYTES,
                                                  PROFILE_FILES, PROFILE_SPEED,
                                                  PROFILE_SMALL_SHARE };
    difference_floors(DIFFERENCE_FLOOR_DEFAULT, floors);
    for (size_t r = 0; r < COUNT_OF(runs); r++) {
        (void)snprintf(runs[r].program, sizeof runs[r].program, "%s", "app");
        for (size_t i = 0; i < PROFILE_MEASURE_COUNT; i++)
            runs[r].values[i] = NAN;
        for (size_t i = 0; i < COUNT_OF(known); i++)
            runs[r].values[known[i]] = 0.5;
    }
}

static void of_equal_runs_nothing_differs(void **state)
{
    struct run_spread spread;
    (void)state;
    runs_fill();
    run_spread_find(runs, COUNT_OF(runs), floors, &spread);
    assert_int_equal(spread.count, 5);
    assert_int_equal(spread.differing, 0);
    assert_false(spread.is_program);
    for (size_t i = 1; i < spread.count; i++)
        assert_true(spread.items[i - 1].measure < spread.items[i].measure);
}

static void the_widest_is_first_and_effects_are_behind_causes(void **state)
{
    struct run_spread spread;
    (void)state;
    runs_fill();
    runs[2].values[PROFILE_BYTES] = 5;   /* ten times */
    runs[1].values[PROFILE_FILES] = 500; /* a thousand times */
    runs[3].values[PROFILE_SPEED] = 5e9; /* an effect, however wide */
    (void)snprintf(runs[3].program, sizeof runs[3].program, "%s", "other");
    run_spread_find(runs, COUNT_OF(runs), floors, &spread);
    assert_int_equal(spread.differing, 3);
    assert_int_equal(spread.items[0].measure, PROFILE_FILES);
    assert_int_equal(spread.items[1].measure, PROFILE_BYTES);
    assert_int_equal(spread.items[2].measure, PROFILE_SPEED);
    assert_true(spread.items[0].score > spread.items[1].score);
    assert_true(spread.is_program);
}

/* Each is near its neighbour, and the ends are far apart. */
static void any_two_runs_are_compared(void **state)
{
    struct run_spread spread;
    (void)state;
    runs_fill();
    for (size_t r = 0; r < COUNT_OF(runs); r++)
        runs[r].values[PROFILE_SMALL_SHARE] = 0.5 + 0.04 * (double)r;
    run_spread_find(runs, 2, floors, &spread);
    assert_int_equal(spread.differing, 0);
    run_spread_find(runs, COUNT_OF(runs), floors, &spread);
    assert_int_equal(spread.differing, 1);
    assert_int_equal(spread.items[0].measure, PROFILE_SMALL_SHARE);
    runs[0].values[PROFILE_SMALL_SHARE] = NAN;
    runs[1].values[PROFILE_SMALL_SHARE] = NAN;
    runs[2].values[PROFILE_SMALL_SHARE] = NAN;
    run_spread_find(runs, COUNT_OF(runs), floors, &spread);
    assert_int_equal(spread.differing, 0); /* of one run there is no distance */
    assert_int_equal(spread.count, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_equal_runs_nothing_differs),
        cmocka_unit_test(the_widest_is_first_and_effects_are_behind_causes),
        cmocka_unit_test(any_two_runs_are_compared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
