/* SPDX-License-Identifier: Apache-2.0 */
/* time_range - windows out of parameters, texts that fit, and whose parameters are
 * whose. */
#include "api/params.h"
#include "api/time_range.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"

static int param(struct time_range *range, const char *name, const char *value)
{
    return time_range_param(range, span_of(name), span_of(value));
}

static void only_its_three_parameters_are_read(void **state)
{
    (void)state;
    struct time_range range = time_range_of_last(NS_PER_S);
    assert_int_equal(param(&range, "from", "@100"), 1);
    assert_int_equal(param(&range, "to", "@200"), 1);
    assert_int_equal(param(&range, "last", "5m"), 1);
    assert_int_equal(param(&range, "limit", "5m"), 0);
    assert_true(range.from_ns == 100 * NS_PER_S && range.to_ns == 200 * NS_PER_S);
    assert_true(range.last_ns == 300 * NS_PER_S);
}

static void the_length_counts_where_no_beginning_came(void **state)
{
    (void)state;
    struct err err = { 0 };
    struct time_range range = time_range_of_last(7 * NS_PER_S);
    int64_t now_ns = clock_now_ns();
    assert_int_equal(time_range_finish(&range, &err), 0);
    assert_true(range.to_ns <= now_ns && now_ns - range.to_ns < 60 * NS_PER_S);
    assert_true(range.from_ns == range.to_ns - 7 * NS_PER_S);

    range = time_range_of_last(7 * NS_PER_S);
    assert_int_equal(param(&range, "to", "@3"), 1);
    assert_int_equal(time_range_finish(&range, &err), 0);
    assert_true(range.from_ns == 0);

    range = time_range_of_last(7 * NS_PER_S);
    assert_int_equal(param(&range, "from", "@100"), 1);
    assert_int_equal(param(&range, "to", "@200"), 1);
    assert_int_equal(time_range_finish(&range, &err), 0);
    assert_true(range.from_ns == 100 * NS_PER_S);
}

static void what_is_no_window_is_refused(void **state)
{
    (void)state;
    struct err err = { 0 };
    struct time_range range = time_range_of_last(NS_PER_S);
    static const char *const bad[][2] = {
        { "from", "yesterday" }, { "to", "" },     { "last", "0s" },
        { "last", "-5m" },       { "last", "10" },
    };
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        if (param(&range, bad[i][0], bad[i][1]) != -EINVAL)
            fail_msg("%s=%s is accepted", bad[i][0], bad[i][1]);

    range = time_range_of_last(NS_PER_S);
    assert_int_equal(param(&range, "from", "@200"), 1);
    assert_int_equal(param(&range, "to", "@200"), 1);
    assert_int_equal(time_range_finish(&range, &err), -EINVAL);
    assert_string_equal(err.text, "from: is not before to");
}

static void a_text_fits_or_is_refused(void **state)
{
    (void)state;
    char text[4] = "old";
    assert_int_equal(api_params_text(span_of(""), text, sizeof text), -EINVAL);
    assert_int_equal(api_params_text(span_of("four"), text, sizeof text), -EINVAL);
    assert_int_equal(api_params_text((struct span){ "a\0b", 3 }, text, sizeof text),
                     -EINVAL);
    assert_string_equal(text, "old");
    assert_int_equal(api_params_text(span_of("new"), text, sizeof text), 0);
    assert_string_equal(text, "new");
}

/* A bit that two routes share makes one accept the other's parameters. */
static void a_route_has_only_its_own_parameters(void **state)
{
    (void)state;
    assert_true(api_params_have(PARAM_NEXT, span_of("next")));
    assert_true(api_params_have(PARAM_WEATHER, span_of("against")));
    assert_false(api_params_have(PARAM_WEATHER, span_of("next")));
    assert_false(api_params_have(PARAM_NEXT, span_of("against")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_its_three_parameters_are_read),
        cmocka_unit_test(the_length_counts_where_no_beginning_came),
        cmocka_unit_test(what_is_no_window_is_refused),
        cmocka_unit_test(a_text_fits_or_is_refused),
        cmocka_unit_test(a_route_has_only_its_own_parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
