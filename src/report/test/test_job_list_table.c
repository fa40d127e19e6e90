/* SPDX-License-Identifier: Apache-2.0 */
/* test_job_list_table - jobs of a batch system as tables. */
#include "base/span.h"
#include "base/test/testing.h"
#include "report/report.h"

#define S INT64_C(1000000000)

/* a.1 ran for two hours, b.2 has not begun, c.3 runs on nodes nobody counted. */
static void list_fill(struct job_list *list)
{
    const struct job jobs[] = {
        { .cluster = SPAN("a"),
          .id = SPAN("1"),
          .submit_ns = 0,
          .start_ns = 0,
          .end_ns = 7200 * S,
          .nodes = SPAN("n[1-2]"),
          .node_count = 2 },
        { .cluster = SPAN("b"),
          .id = SPAN("2"),
          .submit_ns = 0,
          .start_ns = JOB_TIME_NONE,
          .end_ns = JOB_TIME_NONE },
        { .cluster = SPAN("a"),
          .id = SPAN("3"),
          .submit_ns = 0,
          .start_ns = 3600 * S,
          .end_ns = JOB_TIME_NONE },
    };
    job_list_init(list);
    for (size_t i = 0; i < COUNT_OF(jobs); i++)
        assert_int_equal(job_list_add(list, &jobs[i]), 0);
}

static const struct job_query always = { .from_ns = INT64_MIN, .to_ns = INT64_MAX };

/* Which jobs opts shows, by their ids. */
static void expect_jobs(const struct job_list_table_opts *opts, const char *const *ids,
                        size_t count)
{
    struct job_list list;
    AUTO(table_done) struct table table;
    table_init(&table);
    list_fill(&list);
    job_list_table(&list, opts, &table);
    assert_int_equal(table_error(&table), 0);
    assert_int_equal(table.row_count, count);
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    const struct table_print_opts print = { .raw_units = true };
    table_print(&table, TABLE_FORM_CSV, &print, &out);
    for (size_t i = 0; i < count; i++)
        assert_non_null(strstr(strbuf_text(&out), ids[i]));
    job_list_done(&list);
}

static void without_a_window_jobs_that_have_not_begun_are_rows(void **state)
{
    (void)state;
    static const char *const ids[] = { "a,1,", "b,2,", "a,3," };
    const struct job_list_table_opts opts = { .query = always };
    expect_jobs(&opts, ids, COUNT_OF(ids));
}

static void a_cluster_and_an_id_choose(void **state)
{
    (void)state;
    static const char *const ids[] = { "a,1,", "a,3," };
    struct job_list_table_opts opts = { .query = always };
    opts.query.cluster = SPAN("a");
    expect_jobs(&opts, ids, 2);
    opts.id = "3";
    expect_jobs(&opts, ids + 1, 1);
    opts.id = "none";
    expect_jobs(&opts, ids, 0);
}

static void a_window_leaves_out_what_did_not_run_in_it(void **state)
{
    (void)state;
    static const char *const ids[] = { "a,1," };
    struct job_list_table_opts opts = { .query = always, .has_window = true };
    opts.query.to_ns = 3600 * S;
    expect_jobs(&opts, ids, 1);
}

static void the_load_is_one_row(void **state)
{
    (void)state;
    struct job_list list;
    AUTO(table_done) struct table table;
    table_init(&table);
    list_fill(&list);
    struct job_query query = always;
    query.from_ns = 0;
    query.to_ns = 3600 * S;
    job_load_table(&list, &query, &table);
    assert_int_equal(table.row_count, 1);
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    const struct table_print_opts print = { .raw_units = true };
    table_print(&table, TABLE_FORM_CSV, &print, &out);
    assert_non_null(strstr(strbuf_text(&out), "\n1,2,2\n"));
    job_list_done(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_window_jobs_that_have_not_begun_are_rows),
        cmocka_unit_test(a_cluster_and_an_id_choose),
        cmocka_unit_test(a_window_leaves_out_what_did_not_run_in_it),
        cmocka_unit_test(the_load_is_one_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
