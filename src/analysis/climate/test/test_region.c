/* SPDX-License-Identifier: Apache-2.0 */
/* test_region - moving averages and where they cross. */
#include "analysis/climate/climate.h"
#include "base/number.h"
#include "base/test/testing.h"

#include <math.h>

#define DAY (INT64_C(86400) * NS_PER_S)

enum { COUNT = 400 };

/* The rule as it is written down, slowly. */
static double average_at(const int64_t *times, const double *values, int64_t t,
                         int64_t window_ns)
{
    double sum = 0;
    int count = 0;
    for (int i = 0; i < COUNT; i++)
        if (times[i] >= t - window_ns / 2 && times[i] < t + window_ns / 2) {
            sum += values[i];
            count++;
        }
    return sum / count;
}

static void make(int64_t *times, double *values, unsigned seed)
{
    int64_t t = 0;
    for (int i = 0; i < COUNT; i++) {
        seed = seed * 1103515245u + 12345u;
        t += (int64_t)(seed >> 16) % 100000 * NS_PER_S;
        times[i] = t;
        values[i] = (double)((seed >> 8) % 1000) / 1000;
    }
}

static size_t find(const int64_t *times, const double *values, size_t count,
                   struct region *ret)
{
    AUTO(region_work_free) struct region_work *work = NULL;
    const double peak = 1;
    const struct region_values v = {
        .times = times, .values = values, .peaks = &peak, .count = count
    };
    assert_int_equal(region_work_new(1, &work), 0);
    return regions_find(work, &v, 14 * DAY, 49 * DAY, ret);
}

static void averages_are_those_of_the_definition(void **state)
{
    (void)state;
    int64_t times[COUNT];
    double values[COUNT], got[COUNT];
    for (unsigned seed = 1; seed < 20; seed++) {
        make(times, values, seed);
        moving_average(times, values, COUNT, 14 * DAY, got);
        for (int i = 0; i < COUNT; i++)
            if (fabs(got[i] - average_at(times, values, times[i], 14 * DAY)) > 1e-12)
                fail_msg("seed %u, run %d", seed, i);
    }
}

static void regions_lie_between_crossings(void **state)
{
    (void)state;
    int64_t times[COUNT];
    double values[COUNT];
    struct region regions[COUNT];
    for (unsigned seed = 1; seed < 20; seed++) {
        make(times, values, seed);
        size_t count = find(times, values, COUNT, regions);
        assert_true(count > 3);
        for (size_t r = 0; r < count; r++) {
            bool first_above = false;
            assert_true(regions[r].first > 0 && regions[r].end < COUNT);
            assert_true(r == 0 || regions[r].first == regions[r - 1].end);
            for (size_t i = regions[r].first; i < regions[r].end; i++) {
                double near = average_at(times, values, times[i], 14 * DAY);
                double far = average_at(times, values, times[i], 49 * DAY);
                if (fabs(near - far) < 1e-12)
                    continue;
                if (i == regions[r].first)
                    first_above = near > far;
                assert_true((near > far) == first_above);
            }
        }
    }
}

static void equal_averages_are_no_crossing(void **state)
{
    (void)state;
    int64_t times[] = { 0, DAY, 2 * DAY, 3 * DAY };
    double values[] = { 0.1, 0.3, 0.7, 0.9 };
    struct region regions[4];
    assert_int_equal(find(times, values, 4, regions), 0);
    assert_int_equal(find(times, values, 0, regions), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(averages_are_those_of_the_definition),
        cmocka_unit_test(regions_lie_between_crossings),
        cmocka_unit_test(equal_averages_are_no_crossing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
