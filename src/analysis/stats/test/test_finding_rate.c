/* SPDX-License-Identifier: Apache-2.0 */
/* test_finding_rate - which measured rate a finding has, and that some have none. */
#include "analysis/stats/stats.h"
#include "base/test/testing.h"

static void a_finding_has_the_rate_of_how_it_was_found(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        bool is_by_climate;
        enum finding_rate_basis want;
    } cases[] = {
        { "contention", true, FINDING_RATE_CLIMATE },
        { "contention", false,
          FINDING_RATE_THRESHOLD }, /* of real runs, before played */
        { "idle-node", false, FINDING_RATE_HEALTHY },
        { "small", false, FINDING_RATE_HEALTHY },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct finding_rate *rate =
            finding_rate_of(cases[i].name, cases[i].is_by_climate);
        assert_non_null(rate);
        assert_int_equal(rate->basis, cases[i].want);
        assert_string_equal(rate->name, cases[i].name);
        assert_true(rate->jobs > 0 && rate->percent >= 0 && rate->percent <= 100);
    }
}

static void what_was_not_measured_has_none(void **state)
{
    (void)state;
    assert_null(finding_rate_of("contention-fabric", false));
    assert_null(finding_rate_of("contention-fabric", true));
    assert_null(finding_rate_of("idle-node", true));
    assert_null(finding_rate_of("", false));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_finding_has_the_rate_of_how_it_was_found),
        cmocka_unit_test(what_was_not_measured_has_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
