/* SPDX-License-Identifier: Apache-2.0 */
/* test_summary - a row of scalars, its line and its CSV. */
#include "base/span.h"
#include "base/test/testing.h"
#include "model/model.h"

static void columns_stand_where_the_places_say(void **state)
{
    (void)state;
    static const struct {
        enum summary_place place;
        const char *name;
    } cases[] = {
        { SUMMARY_JOB, "_jobid" },
        { SUMMARY_FS, "_file_system" },
        { SUMMARY_FROM, "_datetime_start" },
        { SUMMARY_TO, "_datetime_end" },
        { SUMMARY_LOG, "_log" },
        { SUMMARY_APP, "darshan_app" },
        { SUMMARY_DARSHAN_JOB, "darshan_jobid" },
        { SUMMARY_PROCESSES, "darshan_nprocs" },
        { SUMMARY_START, "darshan_start_time" },
        { SUMMARY_END, "darshan_end_time" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        assert_string_equal(summary_columns[cases[i].place].name, cases[i].name);
    for (size_t i = 0; i < SUMMARY_COLUMN_COUNT; i++) {
        size_t hint = 0;
        assert_non_null(summary_columns[i].name);
        assert_int_equal(summary_find_column(span_of(summary_columns[i].name), &hint),
                         i);
    }
}

static void a_line_comes_back_as_it_was(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "{\"_jobid\":\"7\",\"_log\":\"a.darshan\"}\n",
        "{\"_cluster\":\"cori\",\"_jobid\":\"7\",\"_file_system\":\"cscratch\","
        "\"_log\":\"a,\\\"b\\\".darshan\",\"darshan_nprocs\":4,"
        "\"darshan_start_time\":1489002770,\"darshan_walltime\":11.5,"
        "\"darshan_tot_bytes_read_posix\":1234567890123456,"
        "\"fs_frac_missing\":1e-300,\"fs_timestep\":-5}\n",
    };
    for (size_t i = 0; i < COUNT_OF(lines); i++) {
        AUTO(arena_done) struct arena arena;
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        struct err err = { 0 };
        struct summary summary;
        arena_init(&arena, 0);
        if (summary_read_line(span_of(lines[i]), &arena, &summary, &err) < 0)
            fail_msg("%s: %s", lines[i], err.text);
        summary_print_line(&summary, &out);
        assert_string_equal(strbuf_text(&out), lines[i]);
    }
}

static void csv_has_a_place_for_each_column(void **state)
{
    (void)state;
    AUTO(arena_done) struct arena arena;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct summary summary;
    arena_init(&arena, 0);
    assert_int_equal(
        summary_read_line(SPAN("{\"_log\":\"a,b\",\"_jobid\":\"7\",\"site_servers\":3,"
                               "\"_file_system\":null}"),
                          &arena, &summary, NULL),
        0);
    summary_print_csv(&summary, &out);
    assert_true(span_starts(strbuf_span(&out), "7,,,,\"a,b\",,"));
    assert_non_null(strstr(strbuf_text(&out), ",3,"));
    size_t commas = 0;
    for (size_t i = 0; i < out.size; i++)
        commas += out.data[i] == ',';
    assert_int_equal(commas, SUMMARY_COLUMN_COUNT); /* one stands in a text */
    strbuf_clear(&out);
    summary_print_csv_header(&out);
    assert_true(span_starts(strbuf_span(&out), "_jobid,_file_system,"));
    assert_non_null(strstr(strbuf_text(&out), ",site_io_nodes,"));
}

static void a_line_that_is_another_is_refused_with_its_reason(void **state)
{
    (void)state;
    static const struct {
        const char *line, *reason;
    } cases[] = {
        { "", NULL },
        { "{\"_jobid\":\"7\"", NULL },
        { "[]", "it is not an object" },
        { "{\"_log\":\"a\"}", "it has no _jobid" },
        { "{\"_jobid\":\"7\"}", "it has no _log" },
        { "{\"_jobid\":\"7\",\"_log\":null}", "it has no _log" },
        { "{\"_jobid\":7,\"_log\":\"a\"}", "'_jobid' is not a text" },
        { "{\"_jobid\":\"7\",\"_log\":\"a\",\"colour\":1}",
          "'colour' is not a column of a summary" },
        { "{\"_jobid\":\"7\",\"_jobid\":\"8\",\"_log\":\"a\"}",
          "'_jobid' is given twice" },
        { "{\"_cluster\":\"7\",\"_cluster\":\"8\",\"_log\":\"a\"}",
          "'_cluster' is given twice" },
        { "{\"_cluster\":1}", "'_cluster' is not a text" },
        { "{\"fs_timestep\":5.5}", "'fs_timestep' is not a whole number that fits" },
        { "{\"fs_timestep\":\"5\"}", "'fs_timestep' is not a number" },
        { "{\"fs_timestep\":{}}", "'fs_timestep' is not a number" },
        { "{\"fs_frac_missing\":1e999}",
          "'fs_frac_missing' is not a number that fits" },
        { "{\"_jobid\":\"7\",\"_log\":\"a\",\"darshan_start_time\":-1}",
          "a time of it is none" },
        { "{\"_jobid\":\"7\",\"_log\":\"a\",\"darshan_end_time\":9999999999999}",
          "a time of it is none" },
        { "{\"_jobid\":\"7\",\"_log\":\"a\\u0000\"}", "a text of it is not UTF-8" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(arena_done) struct arena arena;
        struct err err = { 0 };
        struct summary summary = { .scalars = NULL };
        arena_init(&arena, 0);
        int rc = summary_read_line(span_of(cases[i].line), &arena, &summary, &err);
        if (rc != -EBADMSG || summary.scalars)
            fail_msg("%s: got %d", cases[i].line, rc);
        if (cases[i].reason && strcmp(err.text, cases[i].reason) != 0)
            fail_msg("%s: %s", cases[i].line, err.text);
        assert_true(err.text[0] != '\0');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_stand_where_the_places_say),
        cmocka_unit_test(a_line_comes_back_as_it_was),
        cmocka_unit_test(csv_has_a_place_for_each_column),
        cmocka_unit_test(a_line_that_is_another_is_refused_with_its_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
