/* SPDX-License-Identifier: Apache-2.0 */
/* test_job_usage - what jobs used of what they were given, and in which order. */
#include "analysis/usage/usage.h"
#include "base/number.h"
#include "base/span.h"
#include "base/strbuf.h"
#include "base/test/testing.h"

#include <math.h>

#define H (3600 * NS_PER_S)
#define NOW (100 * H)
#define GIB INT64_C(1073741824)

/* A run of an hour on 4 CPUs and 8 GiB. */
static struct job run_of(const char *id, int64_t cpu_minutes, int64_t memory_bytes)
{
    struct job job = { .cluster = SPAN("alex"),
                       .id = span_of(id),
                       .user = SPAN("ann"),
                       .state = SPAN("COMPLETED"),
                       .node_count = 1,
                       .submit_ns = 9 * H,
                       .start_ns = 10 * H,
                       .end_ns = 11 * H };
    (void)job_resource_set(&job.resources, JOB_CPUS, 4);
    (void)job_resource_set(&job.resources, JOB_MEMORY_BYTES, 8 * GIB);
    (void)job_resource_set(&job.resources, JOB_TIME_LIMIT_S, 7200);
    (void)job_resource_set(&job.resources, JOB_CPU_TIME_MS, cpu_minutes * 60000);
    (void)job_resource_set(&job.resources, JOB_MEMORY_PEAK_BYTES, memory_bytes);
    return job;
}

static void list_fill(struct job_usage_list *list, const struct job *jobs, size_t count)
{
    job_usage_init(list);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(job_usage_add(list, &jobs[i], NOW), 0);
}

static void one_run_is_its_shares(void **state)
{
    (void)state;
    AUTO(job_usage_done) struct job_usage_list list;
    struct job job = run_of("7", 180, 2 * GIB);
    (void)job_resource_set(&job.resources, JOB_GPUS, 2);
    (void)job_resource_set(&job.resources, JOB_ENERGY_J, 7200000);
    list_fill(&list, &job, 1);
    const struct job_usage *row = &list.rows[0];
    assert_int_equal(list.count, 1);
    assert_string_equal(row->id, "7");
    assert_string_equal(row->state, "COMPLETED");
    assert_float_equal(job_usage_cpu_share(row), 0.75, 1e-9);
    assert_float_equal(row->cpu_hours, 4, 1e-9);
    assert_float_equal(row->memory_share, 0.25, 1e-9);
    assert_float_equal(row->gib_hours_unused, 6, 1e-9);
    assert_float_equal(row->time_share, 0.5, 1e-9);
    assert_float_equal(row->gpu_hours, 2, 1e-9);
    assert_float_equal(row->energy_kwh, 2, 1e-9);
}

static void elements_of_an_array_are_one_row(void **state)
{
    (void)state;
    AUTO(job_usage_done) struct job_usage_list list;
    struct job jobs[] = { run_of("5_1", 240, GIB), run_of("5_2", 120, 4 * GIB),
                          run_of("6_1", 240, GIB), run_of("5_3", 0, GIB) };
    jobs[1].state = SPAN("FAILED");
    jobs[3].state = SPAN("OUT_OF_MEMORY");
    jobs[3].end_ns = 12 * H;
    list_fill(&list, jobs, COUNT_OF(jobs));
    assert_int_equal(list.count, 2);
    const struct job_usage *row = &list.rows[0];
    assert_string_equal(row->id, "5");
    assert_string_equal(row->state, "");
    assert_int_equal(row->runs, 3);
    assert_int_equal(row->failed, 2);
    assert_float_equal(row->cpu_hours, 16, 1e-9);
    assert_float_equal(row->cpu_hours_used, 6, 1e-9);
    assert_float_equal(row->memory_share, 0.5, 1e-9);
    assert_float_equal(row->time_share, 1, 1e-9);
    assert_float_equal(row->hours, 4, 1e-9);
    assert_true(row->end_ns == 12 * H);
    /* One element by itself keeps its number. */
    assert_string_equal(list.rows[1].id, "6_1");
}

static void clusters_and_wishes_keep_rows_apart(void **state)
{
    (void)state;
    AUTO(job_usage_done) struct job_usage_list list;
    struct job jobs[] = { run_of("5_1", 1, GIB), run_of("5_2", 1, GIB),
                          run_of("5_1", 1, GIB) };
    jobs[2].cluster = SPAN("fritz");
    list_fill(&list, jobs, COUNT_OF(jobs));
    assert_int_equal(list.count, 2);
    job_usage_done(&list);
    job_usage_init(&list);
    list.are_tasks_apart = true;
    for (size_t i = 0; i < COUNT_OF(jobs); i++)
        assert_int_equal(job_usage_add(&list, &jobs[i], NOW), 0);
    assert_int_equal(list.count, 3);
}

static void a_requeued_job_is_one_row_of_two_runs(void **state)
{
    (void)state;
    AUTO(job_usage_done) struct job_usage_list list;
    struct job jobs[] = { run_of("7", 60, GIB), run_of("7", 60, GIB) };
    jobs[1].start_ns = 20 * H;
    jobs[1].end_ns = 21 * H;
    list_fill(&list, jobs, COUNT_OF(jobs));
    assert_int_equal(list.count, 1);
    assert_string_equal(list.rows[0].id, "7");
    assert_int_equal(list.rows[0].runs, 2);
}

static void what_is_not_known_is_in_no_share(void **state)
{
    (void)state;
    AUTO(job_usage_done) struct job_usage_list list;
    struct job jobs[] = { run_of("1", 60, GIB), run_of("2", 60, GIB),
                          run_of("3", 60, GIB) };
    jobs[0].resources = (struct job_resources){ 0 };
    jobs[1].end_ns = JOB_TIME_NONE;                    /* it runs */
    jobs[2].start_ns = jobs[2].end_ns = JOB_TIME_NONE; /* it waits */
    list_fill(&list, jobs, COUNT_OF(jobs));
    for (size_t i = 0; i < list.count; i++) {
        assert_true(isnan(job_usage_cpu_share(&list.rows[i])));
        assert_true(isnan(list.rows[i].memory_share));
        assert_true(isnan(list.rows[i].energy_kwh));
    }
    assert_false(list.rows[0].has_gpus);
    assert_true(isnan(list.rows[0].time_share));
    assert_int_equal(list.rows[1].running, 1);
    assert_float_equal(list.rows[1].hours, 90, 1e-9);
    assert_true(list.rows[1].end_ns == JOB_TIME_NONE);
    assert_true(list.rows[2].start_ns == JOB_TIME_NONE);
    assert_float_equal(list.rows[2].hours, 0, 1e-9);
}

static void the_worst_come_first_and_the_unknown_last(void **state)
{
    (void)state;
    static const struct {
        enum job_usage_order order;
        const char *want;
    } cases[] = {
        { JOB_USAGE_BY_CPU, "idle big good unknown" },
        { JOB_USAGE_BY_MEMORY, "big good idle unknown" },
        { JOB_USAGE_BY_TIME, "good idle big unknown" },
        { JOB_USAGE_BY_ENERGY, "good unknown big idle" },
        { JOB_USAGE_BY_HOURS, "big idle good unknown" },
        { JOB_USAGE_BY_START, "unknown big good idle" },
    };
    struct job jobs[] = { run_of("good", 240, 4 * GIB), run_of("idle", 1, 8 * GIB),
                          run_of("big", 470, GIB), run_of("unknown", 0, 0) };
    jobs[1].end_ns = jobs[1].start_ns + H + 1;
    jobs[2].start_ns = 11 * H;
    jobs[2].end_ns = 13 * H;
    jobs[3].start_ns = 12 * H;
    jobs[3].end_ns = 13 * H;
    jobs[3].resources = (struct job_resources){ 0 };
    (void)job_resource_set(&jobs[0].resources, JOB_ENERGY_J, 5);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(job_usage_done) struct job_usage_list list;
        AUTO(strbuf_done) struct strbuf have = STRBUF_INIT;
        list_fill(&list, jobs, COUNT_OF(jobs));
        job_usage_sort(&list, cases[i].order);
        for (size_t r = 0; r < list.count; r++)
            strbuf_addf(&have, "%s%s", r ? " " : "", list.rows[r].id);
        if (strcmp(strbuf_text(&have), cases[i].want) != 0)
            fail_msg("%s: %s", job_usage_orders[cases[i].order], strbuf_text(&have));
    }
}

static void times_that_run_backwards_are_no_time(void **state)
{
    (void)state;
    AUTO(job_usage_done) struct job_usage_list list;
    struct job job = run_of("7", 60, GIB);
    job.end_ns = JOB_TIME_NONE;
    job.start_ns = NOW + H;
    list_fill(&list, &job, 1);
    assert_float_equal(list.rows[0].hours, 0, 1e-9);
}

static void states_that_end_a_run_against_its_users_will(void **state)
{
    (void)state;
    static const struct {
        const char *state;
        bool want;
    } cases[] = { { "FAILED", true },          { "TIMEOUT", true },
                  { "OUT_OF_MEMORY", true },   { "OUT_OF_ME+", true },
                  { "NODE_FAIL", true },       { "COMPLETED", false },
                  { "CANCELLED by 0", false }, { "", false },
                  { "RUNNING", false } };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        if (job_state_is_failure(span_of(cases[i].state)) != cases[i].want)
            fail_msg("%s", cases[i].state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_run_is_its_shares),
        cmocka_unit_test(elements_of_an_array_are_one_row),
        cmocka_unit_test(clusters_and_wishes_keep_rows_apart),
        cmocka_unit_test(a_requeued_job_is_one_row_of_two_runs),
        cmocka_unit_test(what_is_not_known_is_in_no_share),
        cmocka_unit_test(the_worst_come_first_and_the_unknown_last),
        cmocka_unit_test(times_that_run_backwards_are_no_time),
        cmocka_unit_test(states_that_end_a_run_against_its_users_will),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
