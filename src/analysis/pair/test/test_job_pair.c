/* SPDX-License-Identifier: Apache-2.0 */
/* test_job_pair - two runs: whose floors hold, and what is left beyond them. */
#include "analysis/pair/pair.h"
#include "base/test/testing.h"

#include <math.h>

static struct profile profile_of(double speed)
{
    struct profile p = { .program = "app" };
    for (size_t i = 0; i < PROFILE_MEASURE_COUNT; i++)
        p.values[i] = NAN;
    p.values[PROFILE_SPEED] = speed;
    return p;
}

static void a_given_floor_divides_what_differs_from_what_does_not(void **state)
{
    (void)state;
    static const struct {
        double timed, speed;
        size_t want;
    } cases[] = { { 1, 60, 0 }, { 1, 40, 1 }, { 0.1, 60, 1 }, { 0.1, 100, 0 } };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(job_pair_done)
        struct job_pair pair = { .runs = { profile_of(100),
                                           profile_of(cases[i].speed) } };
        job_pair_floor(&pair, cases[i].timed);
        job_pair_compare(&pair);
        if (pair.contrast.count != cases[i].want)
            fail_msg("%zu: %zu differences", i, pair.contrast.count);
        if (pair.contrast.count > 0)
            assert_int_equal(pair.contrast.items[0].kind, CONTRAST_WENT);
        assert_int_equal(pair.contrast.looked_at, 0); /* there is no climate */
    }
}

static void comparable_runs_measure_the_floor_and_too_few_leave_it(void **state)
{
    (void)state;
    struct profile alike[] = { profile_of(100), profile_of(50), profile_of(25) };
    AUTO(job_pair_done)
    struct job_pair pair = { .runs = { profile_of(100), profile_of(50) } };
    struct err err = { 0 };
    job_pair_floor(&pair, 0.1);
    assert_int_equal(job_pair_floor_alike(&pair, alike, 2, &err), -EINVAL);
    assert_string_equal(err.text, "2 runs are not in 3..1000");
    assert_int_equal(pair.alike_count, 0);
    job_pair_compare(&pair);
    assert_int_equal(pair.contrast.count, 1);
    assert_int_equal(job_pair_floor_alike(&pair, alike, COUNT_OF(alike), NULL), 0);
    assert_int_equal(pair.alike_count, 3);
    job_pair_compare(&pair);
    assert_int_equal(pair.contrast.count, 0);
}

static void without_a_class_the_floor_stays(void **state)
{
    (void)state;
    AUTO(job_pair_done)
    struct job_pair pair = { .runs = { profile_of(100), profile_of(50) } };
    job_pair_floor(&pair, 0.1);
    double before = pair.floors[PROFILE_SPEED];
    assert_int_equal(job_pair_floor_class(&pair, NULL), 0);
    assert_true(pair.floors[PROFILE_SPEED] == before);
    assert_null(pair.set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_given_floor_divides_what_differs_from_what_does_not),
        cmocka_unit_test(comparable_runs_measure_the_floor_and_too_few_leave_it),
        cmocka_unit_test(without_a_class_the_floor_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
