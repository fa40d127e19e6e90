/* SPDX-License-Identifier: Apache-2.0 */
/* test_step - the distance between samples, where a file does not state it. */
#include "base/cleanup.h"
#include "base/test/testing.h"
#include "source/lmt/step.h"

#include <string.h>

static void the_step_is_the_most_frequent_distance(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int64_t times[8];
        size_t count;
        int64_t want;
    } cases[] = {
        { "no times", { 0 }, 0, 0 },
        { "one time", { 5 }, 1, 0 },
        { "one time that comes twice", { 5, 5 }, 2, 0 },
        { "two times", { 5, 15 }, 2, 10 },
        { "a regular file", { 0, 5, 10, 15 }, 4, 5 },
        { "a file with a gap", { 0, 5, 10, 100, 105 }, 5, 5 },
        { "times in any order", { 15, 0, 10, 5 }, 4, 5 },
        { "times that come twice", { 0, 0, 5, 5, 10, 10 }, 6, 5 },
        /* Defect 13 of doc/tokio-defects.md: the first two times say nothing. */
        { "a gap at the beginning", { 0, 20, 25, 30, 35 }, 5, 5 },
        { "everything at once", { 35, 5, 5, 30, 0, 25, 10 }, 7, 5 },
        { "two distances as frequent as each other", { 0, 3, 10, 13, 20 }, 5, 3 },
        { "one odd sample among many", { 0, 10, 12, 20, 30, 40 }, 6, 10 },
        { "times before 1970", { -20, -10, 0 }, 3, 10 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        int64_t times[8];
        memcpy(times, cases[i].times, sizeof times);
        int64_t step = lmt_step_of(times, cases[i].count);
        if (step != cases[i].want)
            fail_msg("%s: got %lld, want %lld", cases[i].name, (long long)step,
                     (long long)cases[i].want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_step_is_the_most_frequent_distance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
