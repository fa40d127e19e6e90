/* SPDX-License-Identifier: Apache-2.0 */
/* test_pace - peers that move bytes, stop, and trickle. */
#include "base/test/testing.h"
#include "net/pace.h"

#define S INT64_C(1000000000)

static const struct pace_limit limit = { .allowance_ns = 20 * S, .rate_min = 1000 };

/* When it is found slow, looked at twice a second; -1: never within an hour. */
static int64_t find_end(uint64_t bytes_at_once, uint64_t bytes_a_second)
{
    struct pace pace = { 0 };
    for (int64_t at = 1; at < 7200; at++) {
        uint64_t bytes = bytes_at_once + (uint64_t)at * bytes_a_second / 2;
        if (!pace_is_kept(&pace, &limit, 5 * S, 5 * S + at * S / 2, bytes, PACE_THEIRS))
            return at / 2;
    }
    return -1;
}

static void what_was_moved_long_ago_earns_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint64_t at_once, a_second;
        int64_t want_s;
    } cases[] = {
        { "nothing at all", 0, 0, 20 },
        { "much at once, then nothing", UINT64_C(32) << 20, 0, 20 },
        { "as fast as it must", 0, 1000, -1 },
        { "a little faster", 0, 1100, -1 },
        { "half as fast as it must", 0, 500, 40 },
        { "much at once, then half as fast", UINT64_C(1) << 30, 500, 40 },
        { "a byte now and then", 0, 1, 20 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int64_t got = find_end(cases[i].at_once, cases[i].a_second);
        if (got < cases[i].want_s - (cases[i].want_s > 0) || got > cases[i].want_s + 1)
            fail_msg("%s: slow after %lld s, not %lld", cases[i].name, (long long)got,
                     (long long)cases[i].want_s);
    }
}

static void time_that_was_ours_costs_nothing(void **state)
{
    (void)state;
    struct pace pace = { 0 };
    assert_true(pace_is_kept(&pace, &limit, S, 11 * S, 0, PACE_THEIRS));
    assert_true(pace_is_kept(&pace, &limit, S, 900 * S, 0, PACE_OURS));
    assert_true(pace_is_kept(&pace, &limit, S, 909 * S, 0, PACE_THEIRS));
    assert_false(pace_is_kept(&pace, &limit, S, 912 * S, 0, PACE_THEIRS));
}

static void another_phase_begins_anew(void **state)
{
    (void)state;
    struct pace pace = { 0 };
    assert_true(pace_is_kept(&pace, &limit, S, 20 * S, 5000000, PACE_THEIRS));
    assert_true(pace_is_kept(&pace, &limit, 100 * S, 119 * S, 0, PACE_THEIRS));
    assert_false(pace_is_kept(&pace, &limit, 100 * S, 121 * S, 0, PACE_THEIRS));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_moved_long_ago_earns_nothing),
        cmocka_unit_test(time_that_was_ours_costs_nothing),
        cmocka_unit_test(another_phase_begins_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
