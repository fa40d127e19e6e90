/* SPDX-License-Identifier: Apache-2.0 */
/* test_backoff - pauses double up to a limit, and servers may ask for longer ones. */
#include "agent/send/backoff.h"
#include "base/cleanup.h"
#include "base/number.h"
#include "base/test/testing.h"

static void pauses_double_up_to_the_limit(void **state)
{
    (void)state;
    struct backoff backoff = { .max_ns = 10 * NS_PER_S };
    static const int64_t want_s[] = { 1, 2, 4, 8, 10, 10 };
    for (size_t i = 0; i < COUNT_OF(want_s); i++) {
        int64_t ns = backoff_next(&backoff, 0, -1);
        assert_int_equal(ns, want_s[i] * NS_PER_S / 2); /* the least */
    }
    backoff_reset(&backoff);
    assert_int_equal(backoff_next(&backoff, 0, -1), NS_PER_S / 2);
}

static void a_pause_lies_between_half_and_all_of_it(void **state)
{
    (void)state;
    for (uint32_t random = 0; random < 5000; random += 7) {
        struct backoff backoff = { .max_ns = 60 * NS_PER_S, .pause_ns = 4 * NS_PER_S };
        int64_t ns = backoff_next(&backoff, random, -1);
        assert_in_range(ns, 4 * NS_PER_S, 8 * NS_PER_S - 1);
    }
    struct backoff low = { .max_ns = NS_PER_S }, high = low;
    assert_true(backoff_next(&low, 0, -1) < backoff_next(&high, 999, -1));
}

static void what_the_server_asks_for_is_obeyed_up_to_an_hour(void **state)
{
    (void)state;
    static const struct {
        int64_t retry_after_s, want_ns;
    } cases[] = {
        { -1, NS_PER_S / 2 },        { 0, NS_PER_S / 2 },
        { 30, 30 * NS_PER_S },       { 3600, 3600 * NS_PER_S },
        { 3601, NS_PER_S / 2 },      { INT64_MAX, NS_PER_S / 2 },
        { INT64_MIN, NS_PER_S / 2 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct backoff backoff = { .max_ns = 60 * NS_PER_S };
        assert_int_equal(backoff_next(&backoff, 0, cases[i].retry_after_s),
                         cases[i].want_ns);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pauses_double_up_to_the_limit),
        cmocka_unit_test(a_pause_lies_between_half_and_all_of_it),
        cmocka_unit_test(what_the_server_asks_for_is_obeyed_up_to_an_hour),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
