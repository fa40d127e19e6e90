/* SPDX-License-Identifier: Apache-2.0 */
/* test_usage_text - what one job was given and what it used, in sentences. */
#include "base/cleanup.h"
#include "base/number.h"
#include "base/test/testing.h"
#include "report/usage/usage.h"

#define H (3600 * NS_PER_S)

static void text_is(const struct job_resources *r, uint64_t nodes, int64_t end_ns,
                    const char *want)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    usage_print(r, nodes, 10 * H, end_ns, &out);
    assert_string_equal(strbuf_text(&out), want);
}

static void all_that_is_known_is_said_once(void **state)
{
    (void)state;
    struct job_resources r = { 0 };
    (void)job_resource_set(&r, JOB_TIME_LIMIT_S, 7200);
    (void)job_resource_set(&r, JOB_CPUS, 8);
    (void)job_resource_set(&r, JOB_MEMORY_BYTES, INT64_C(16) << 30);
    (void)job_resource_set(&r, JOB_GPUS, 0);
    (void)job_resource_set(&r, JOB_CPU_TIME_MS, 8 * 1800000);
    (void)job_resource_set(&r, JOB_MEMORY_PEAK_BYTES, INT64_C(4) << 30);
    (void)job_resource_set(&r, JOB_TASK_MEMORY_PEAK_BYTES, INT64_C(1) << 30);
    (void)job_resource_set(&r, JOB_ENERGY_J, 5400000);
    (void)job_resource_set(&r, JOB_EXIT_STATUS, 3);
    (void)job_resource_set(&r, JOB_EXIT_SIGNAL, 0);
    text_is(&r, 2, 11 * H,
            "It was given 2 nodes, 8 CPUs, 16.0 GiB of memory, no GPU and 2 h at "
            "most.\nIt used 50 % of its CPU time, at most 4.00 GiB of memory (25 %), "
            "50 % of its time limit and 1.5 kWh.\nIts exit status was 3.\n");
}

static void what_is_not_known_has_no_word(void **state)
{
    (void)state;
    struct job_resources r = { 0 };
    text_is(&r, 2, 11 * H, "");
    (void)job_resource_set(&r, JOB_CPUS, 1);
    text_is(&r, 0, 11 * H, "It was given 1 CPU.\n");
    (void)job_resource_set(&r, JOB_TASK_MEMORY_PEAK_BYTES, 1 << 20);
    text_is(&r, 1, 11 * H,
            "It was given 1 node and 1 CPU.\n"
            "It used 1.00 MiB of memory in its largest process.\n");
}

static void a_signal_goes_before_a_status_and_success_is_silent(void **state)
{
    (void)state;
    struct job_resources r = { 0 };
    (void)job_resource_set(&r, JOB_EXIT_STATUS, 0);
    (void)job_resource_set(&r, JOB_EXIT_SIGNAL, 0);
    text_is(&r, 0, 11 * H, "");
    (void)job_resource_set(&r, JOB_EXIT_STATUS, 1);
    (void)job_resource_set(&r, JOB_EXIT_SIGNAL, 9);
    text_is(&r, 0, 11 * H, "Signal 9 ended it.\n");
    (void)job_resource_set(&r, JOB_EXIT_STATUS, 0);
    (void)job_resource_set(&r, JOB_EXIT_SIGNAL, 125);
    text_is(&r, 0, 11 * H, "");
}

static void of_a_run_that_goes_on_nothing_was_used_yet(void **state)
{
    (void)state;
    struct job_resources r = { 0 };
    (void)job_resource_set(&r, JOB_CPUS, 4);
    (void)job_resource_set(&r, JOB_CPU_TIME_MS, 5);
    text_is(&r, 0, JOB_TIME_NONE, "It was given 4 CPUs.\n");
    text_is(&r, 0, 9 * H, "It was given 4 CPUs.\n");
}

static void the_longest_limit_fits(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct job_resources r = { 0 };
    for (enum job_resource i = 0; i < JOB_RESOURCE_COUNT; i++)
        (void)job_resource_set(&r, i, JOB_RESOURCE_MAX);
    usage_print(&r, JOB_NODES_MAX, 1, 2, &out);
    assert_int_equal(strbuf_error(&out), 0);
    assert_non_null(strstr(strbuf_text(&out), "It was given 4294967296 nodes"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_that_is_known_is_said_once),
        cmocka_unit_test(what_is_not_known_has_no_word),
        cmocka_unit_test(a_signal_goes_before_a_status_and_success_is_silent),
        cmocka_unit_test(of_a_run_that_goes_on_nothing_was_used_yet),
        cmocka_unit_test(the_longest_limit_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
