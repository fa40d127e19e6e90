/* SPDX-License-Identifier: Apache-2.0 */
/* test_name_patterns - which metrics are meant. */
#include "base/span.h"
#include "migrate/name_patterns.h"

#include "base/test/testing.h"
#include "store/store.h"

static void a_name_matches_one_of_the_patterns(void **state)
{
    static const struct {
        const char *name, *patterns;
        bool want;
    } cases[] = {
        { "cpu_load", "*", true },
        { "cpu_load", "cpu_*", true },
        { "cpu_load", "flops,cpu_*", true },
        { "cpu_load", "flops,mem_bw", false },
        { "cpu_load", "cpu", false },
        { "cpu_load", "", false },
        { "cpu_load", ",,cpu_load,", true },
        { "cpu_load", "cpu_loa?", true },
        { "cpu_load", "[a-c]pu*", true },
        { "", "", false },
        { "", "*", true },
        { "", ",", false },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        if (name_patterns_match(span_of(cases[i].name), cases[i].patterns) !=
            cases[i].want)
            fail_msg("'%s' of '%s'", cases[i].name, cases[i].patterns);
}

static void a_pattern_that_is_too_long_matches_nothing(void **state)
{
    char patterns[METRIC_NAME_MAX + 8];
    (void)state;
    memset(patterns, '*', sizeof patterns);
    patterns[METRIC_NAME_MAX] = '\0';
    assert_true(name_patterns_match(SPAN("x"), patterns));
    patterns[METRIC_NAME_MAX] = '*';
    patterns[METRIC_NAME_MAX + 1] = '\0';
    assert_false(name_patterns_match(SPAN("x"), patterns));
    memcpy(patterns + METRIC_NAME_MAX + 1, ",x", 3);
    assert_true(name_patterns_match(SPAN("x"), patterns));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_matches_one_of_the_patterns),
        cmocka_unit_test(a_pattern_that_is_too_long_matches_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
