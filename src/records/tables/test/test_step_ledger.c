/* SPDX-License-Identifier: Apache-2.0 */
/* test_step_ledger - steps of jobs as rows. */
#include "base/cleanup.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "records/tables/step_ledger.h"

static struct job step_made(void)
{
    struct job step = { .cluster = SPAN("alex"),
                        .id = SPAN("5_1"),
                        .step = SPAN("0"),
                        .name = SPAN("a\nb"),
                        .state = SPAN("COMPLETED"),
                        .nodes = SPAN("n[1-2]"),
                        .node_count = 2,
                        .submit_ns = JOB_TIME_NONE,
                        .start_ns = 20,
                        .end_ns = 30 };
    job_resource_add(&step.resources, JOB_MEMORY_PEAK_BYTES, 7);
    return step;
}

static void a_step_comes_back_as_it_was_stored(void **state)
{
    (void)state;
    AUTO(arena_done) struct arena arena = { 0 };
    AUTO(strbuf_done) struct strbuf name = STRBUF_INIT;
    const struct job step = step_made();
    const struct scalar *row = NULL;
    struct job back;
    arena_init(&arena, 0);
    assert_int_equal(step_ledger_row(&step, 99, &arena, &row), 0);
    for (size_t i = 0; i < ledger_job_steps.key_count; i++)
        assert_true(row[i].is_present);
    assert_int_equal(row[ledger_job_steps.column_count - 1].i64, 99);
    assert_int_equal(step_ledger_step(row, &name, &back), 0);
    assert_true(span_eq(back.id, step.id) && span_eq(back.step, step.step));
    assert_true(span_eq(back.name, step.name) && span_eq(back.nodes, step.nodes));
    assert_int_equal(back.start_ns, 20);
    assert_int_equal(back.end_ns, 30);
    assert_int_equal(back.node_count, 2);
    assert_int_equal(back.resources.value[JOB_MEMORY_PEAK_BYTES], 7);
    assert_false(job_resource_known(&back.resources, JOB_CPUS));
}

static void a_step_that_has_ended_stays_so(void **state)
{
    (void)state;
    AUTO(arena_done) struct arena arena = { 0 };
    const struct scalar *ended = NULL, *runs = NULL;
    struct job step = step_made();
    arena_init(&arena, 0);
    assert_int_equal(step_ledger_row(&step, 1, &arena, &ended), 0);
    step.end_ns = JOB_TIME_NONE;
    assert_int_equal(step_ledger_row(&step, 2, &arena, &runs), 0);
    assert_true(ledger_job_steps.keeps(ended, runs));
    assert_false(ledger_job_steps.keeps(runs, ended));
    assert_false(ledger_job_steps.keeps(ended, ended));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_comes_back_as_it_was_stored),
        cmocka_unit_test(a_step_that_has_ended_stays_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
