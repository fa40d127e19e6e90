/* SPDX-License-Identifier: Apache-2.0 */
/* test_change_points - where series change, of which the truth is known. */
#include "analysis/stats/change_points.h"
#include "analysis/stats/statistics.h"
#include "base/cleanup.h"
#include "base/test/testing.h"

#include <math.h>
#include <stdint.h>

#define COLUMNS 120
#define SEEDS 400

static double next_normal(uint64_t *state)
{
    double uniform[2];
    for (size_t i = 0; i < 2; i++) {
        *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uniform[i] = ((double)(*state >> 33) + 1) / 2147483649.0;
    }
    return sqrt(-2 * log(uniform[0])) * cos(6.283185307179586 * uniform[1]);
}

static double ones[COLUMNS];

/* Series in units of noise, of which one steps by so much from the middle on. */
static int starts_find(uint64_t seed, size_t series_count, double step, size_t *starts)
{
    static double values[8][COLUMNS];
    struct change_series series[8];
    uint64_t state = seed;
    for (size_t c = 0; c < COLUMNS; c++)
        ones[c] = 1;
    for (size_t i = 0; i < series_count; i++) {
        for (size_t c = 0; c < COLUMNS; c++)
            values[i][c] =
                next_normal(&state) + (i == 0 && c >= COLUMNS / 2 ? step : 0);
        series[i] = (struct change_series){ values[i], ones };
    }
    return change_points_find(series, series_count, COLUMNS, 4, starts);
}

static void noise_has_no_change(void **state)
{
    (void)state;
    size_t starts[COLUMNS];
    int wrong = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        wrong += starts_find(seed, 1 + seed % 8, 0, starts) != 1;
    assert_true(wrong <= SEEDS / 100);
}

static void a_step_is_found_where_it_is(void **state)
{
    (void)state;
    size_t starts[COLUMNS];
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        assert_int_equal(starts_find(seed, 1 + seed % 8, 5, starts), 2);
        assert_in_range(starts[1], COLUMNS / 2 - 1, COLUMNS / 2 + 1);
    }
}

static void what_is_too_short_or_empty_is_one(void **state)
{
    (void)state;
    const double values[8] = { 0, 0, 0, 0, 100, 100, 100, 100 };
    const double nothing[8] = { NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN };
    const double noise[8] = { 1, 1, 1, 1, 1, 1, 1, 1 };
    const struct change_series series[] = { { values, noise } };
    const struct change_series none[] = { { nothing, noise } };
    size_t starts[8] = { 7 };
    assert_int_equal(change_points_find(series, 1, 7, 4, starts), 1);
    assert_int_equal(starts[0], 0);
    assert_int_equal(change_points_find(series, 1, 8, 4, starts), 2);
    assert_int_equal(starts[1], 4);
    assert_int_equal(change_points_find(series, 0, 8, 4, starts), 1);
    assert_int_equal(change_points_find(series, 1, 0, 4, starts), 1);
    assert_int_equal(change_points_find(series, 1, 8, 0, starts), 1);
    assert_int_equal(change_points_find(none, 1, 8, 4, starts), 1);
    assert_int_equal(change_points_find(series, 1, CHANGE_COLUMNS_MAX + 1, 4, starts),
                     1);
}

static void missing_values_are_no_level(void **state)
{
    (void)state;
    double values[COLUMNS];
    const struct change_series series[] = { { values, ones } };
    size_t starts[COLUMNS];
    uint64_t seed = 3;
    for (size_t c = 0; c < COLUMNS; c++)
        values[c] = c % 3 == 0 ? NAN : next_normal(&seed) + (c >= 80 ? 6 : 0);
    assert_int_equal(change_points_find(series, 1, COLUMNS, 4, starts), 2);
    assert_in_range(starts[1], 78, 81);
}

static void noise_is_not_of_levels(void **state)
{
    (void)state;
    double values[COLUMNS], noise[COLUMNS];
    double low = 0, high = 0;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        uint64_t random = seed;
        for (size_t c = 0; c < COLUMNS; c++)
            values[c] =
                c < 60 ? next_normal(&random) : 1000 + 30 * next_normal(&random);
        change_noise(values, COLUMNS, 0, noise);
        low += noise[30] / 50;
        high += noise[90] / 50;
    }
    assert_true(low > 0.8 && low < 1.25);
    assert_true(high > 24 && high < 37);
    for (size_t c = 0; c < COLUMNS; c++)
        values[c] = c < 60 ? 5 : 9;
    change_noise(values, COLUMNS, 0.25, noise);
    for (size_t c = 0; c < COLUMNS; c++)
        assert_true(noise[c] == 0.25);
    change_noise(values, 2, 0.5, noise);
    assert_true(noise[0] == 0.5 && noise[1] == 0.5);
}

static void a_value_that_stands_alone_is_smoothed_away(void **state)
{
    (void)state;
    const double values[] = { 1, 1, 90, 1, 1, 8, 8, 8, NAN, 8, 3 };
    const double want[] = { 1, 1, 1, 1, 1, 8, 8, 8, NAN, 8, 3 };
    double got[COUNT_OF(values)];
    change_smooth(values, COUNT_OF(values), got);
    for (size_t i = 0; i < COUNT_OF(values); i++)
        assert_true(isnan(want[i]) ? isnan(got[i]) : got[i] == want[i]);
}

static void a_median_is_that_of_sorting(void **state)
{
    (void)state;
    double values[90], sorted[90];
    uint64_t seed = 1;
    for (size_t round = 0; round < 3000; round++) {
        size_t count = round % COUNT_OF(values);
        for (size_t i = 0; i < count; i++)
            values[i] = sorted[i] =
                round % 3 == 0 ? floor(2 * next_normal(&seed)) : next_normal(&seed);
        double want = quantile(sorted, numbers_sort(sorted, count), 0.5);
        double got = numbers_median(values, count);
        assert_true(count == 0 ? isnan(got) : fabs(got - want) < 1e-12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noise_has_no_change),
        cmocka_unit_test(a_step_is_found_where_it_is),
        cmocka_unit_test(what_is_too_short_or_empty_is_one),
        cmocka_unit_test(missing_values_are_no_level),
        cmocka_unit_test(noise_is_not_of_levels),
        cmocka_unit_test(a_value_that_stands_alone_is_smoothed_away),
        cmocka_unit_test(a_median_is_that_of_sorting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
