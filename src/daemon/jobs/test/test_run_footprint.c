/* SPDX-License-Identifier: Apache-2.0 */
/* test_run_footprint - which metrics footprints are of. */
#include "base/span.h"
#include "base/test/testing.h"
#include "daemon/jobs/footprint_worker.h"

static void metrics_are_named_matched_or_known(void **state)
{
    (void)state;
    static const struct {
        const char *metric, *patterns;
        bool want;
    } cases[] = {
        { "cpu_load", "known", true },
        { "my_metric", "known", false },
        { "app_steps_per_s", "known", true },
        { "job_mem_used", "known", true },
        { "job_mem_used", "cpu_load", false },
        { "my_metric", "known,my_*", true },
        { "cpu_load", "my_*,known", true },
        { "my_metric", "*", true },
        { "cpu_load", "mem_used", false },
        { "mem_used", "cpu_load,mem_used", true },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        if (run_footprint_is_wanted(span_of(cases[i].metric),
                                    span_of(cases[i].patterns)) != cases[i].want)
            fail_msg("%s of %s", cases[i].metric, cases[i].patterns);
}

static void what_the_store_forgot_is_passed_over(void **state)
{
    (void)state;
    assert_int_equal(footprint_oldest_ns(10, 100), 90);
    assert_int_equal(footprint_oldest_ns(1000, 100), 0);
    assert_int_equal(footprint_oldest_ns(0, FOOTPRINT_LONGEST_NS + 7), 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(metrics_are_named_matched_or_known),
        cmocka_unit_test(what_the_store_forgot_is_passed_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
