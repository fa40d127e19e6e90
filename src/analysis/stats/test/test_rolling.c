/* SPDX-License-Identifier: Apache-2.0 */
/* test_rolling - quantiles of a window that moves, held against sorting. */
#include "analysis/stats/rolling.h"
#include "analysis/stats/statistics.h"
#include "base/test/testing.h"

#include <errno.h>
#include <math.h>

#define STEPS 3000

/* A sequence of its own, so that a failure comes again. */
static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

/* The latest of all values that a window holds, by looking at each. */
static size_t window_gather(const int64_t *times, const double *values, size_t count,
                            size_t capacity, int64_t window_ns, double *ret)
{
    size_t found = 0;
    for (size_t i = count; i-- > 0 && found < capacity;)
        if (!isnan(values[i]) &&
            (window_ns == 0 || times[count - 1] - times[i] <= window_ns))
            ret[found++] = values[i];
    return numbers_sort(ret, found);
}

static void a_window_says_what_sorting_it_says(void **state)
{
    (void)state;
    static const struct {
        size_t capacity;
        int64_t window_ns;
        unsigned kinds; /* of values: few make many equal */
    } cases[] = {
        { 1, 0, 10 }, { 7, 0, 3 },       { 64, 50, 1000000 }, { 500, 300, 5 },
        { 64, 1, 2 }, { 1000, 0, 1000 }, { 31, 1000000, 17 },
    };
    static int64_t times[STEPS];
    static double values[STEPS], sorted[STEPS];
    uint64_t random = 4;
    for (size_t c = 0; c < COUNT_OF(cases); c++) {
        AUTO(rolling_free) struct rolling *r = NULL;
        int64_t t = 0;
        assert_int_equal(rolling_new(cases[c].capacity, cases[c].window_ns, &r), 0);
        for (size_t i = 0; i < STEPS; i++) {
            t += (int64_t)(next_random(&random) % 3);
            times[i] = t;
            values[i] = next_random(&random) % 20 == 0
                            ? NAN
                            : (double)(next_random(&random) % cases[c].kinds) - 1.5;
            assert_int_equal(rolling_put(r, t, values[i]), 0);
            size_t count = window_gather(times, values, i + 1, cases[c].capacity,
                                         cases[c].window_ns, sorted);
            bool is_same = rolling_count(r) == count;
            for (double q = 0; q <= 1 && is_same && count > 0; q += 0.25)
                is_same = rolling_quantile(r, q) == quantile(sorted, count, q);
            if (!is_same)
                fail_msg("case %zu, step %zu: %zu values, not %zu, or other quantiles",
                         c, i, rolling_count(r), count);
        }
    }
}

static void an_empty_window_has_no_quantiles(void **state)
{
    (void)state;
    AUTO(rolling_free) struct rolling *r = NULL;
    assert_int_equal(rolling_new(4, 10, &r), 0);
    assert_true(isnan(rolling_quantile(r, 0.5)));
    assert_int_equal(rolling_put(r, 5, 1), 0);
    assert_int_equal(rolling_put(r, 100, NAN), 0); /* time alone takes it out */
    assert_int_equal(rolling_count(r), 0);
}

static void time_does_not_go_back(void **state)
{
    (void)state;
    AUTO(rolling_free) struct rolling *r = NULL;
    assert_int_equal(rolling_new(2, 0, &r), 0);
    assert_int_equal(rolling_put(r, INT64_MIN, 3), 0);
    assert_int_equal(rolling_put(r, INT64_MAX, 1), 0);
    assert_int_equal(rolling_put(r, 0, 2), -EINVAL);
    assert_int_equal(rolling_count(r), 2);
    assert_int_equal(rolling_put(r, INT64_MAX, 5), 0);
    assert_int_equal(rolling_crowded(r), 1);
    assert_true(rolling_quantile(r, 0) == 1);
}

static void sizes_that_cannot_be_are_refused(void **state)
{
    (void)state;
    struct rolling *r = NULL;
    assert_int_equal(rolling_new(0, 0, &r), -EINVAL);
    assert_int_equal(rolling_new(ROLLING_CAPACITY_MAX + 1, 0, &r), -EINVAL);
    assert_int_equal(rolling_new(1, -1, &r), -EINVAL);
    assert_null(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_window_says_what_sorting_it_says),
        cmocka_unit_test(an_empty_window_has_no_quantiles),
        cmocka_unit_test(time_does_not_go_back),
        cmocka_unit_test(sizes_that_cannot_be_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
