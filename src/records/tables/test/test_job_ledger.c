/* SPDX-License-Identifier: Apache-2.0 */
/* test_job_ledger - a run of a job becomes a row, and a row a run. */
#include "base/cleanup.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "records/tables/job_ledger.h"

static const struct job whole = {
    .cluster = SPAN("alex"),
    .id = SPAN("5_1"),
    .raw_id = SPAN("7"),
    .name = SPAN("arr|pipe"),
    .user = SPAN("ann"),
    .account = SPAN("phys"),
    .partition = SPAN("batch"),
    .state = SPAN("COMPLETED"),
    .nodes = SPAN("n[1-2]"),
    .node_count = 2,
    .submit_ns = 1,
    .start_ns = 2,
    .end_ns = 3,
};

static void assert_span(struct span have, struct span want, const char *name)
{
    if (!span_eq(have, want))
        fail_msg("%s: '" SPAN_FMT "'", name, SPAN_ARG(have));
}

static void round_trip(const struct job *job, const char *name)
{
    struct arena arena;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    const struct scalar *row = NULL;
    struct job back = { 0 };
    arena_init(&arena, 0);
    assert_int_equal(job_ledger_row(job, 99, &arena, &row), 0);
    assert_int_equal(row[ledger_jobs.column_count - 1].i64, 99);
    assert_int_equal(job_ledger_job(row, &text, &back), 0);
    assert_span(back.cluster, job->cluster, name);
    assert_span(back.id, job->id, name);
    assert_span(back.raw_id, job->raw_id.size ? job->raw_id : job->id, name);
    assert_span(back.name, job->name, name);
    assert_span(back.user, job->user, name);
    assert_span(back.account, job->account, name);
    assert_span(back.partition, job->partition, name);
    assert_span(back.state, job->state, name);
    assert_span(back.nodes, job->nodes, name);
    assert_true(back.node_count == job->node_count);
    assert_true(back.submit_ns == job->submit_ns);
    assert_true(back.start_ns == job->start_ns);
    assert_true(back.end_ns == job->end_ns);
    assert_memory_equal(&back.resources, &job->resources, sizeof back.resources);
    arena_done(&arena);
}

static void a_run_comes_back_as_it_was_submitted(void **state)
{
    (void)state;
    struct job job = whole;
    round_trip(&whole, "whole");
    for (enum job_resource i = 0; i < JOB_RESOURCE_COUNT; i++)
        (void)job_resource_set(&job.resources, i, 10 + i);
    round_trip(&job, "all of its resources");
    (void)job_resource_set(&job.resources, JOB_GPUS, 0);
    round_trip(&job, "no GPU");
    job.raw_id = job.id;
    round_trip(&job, "its raw id is its id");
    job.start_ns = job.end_ns = JOB_TIME_NONE;
    round_trip(&job, "it waits");
    job.name = (struct span){ "a\\b\n\377\0c", 7 };
    round_trip(&job, "its name is any bytes");
    job = (struct job){ .cluster = SPAN("alex"),
                        .id = SPAN("1"),
                        .raw_id = SPAN("1"),
                        .submit_ns = JOB_TIME_NONE,
                        .start_ns = JOB_TIME_NONE,
                        .end_ns = JOB_TIME_NONE };
    round_trip(&job, "nothing else is known");
}

static void a_name_that_another_program_wrote_stays_as_it_is(void **state)
{
    (void)state;
    struct arena arena;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    const struct scalar *row = NULL;
    struct job back = { 0 };
    arena_init(&arena, 0);
    assert_int_equal(job_ledger_row(&whole, 1, &arena, &row), 0);
    struct scalar *changed = arena_alloc(&arena, 64 * sizeof *changed);
    memcpy(changed, row, ledger_jobs.column_count * sizeof *row);
    for (size_t i = 0; i < ledger_jobs.column_count; i++)
        if (strcmp(ledger_jobs.columns[i].name, "name") == 0)
            changed[i] = scalar_text(SPAN("C:\\temp"));
    assert_int_equal(job_ledger_job(changed, &text, &back), 0);
    assert_span(back.name, SPAN("C:\\temp"), "a backslash of no escape");
    arena_done(&arena);
}

static void a_list_with_fewer_columns_takes_no_usage_away(void **state)
{
    (void)state;
    struct arena arena;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    const struct scalar *stored = NULL, *submitted = NULL;
    struct job full = whole, bare = whole, back;
    arena_init(&arena, 0);
    (void)job_resource_set(&full.resources, JOB_CPUS, 4);
    (void)job_resource_set(&full.resources, JOB_GPUS, 0);
    (void)job_resource_set(&bare.resources, JOB_CPUS, 8);
    bare.state = SPAN("FAILED");
    assert_int_equal(job_ledger_row(&full, 1, &arena, &stored), 0);
    assert_int_equal(job_ledger_row(&bare, 2, &arena, &submitted), 0);
    const struct scalar *row = ledger_jobs.unite(stored, submitted, &arena);
    assert_non_null(row);
    assert_int_equal(job_ledger_job(row, &text, &back), 0);
    assert_int_equal(back.resources.value[JOB_CPUS], 8);
    assert_true(job_resource_known(&back.resources, JOB_GPUS));
    assert_false(job_resource_known(&back.resources, JOB_ENERGY_J));
    assert_span(back.state, SPAN("FAILED"), "the rest is the later list's");
    arena_done(&arena);
}

static void a_run_that_has_ended_does_not_run_again(void **state)
{
    (void)state;
    struct arena arena;
    const struct scalar *ended = NULL, *running = NULL;
    struct job job = whole;
    arena_init(&arena, 0);
    assert_int_equal(job_ledger_row(&whole, 1, &arena, &ended), 0);
    job.end_ns = JOB_TIME_NONE;
    assert_int_equal(job_ledger_row(&job, 2, &arena, &running), 0);
    assert_true(ledger_jobs.keeps(ended, running));
    assert_false(ledger_jobs.keeps(running, ended));
    assert_false(ledger_jobs.keeps(ended, ended));
    assert_false(ledger_jobs.keeps(running, running));
    arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_comes_back_as_it_was_submitted),
        cmocka_unit_test(a_name_that_another_program_wrote_stays_as_it_is),
        cmocka_unit_test(a_list_with_fewer_columns_takes_no_usage_away),
        cmocka_unit_test(a_run_that_has_ended_does_not_run_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
