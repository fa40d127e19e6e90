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

static void what_a_user_did_is_rows_and_their_sums(void **state)
{
    (void)state;
    const struct job jobs[] = {
        { .id = SPAN("5_1"),
          .raw_id = SPAN("7"),
          .user = SPAN("ann"),
          .uid = SPAN("1001"),
          .submit_ns = 0,
          .start_ns = 0,
          .end_ns = 3600 * S,
          .node_count = 2 },
        { .id = SPAN("5_1"),
          .raw_id = SPAN("7"),
          .user = SPAN("ann"),
          .uid = SPAN("1001"),
          .submit_ns = 0,
          .start_ns = 7200 * S,
          .end_ns = 10800 * S,
          .node_count = 1 },
        { .id = SPAN("8"),
          .user = SPAN("bob"),
          .submit_ns = 0,
          .start_ns = 0,
          .end_ns = 3600 * S,
          .node_count = 1 },
    };
    AUTO(table_done) struct table io;
    table_init(&io);
    table_add_column(&io, "job", TABLE_TEXT, "");
    table_add_column(&io, "read_bytes", TABLE_U64, "bytes");
    table_add_column(&io, "write_bytes", TABLE_U64, "bytes");
    table_add_row(&io); /* of no job */
    table_add_row(&io);
    table_set_text(&io, 0, SPAN("7"));
    table_set_u64(&io, 1, 1024);
    table_set_u64(&io, 2, 2048);
    static const char *const users[] = { "ann", "1001" };
    for (size_t i = 0; i < 2 * COUNT_OF(users); i++) {
        struct job_list_table_opts opts = { .query = always,
                                            .has_window = i % 2,
                                            .io = &io };
        struct job_list list;
        AUTO(table_done) struct table table;
        table_init(&table);
        job_list_init(&list);
        for (size_t k = 0; k < COUNT_OF(jobs); k++)
            assert_int_equal(job_list_add(&list, &jobs[k]), 0);
        opts.query.user = span_of(users[i / 2]);
        job_list_table(&list, &opts, &table);
        assert_int_equal(table.row_count, 2);
        size_t read = (size_t)table_find_column(&table, "read_bytes");
        size_t written = (size_t)table_find_column(&table, "write_bytes");
        assert_int_equal(table_at(&table, 0, read)->u64, 1024);
        assert_int_equal(table_at(&table, 0, written)->u64, 2048);
        assert_true(table_at(&table, 1, read)->is_null);
        assert_string_equal(table.notes[0],
                            "2 jobs, 3 node-hours; they read 1.00 KiB and wrote 2.00 "
                            "KiB");
        job_list_done(&list);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_window_jobs_that_have_not_begun_are_rows),
        cmocka_unit_test(a_cluster_and_an_id_choose),
        cmocka_unit_test(a_window_leaves_out_what_did_not_run_in_it),
        cmocka_unit_test(the_load_is_one_row),
        cmocka_unit_test(what_a_user_did_is_rows_and_their_sums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
