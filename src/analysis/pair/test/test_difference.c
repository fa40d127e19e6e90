/* SPDX-License-Identifier: Apache-2.0 */
/* test_difference - in what two profiles differ: floors, kinds and their order. */
#include "analysis/pair/pair.h"
#include "base/test/testing.h"

#include <math.h>

static struct profile profile_of(double bytes, double speed)
{
    struct profile p = { .program = "app" };
    for (size_t i = 0; i < PROFILE_MEASURE_COUNT; i++)
        p.values[i] = NAN;
    p.values[PROFILE_PROCESSES] = 4;
    p.values[PROFILE_BYTES] = bytes;
    p.values[PROFILE_SPEED] = speed;
    p.values[PROFILE_SMALL_SHARE] = 0.1;
    p.values[PROFILE_ACCESS] = 1000;
    return p;
}

static void equal_runs_do_not_differ(void **state)
{
    (void)state;
    const struct profile a = profile_of(100, 50);
    double floors[PROFILE_MEASURE_COUNT];
    struct differences found;
    difference_floors(0.4, floors);
    difference_find(&a, &a, floors, &found);
    assert_int_equal(found.count, 0);
    assert_int_equal(found.compared, 5);
    assert_false(found.is_program);
}

static void causes_come_before_what_follows_and_that_before_effects(void **state)
{
    (void)state;
    const struct profile a = profile_of(100, 50);
    struct profile b = profile_of(100, 5);
    double floors[PROFILE_MEASURE_COUNT];
    struct differences found;
    b.values[PROFILE_ACCESS] = 10;
    b.values[PROFILE_SMALL_SHARE] = 0.9; /* follows from the size of accesses */
    difference_floors(0.4, floors);
    difference_find(&a, &b, floors, &found);
    assert_int_equal(found.count, 3);
    assert_string_equal(found.items[0].name, "access_bytes");
    assert_string_equal(found.items[1].name, "small_share");
    assert_true(found.items[1].is_because && !found.items[1].is_ratio);
    assert_string_equal(found.items[2].name, "speed_mib_per_s");
    assert_true(found.items[2].is_effect && found.items[2].is_ratio);
    for (size_t i = 0; i < found.count; i++)
        assert_true(found.items[i].score > 1);
}

static void below_the_floor_is_no_difference(void **state)
{
    (void)state;
    static const struct {
        double timed, speed;
        size_t want;
    } cases[] = {
        { 0.4, 36, 0 }, /* 1 / 1.39 of it */
        { 0.4, 35, 1 }, /* 1 / 1.43 */
        { 1.4, 21, 0 },
        { 1.4, 20, 1 },
    };
    const struct profile a = profile_of(100, 50);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct profile b = profile_of(100, cases[i].speed);
        double floors[PROFILE_MEASURE_COUNT];
        struct differences found;
        difference_floors(cases[i].timed, floors);
        difference_find(&a, &b, floors, &found);
        if (found.count != cases[i].want)
            fail_msg("%zu: %zu differences", i, found.count);
    }
}

static void a_distance_has_no_direction_and_needs_both_values(void **state)
{
    (void)state;
    struct profile a = profile_of(100, 50);
    struct profile b = profile_of(400, 0);
    double there = difference_distance(PROFILE_BYTES, &a, &b);
    assert_true(there > 0);
    assert_true(there == difference_distance(PROFILE_BYTES, &b, &a));
    assert_true(difference_distance(PROFILE_BYTES, &a, &a) == 0);
    assert_true(difference_distance(PROFILE_SPEED, &a, &b) == 20); /* and nothing */
    a.values[PROFILE_BYTES] = NAN;
    assert_true(isnan(difference_distance(PROFILE_BYTES, &a, &b)));
    assert_true(isnan(difference_distance(PROFILE_STRIPES, &a, &b)));
}

static void another_program_is_a_difference_of_its_own(void **state)
{
    (void)state;
    const struct profile a = profile_of(100, 50);
    struct profile b = a;
    double floors[PROFILE_MEASURE_COUNT];
    struct differences found;
    (void)snprintf(b.program, sizeof b.program, "other");
    difference_floors(0.4, floors);
    difference_find(&a, &b, floors, &found);
    assert_true(found.is_program);
    assert_int_equal(found.count, 1);
    assert_string_equal(found.items[0].name, "program");
    assert_true(isnan(found.items[0].a) && isnan(found.items[0].floor));
}

static void comparable_runs_measure_the_floor(void **state)
{
    (void)state;
    const struct profile runs[] = { profile_of(100, 50), profile_of(100, 60),
                                    profile_of(100, 70) };
    double floors[PROFILE_MEASURE_COUNT];
    double least[PROFILE_MEASURE_COUNT];
    assert_int_equal(difference_floors_measure(runs, 2, floors), -EINVAL);
    assert_int_equal(difference_floors_measure(runs, COUNT_OF(runs), floors), 0);
    difference_floors(0.05, least);
    assert_true(floors[PROFILE_SPEED] > least[PROFILE_SPEED]);
    assert_true(floors[PROFILE_BYTES] <= floors[PROFILE_SPEED]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_runs_do_not_differ),
        cmocka_unit_test(causes_come_before_what_follows_and_that_before_effects),
        cmocka_unit_test(below_the_floor_is_no_difference),
        cmocka_unit_test(a_distance_has_no_direction_and_needs_both_values),
        cmocka_unit_test(another_program_is_a_difference_of_its_own),
        cmocka_unit_test(comparable_runs_measure_the_floor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
