/* SPDX-License-Identifier: Apache-2.0 */
/* test_run_clock - a clock that was set between two runs is noticed. */
#include "act/run_clock.h"
#include "base/cleanup.h"
#include "base/number.h"
#include "base/test/testing.h"

#include <stdio.h>

#define HOUR (3600 * NS_PER_S)

static void a_clock_that_was_set_is_noticed(void **state)
{
    (void)state;
    static const struct {
        const char *what;
        int64_t t_ns, boot_ns; /* later by so much */
        const char *boot;
        bool want;
    } cases[] = {
        { "a minute later", 60 * NS_PER_S, 60 * NS_PER_S, "a", true },
        { "at once", 0, 0, "a", true },
        { "corrected by a time server", 24 * HOUR + 40 * NS_PER_S, 24 * HOUR, "a",
          true },
        { "corrected back", 24 * HOUR - 40 * NS_PER_S, 24 * HOUR, "a", true },
        { "an hour ahead", HOUR + 60 * NS_PER_S, 60 * NS_PER_S, "a", false },
        { "an hour back", 60 * NS_PER_S - HOUR, 60 * NS_PER_S, "a", false },
        { "three seconds ahead", 63 * NS_PER_S, 60 * NS_PER_S, "a", false },
        { "another start", 60 * NS_PER_S, 60 * NS_PER_S, "b", false },
        { "of an older version", 60 * NS_PER_S, 60 * NS_PER_S, "", false },
        { "a start that went back", 60 * NS_PER_S, -60 * NS_PER_S, "a", false },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct run_clock last = { .t_ns = 100 * HOUR,
                                        .boot_ns = HOUR,
                                        .boot = "a" };
        struct run_clock now = { .t_ns = last.t_ns + cases[i].t_ns,
                                 .boot_ns = last.boot_ns + cases[i].boot_ns };
        (void)snprintf(now.boot, sizeof now.boot, "%s", cases[i].boot);
        if (run_clock_is_continuous(&last, &now) != cases[i].want)
            fail_msg("%s", cases[i].what);
    }
}

static void this_machine_goes_on(void **state)
{
    (void)state;
    struct run_clock first, second;
    run_clock_read(&first);
    run_clock_read(&second);
    assert_true(first.boot[0]);
    assert_true(run_clock_is_continuous(&first, &second));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_clock_that_was_set_is_noticed),
        cmocka_unit_test(this_machine_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
