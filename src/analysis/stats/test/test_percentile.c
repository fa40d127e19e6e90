/* SPDX-License-Identifier: Apache-2.0 */
/* test_percentile - where a value lies among others, in numbers and in words. */
#include "analysis/stats/percentile.h"
#include "base/test/testing.h"

#include <math.h>

static void a_value_stands_among_others(void **state)
{
    (void)state;
    static const double others[] = { 1, 2, 2, 2, 3, 4, 5, 6, 7, 8 };
    static const struct {
        size_t count;
        double value;
        double share, chance; /* NaN: not to be reported */
        const char *words;
    } cases[] = {
        { 10, 9, 1, 2 / 11.0, "more than in all 10 runs" },
        { 10, 0, 0, 2 / 11.0, "less than in all 10 runs" },
        { 10, 2, 0.25, 10 / 11.0, "less than in 6 of 10 runs" },
        { 10, 7.5, 0.9, 4 / 11.0, "more than in 9 of 10 runs" },
        { 4, 2, 0.625, NAN, "as in 3 of 4 runs" },
        { 0, 2, NAN, NAN, "there are no runs to hold it against" },
        { 10, NAN, NAN, NAN, "there are no runs to hold it against" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf words = STRBUF_INIT;
        struct percentile s = percentile_of(others, cases[i].count, cases[i].value);
        double share = percentile_share(&s);
        double chance = percentile_chance(&s);
        percentile_print(&s, "runs", &words);
        if (!(share == cases[i].share || (isnan(share) && isnan(cases[i].share))) ||
            !(fabs(chance - cases[i].chance) < 1e-12 ||
              (isnan(chance) && isnan(cases[i].chance))) ||
            strcmp(strbuf_text(&words), cases[i].words) != 0)
            fail_msg("%g among %zu: %g, %g, '%s'", cases[i].value, cases[i].count,
                     share, chance, strbuf_text(&words));
    }
}

static void of_many_it_is_said_in_a_hundred(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf words = STRBUF_INIT;
    double others[250];
    for (size_t i = 0; i < COUNT_OF(others); i++)
        others[i] = (double)i;
    struct percentile s =
        percentile_of(others, COUNT_OF(others), 234.5); /* 235 of 250 */
    percentile_print(&s, "runs of this class", &words);
    assert_string_equal(strbuf_text(&words),
                        "more than in 94 of 100 runs of this class");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_value_stands_among_others),
        cmocka_unit_test(of_many_it_is_said_in_a_hundred),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
