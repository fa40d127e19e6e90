/* SPDX-License-Identifier: Apache-2.0 */
/* test_job_climate - pairs of alike runs, and how values are said. */
#include "analysis/climate/climate.h"
#include "analysis/job/job.h"
#include "analysis/stats/stats.h"
#include "analysis/table/table.h"
#include "base/test/testing.h"

#include <math.h>

static void pairs_are_counted_as_if_one_by_one(void **state)
{
    (void)state;
    enum { MOST = 40 };
    double values[MOST];
    uint64_t random = 9;
    for (size_t round = 0; round < 400; round++) {
        size_t count = round % MOST;
        for (size_t i = 0; i < count; i++) {
            random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
            values[i] = (double)((random >> 33) % (3 + round / 10));
        }
        count = numbers_sort(values, count);
        double distance = (double)(round % 7);
        struct percentile wanted = { 0 };
        for (size_t i = 0; i < count; i++)
            for (size_t j = 0; j < i; j++) {
                wanted.count++;
                wanted.below += values[i] - values[j] < distance;
                wanted.equal += values[i] - values[j] == distance;
            }
        struct percentile got = pairs_percentile(values, count, distance);
        if (got.count != wanted.count || got.below != wanted.below ||
            got.equal != wanted.equal)
            fail_msg(
                "round %zu: %zu below and %zu equal of %zu, not %zu and %zu of %zu",
                round, got.below, got.equal, got.count, wanted.below, wanted.equal,
                wanted.count);
    }
}

static void so_many_pairs_keep_within_a_distance(void **state)
{
    (void)state;
    enum { MOST = 40 };
    double values[MOST];
    uint64_t random = 10;
    for (size_t round = 0; round < 200; round++) {
        size_t count = 2 + round % (MOST - 2);
        for (size_t i = 0; i < count; i++) {
            random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
            values[i] = (double)((random >> 33) % (3 + round));
        }
        count = numbers_sort(values, count);
        double range = values[count - 1] - values[0];
        double apart = pairs_apart(values, count, 0.9);
        struct percentile within =
            pairs_percentile(values, count, apart + range * 2e-9);
        struct percentile below = pairs_percentile(values, count, apart - range * 2e-9);
        if ((double)(within.below + within.equal) < 0.9 * (double)within.count ||
            (apart > 0 &&
             (double)(below.below + below.equal) >= 0.9 * (double)below.count))
            fail_msg("round %zu: %g is not what 90 of 100 keep within", round, apart);
    }
    assert_true(isnan(pairs_apart(values, 1, 0.9)));
}

static void values_have_their_units(void **state)
{
    (void)state;
    static const struct {
        const char *unit;
        double value;
        const char *text;
    } cases[] = {
        { "bytes/s", 3.25 * 1024 * 1024, "3.25 MiB/s" },
        { "bytes", 1024, "1.00 KiB" },
        { "%", 78.24, "78.24 %" },
        { "", 0.4375, "0.4375" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char text[40];
        climate_value_print(text, sizeof text, cases[i].unit, cases[i].value);
        if (strcmp(text, cases[i].text) != 0)
            fail_msg("%g %s: '%s'", cases[i].value, cases[i].unit, text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_counted_as_if_one_by_one),
        cmocka_unit_test(so_many_pairs_keep_within_a_distance),
        cmocka_unit_test(values_have_their_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
