/* SPDX-License-Identifier: Apache-2.0 */
/* test_step - the step that times have, if they have one. */
#include "base/cleanup.h"
#include "base/number.h"
#include "base/test/testing.h"
#include "store/series/step.h"

#define MS NS_PER_MS

static void the_step_is_found_or_not(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int64_t distances_ms[8]; /* 0 ends them */
        int64_t step_ms;
    } cases[] = {
        { "even", { 10000, 10000, 10000, 10000 }, 10000 },
        { "jitter is rounded away", { 10020, 9990, 10010, 9985, 10004 }, 10000 },
        { "a gap", { 10000, 10000, 40000, 10000, 10000 }, 10000 },
        { "two gaps of eight",
          { 60000, 5000, 5000, 5000, 5000, 20000, 5000, 5000 },
          5000 },
        { "a quarter of a second", { 250, 250, 250, 250 }, 250 },
        { "no multiple of ten", { 1037, 1037, 1037, 1037 }, 1040 },
        { "a week", { 604800000, 604800000, 604800000 }, 604800000 },
        { "longer than a week", { 604900000, 604900000, 604900000 }, 0 },
        { "two samples", { 10000 }, 0 },
        { "all at random", { 1000, 7000, 300, 90000, 20000, 4500, 61000 }, 0 },
        { "doubling", { 1000, 2000, 4000, 8000, 16000, 32000 }, 0 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        int64_t times[9] = { 1700000000 * NS_PER_S };
        size_t count = 1;
        while (count < COUNT_OF(times) && cases[i].distances_ms[count - 1] > 0) {
            times[count] = times[count - 1] + cases[i].distances_ms[count - 1] * MS;
            count++;
        }
        int64_t step_ns = step_of_times(times, count);
        if (step_ns != cases[i].step_ms * MS)
            fail_msg("%s: %lld ms", cases[i].name, (long long)(step_ns / MS));
    }
}

static void below_a_millisecond_there_is_none(void **state)
{
    (void)state;
    int64_t times[] = { 0, 999999, 1999998, 2999997 };
    assert_int_equal(step_of_times(times, COUNT_OF(times)), 0);
    for (size_t i = 0; i < COUNT_OF(times); i++)
        times[i] = (int64_t)i * MS;
    assert_int_equal(step_of_times(times, COUNT_OF(times)), MS);
    assert_int_equal(step_of_times(times, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_step_is_found_or_not),
        cmocka_unit_test(below_a_millisecond_there_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
