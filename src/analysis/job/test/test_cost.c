/* SPDX-License-Identifier: Apache-2.0 */
/* test_cost - intervals of seconds, in order and in words. */
#include "analysis/job/cost.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static void an_interval_is_ordered_and_never_below_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double a, b, low, high;
        enum cost_reason reason;
    } cases[] = {
        { "in order", 1, 2, 1, 2, COST_SHARED },
        { "the other way", 2, 1, 1, 2, COST_SHARED },
        { "one end below nothing", -1, 2, 0, 2, COST_SHARED },
        { "both ends below nothing", -2, -1, 0, 0, COST_EXACT },
        { "both ends the same", 3, 3, 3, 3, COST_EXACT },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct cost c = cost_between(cases[i].a, cases[i].b, COST_SHARED);
        if (c.low_s != cases[i].low || c.high_s != cases[i].high ||
            c.reason != cases[i].reason)
            fail_msg("%s: %g to %g", cases[i].name, c.low_s, c.high_s);
    }
    struct cost unknown = cost_between(NAN, 1, COST_SHARED);
    assert_false(cost_is_known(&unknown));
    assert_true(cost_middle(&unknown) < 0);
}

static void seconds_are_said_as_exactly_as_they_matter(void **state)
{
    (void)state;
    static const struct {
        double low, high;
        const char *want;
    } cases[] = {
        { 38, 44, "38 to 44 s" },       { 41.2, 41.4, "41 s" },
        { 0, 41, "at most 41 s" },      { 0.3, 41, "at most 41 s" },
        { 0.5, 41, "0 to 41 s" }, /* more than a hundredth, and yet nothing */
        { 1.25, 1.44, "1.2 to 1.4 s" }, { 0.123, 0.456, "0.12 to 0.46 s" },
        { 0.012, 0.012, "0.012 s" },    { 0, 0, "0 s" },
        { 0.0001, 0.0002, "0 s" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        struct cost c = cost_between(cases[i].low, cases[i].high, COST_SHARED);
        cost_print(&c, &out);
        assert_string_equal(strbuf_text(&out), cases[i].want);
    }
}

static void every_reason_has_a_name(void **state)
{
    (void)state;
    for (enum cost_reason r = COST_UNKNOWN; r < COST_REASONS; r++) {
        assert_non_null(cost_reason_name(r));
        assert_non_null(cost_reason_words(r));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_interval_is_ordered_and_never_below_nothing),
        cmocka_unit_test(seconds_are_said_as_exactly_as_they_matter),
        cmocka_unit_test(every_reason_has_a_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
