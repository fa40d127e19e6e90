/* SPDX-License-Identifier: Apache-2.0 */
/* test_log_doubt - run times that are not known, and amounts that cannot be. */
#include "analysis/log/log_doubt.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void a_run_time_of_nothing_is_not_known(void **state)
{
    (void)state;
    static const struct {
        int64_t start_s, end_s, end_ns;
        bool has_ns;
        double want;
    } cases[] = {
        { 1500000000, 1500000060, 0, false, 61 },
        { 1500000000, 1500000060, 0, true, 60 },
        { 1500000000, 1500000000, 500000000, true, 0.5 },
        { 1500000000, 1500000000, 0, true, NAN },
        { 1500000000, 0, 0, false, NAN },
        { 1500000000, 1499999999, 0, false, NAN },
        { 0, 60, 0, false, NAN },
        { INT64_MIN, INT64_MAX, 0, false, NAN },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct darshan_job job = { .start_s = cases[i].start_s,
                                         .end_s = cases[i].end_s,
                                         .end_ns = cases[i].end_ns,
                                         .has_ns = cases[i].has_ns };
        double got = log_run_s(&job);
        if (!(got == cases[i].want || (isnan(got) && isnan(cases[i].want))))
            fail_msg("%zu: %g, not %g", i, got, cases[i].want);
    }
}

static void what_cannot_be_is_doubted(void **state)
{
    (void)state;
    static const struct {
        struct log_amounts amounts;
        const char *want; /* a part of it; NULL: no doubt */
    } cases[] = {
        { { 1e12, 500, 60, 16 }, NULL },
        { { 0, 0, 60, 16 }, NULL },
        { { 1e12, 500, NAN, NAN }, NULL },
        { { 1.4e19, 500, 60, 16 }, "EiB" },
        { { 1e17, 500, 60, 16 }, "TiB/s" },
        { { 1e17, 500, NAN, 16 }, NULL },
        { { 1e9, 1e7, 60, 16 }, "longer than" },
        { { 1e9, INFINITY, NAN, 16 }, "longer than" },
        { { -1, 5, 60, 16 }, "below zero" },
        { { NAN, 5, 60, 16 }, "below zero" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *got = log_doubt(&cases[i].amounts);
        if (!got != !cases[i].want || (got && !strstr(got, cases[i].want)))
            fail_msg("%zu: %s", i, got ? got : "no doubt");
    }
}

static void one_version_wrote_wrong_sizes(void **state)
{
    (void)state;
    struct darshan_metadata metadata[] = { { "h ", " romio=1" },
                                           { "lib_ver", "3.2.0" } };
    const struct darshan_job job = { .metadata = metadata, .metadata_count = 2 };
    assert_true(log_has_wrong_sizes(&job));
    metadata[1].value = " 3.2.0";
    assert_true(log_has_wrong_sizes(&job));
    metadata[1].value = "3.2.1";
    assert_false(log_has_wrong_sizes(&job));
    metadata[1] = (struct darshan_metadata){ "exe", "3.2.0" };
    assert_false(log_has_wrong_sizes(&job));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_time_of_nothing_is_not_known),
        cmocka_unit_test(what_cannot_be_is_doubted),
        cmocka_unit_test(one_version_wrote_wrong_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
