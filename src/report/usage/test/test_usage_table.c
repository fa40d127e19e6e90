/* SPDX-License-Identifier: Apache-2.0 */
/* test_usage_table - rows of what jobs used, and the notes below them. */
#include "base/cleanup.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "report/usage/usage.h"

#define H (3600 * NS_PER_S)

static void jobs_add(struct job_usage_list *list)
{
    struct job job = { .cluster = SPAN("alex"),
                       .id = SPAN("7"),
                       .name = SPAN("a\033b"),
                       .state = SPAN("COMPLETED"),
                       .node_count = 2,
                       .submit_ns = H,
                       .start_ns = 10 * H,
                       .end_ns = 12 * H };
    (void)job_resource_set(&job.resources, JOB_CPUS, 4);
    (void)job_resource_set(&job.resources, JOB_CPU_TIME_MS, 2 * 3600000);
    assert_int_equal(job_usage_add(list, &job, 20 * H), 0);
    job.id = SPAN("8");
    job.resources = (struct job_resources){ 0 };
    assert_int_equal(job_usage_add(list, &job, 20 * H), 0);
}

static const struct table_cell *cell_of(const struct table *t, size_t row,
                                        const char *name)
{
    int column = table_find_column(t, name);
    assert_true(column >= 0);
    return table_at(t, row, (size_t)column);
}

static void unknown_shares_are_empty_cells(void **state)
{
    (void)state;
    AUTO(job_usage_done) struct job_usage_list list;
    AUTO(table_done) struct table table;
    job_usage_init(&list);
    table_init(&table);
    jobs_add(&list);
    job_usage_sort(&list, JOB_USAGE_BY_CPU);
    usage_table(&list, 0, &table);
    assert_int_equal(table.row_count, 2);
    assert_string_equal(cell_of(&table, 0, "job")->text, "7");
    assert_float_equal(cell_of(&table, 0, "cpu")->dbl, 25, 1e-9);
    assert_float_equal(cell_of(&table, 0, "cpu_hours_unused")->dbl, 6, 1e-9);
    assert_true(cell_of(&table, 0, "gpus")->is_null);
    assert_true(cell_of(&table, 0, "memory")->is_null);
    assert_true(cell_of(&table, 1, "cpu")->is_null);
    assert_true(cell_of(&table, 1, "cpu_hours")->is_null);
    assert_int_equal(table.note_count, 2);
    assert_string_equal(table.notes[0],
                        "2 jobs with 2 runs; they used 25 % of 8 CPU hours");
    assert_non_null(strstr(table.notes[1], "of 1 jobs no CPU time is known"));
}

static void a_limit_says_what_it_cuts(void **state)
{
    (void)state;
    AUTO(job_usage_done) struct job_usage_list list;
    AUTO(table_done) struct table table;
    job_usage_init(&list);
    table_init(&table);
    jobs_add(&list);
    usage_table(&list, 1, &table);
    assert_int_equal(table.row_count, 1);
    assert_string_equal(table.notes[table.note_count - 1],
                        "the first 1 of 2 are shown");
}

static void no_job_is_a_table_without_rows(void **state)
{
    (void)state;
    AUTO(job_usage_done) struct job_usage_list list;
    AUTO(table_done) struct table table;
    job_usage_init(&list);
    table_init(&table);
    usage_table(&list, 0, &table);
    assert_int_equal(table.row_count, 0);
    assert_int_equal(table.note_count, 0);
    assert_int_equal(table_error(&table), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unknown_shares_are_empty_cells),
        cmocka_unit_test(a_limit_says_what_it_cuts),
        cmocka_unit_test(no_job_is_a_table_without_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
