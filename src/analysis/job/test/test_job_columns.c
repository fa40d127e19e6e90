/* SPDX-License-Identifier: Apache-2.0 */
/* test_job_columns - each column of a job: value -> CSV cell, JSON member, and back. */
#include "analysis/job/job.h"
#include "base/span.h"
#include "base/test/testing.h"

#include <math.h>

/* A value of its own for each column; of texts one that CSV has to quote. */
static struct scalar value_of(size_t i, char *text, size_t size)
{
    const struct job_column *column = &job_columns[i];
    (void)snprintf(text, size, "t,%zu", i);
    switch (column->type) {
    case SCALAR_TEXT:
        return scalar_text(span_of(text));
    case SCALAR_I64:
        return scalar_i64((int64_t)i + 1);
    case SCALAR_DOUBLE:
        break;
    }
    return scalar_double((double)i + 0.1);
}

/* The cell of a column in a line of CSV whose other cells are empty. */
static void cell_of(const struct job_context *context, size_t i, struct strbuf *out)
{
    AUTO(strbuf_done) struct strbuf csv = STRBUF_INIT;
    job_context_print_csv(context, &csv);
    struct span line = strbuf_span(&csv);
    assert_true(line.size > SUMMARY_COLUMN_COUNT - 1);
    strbuf_add(out, line.data + i, line.size - SUMMARY_COLUMN_COUNT);
}

/* bytes and GiB of the same member: alone each fills it, together bytes do. */
static bool is_scaled(size_t i)
{
    return strncmp(job_columns[i].unit, "GiB", 3) == 0;
}

static void columns_are_the_models_in_its_order(void **state)
{
    (void)state;
    for (size_t i = 0; i < SUMMARY_COLUMN_COUNT; i++) {
        assert_string_equal(job_columns[i].name, summary_columns[i].name);
        assert_int_equal(job_columns[i].type, summary_columns[i].type);
        assert_true(job_columns[i].offset < sizeof(struct job_context));
        assert_ptr_equal(job_column_find(job_columns[i].name), &job_columns[i]);
    }
    assert_null(job_column_find("fs_no_such"));
}

static void no_two_columns_share_a_member_but_of_bytes(void **state)
{
    (void)state;
    for (size_t i = 0; i < SUMMARY_COLUMN_COUNT; i++)
        for (size_t n = 0; n < i; n++)
            if (job_columns[i].offset == job_columns[n].offset && !is_scaled(i))
                fail_msg("%s, %s", job_columns[i].name, job_columns[n].name);
}

static void each_column_goes_to_csv_and_comes_back_by_json(void **state)
{
    (void)state;
    for (size_t i = 0; i < SUMMARY_COLUMN_COUNT; i++) {
        AUTO(job_context_done) struct job_context c;
        AUTO(job_context_done) struct job_context again;
        AUTO(strbuf_done) struct strbuf json = STRBUF_INIT;
        AUTO(strbuf_done) struct strbuf a = STRBUF_INIT;
        AUTO(strbuf_done) struct strbuf b = STRBUF_INIT;
        struct err err = { 0 };
        char text[32];
        job_context_init(&c);
        job_context_init(&again);
        job_column_set(job_column_find("_jobid"), scalar_text(SPAN("7")), &c);
        job_column_set(job_column_find("_log"), scalar_text(SPAN("a.darshan")), &c);
        struct scalar want = value_of(i, text, sizeof text);
        job_column_set(&job_columns[i], want, &c);
        job_context_print_json(&c, &json);
        if (job_context_read_json(&again, strbuf_span(&json), &err) < 0)
            fail_msg("%s: %s", job_columns[i].name, err.text);
        struct scalar got = job_column_get(&job_columns[i], &again);
        if (!scalar_eq(job_columns[i].type, &want, &got))
            fail_msg("%s: another value comes back", job_columns[i].name);
        job_context_print_csv(&c, &a);
        job_context_print_csv(&again, &b);
        assert_string_equal(strbuf_text(&a), strbuf_text(&b));
    }
}

static void cells_are_quoted_and_whole_numbers_have_no_point(void **state)
{
    (void)state;
    static const struct {
        const char *column;
        double number; /* NaN: the text */
        const char *text, *cell, *json;
    } cases[] = {
        { "fs_source", NAN, "a,b\"c", "\"a,b\"\"c\"", "{\"fs_source\":\"a,b\\\"c\"}" },
        { "darshan_app", NAN, "x y", "x y", "{\"darshan_app\":\"x y\"}" },
        { "fs_timestep", 5, NULL, "5", "{\"fs_timestep\":5}" },
        { "darshan_walltime", 11, NULL, "11", "{\"darshan_walltime\":11}" },
        { "darshan_walltime", 0.1, NULL, "0.1", "{\"darshan_walltime\":0.1}" },
        { "coverage_factor_bw", 0, NULL, "0", "{\"coverage_factor_bw\":0}" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(job_context_done) struct job_context c;
        AUTO(strbuf_done) struct strbuf cell = STRBUF_INIT;
        AUTO(strbuf_done) struct strbuf json = STRBUF_INIT;
        const struct job_column *column = job_column_find(cases[i].column);
        job_context_init(&c);
        job_column_set(column,
                       cases[i].text ? scalar_text(span_of(cases[i].text))
                       : column->type == SCALAR_I64
                           ? scalar_i64((int64_t)cases[i].number)
                           : scalar_double(cases[i].number),
                       &c);
        cell_of(&c, (size_t)(column - job_columns), &cell);
        job_context_print_json(&c, &json);
        assert_string_equal(strbuf_text(&cell), cases[i].cell);
        assert_string_equal(strbuf_text(&json), cases[i].json);
    }
}

static void missing_is_an_empty_cell_and_no_member(void **state)
{
    (void)state;
    AUTO(job_context_done) struct job_context c;
    AUTO(strbuf_done) struct strbuf cell = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf json = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf lines = STRBUF_INIT;
    job_context_init(&c);
    c.weather.oss_cpu.max = INFINITY; /* no number that others could read */
    cell_of(&c, 0, &cell);
    job_context_print_json(&c, &json);
    job_context_print_lines(&c, &lines);
    assert_string_equal(strbuf_text(&cell), "");
    assert_string_equal(strbuf_text(&json), "{}");
    assert_non_null(
        strstr(strbuf_text(&lines), "_jobid                                     -\n"));
}

static void gib_is_of_the_same_bytes(void **state)
{
    (void)state;
    const struct job_column *bytes = job_column_find("fs_tot_bytes_read");
    const struct job_column *gib = job_column_find("fs_tot_gibs_read");
    AUTO(job_context_done) struct job_context c;
    job_context_init(&c);
    job_column_set(gib, scalar_double(3), &c);
    assert_true(job_column_get(bytes, &c).dbl == 3221225472.0);
    job_column_set(bytes, scalar_double(1e10 / 3), &c);
    job_column_set(gib, scalar_double(3.1), &c); /* rounded by another program */
    assert_true(job_column_get(bytes, &c).dbl == 1e10 / 3);
    job_column_set(bytes, (struct scalar){ 0 }, &c);
    assert_false(job_column_get(gib, &c).is_present);
}

static void a_line_has_the_cluster_and_a_row_every_column(void **state)
{
    (void)state;
    AUTO(job_context_done) struct job_context c;
    AUTO(job_row_done) struct job_row row;
    AUTO(strbuf_done) struct strbuf line = STRBUF_INIT;
    job_context_init(&c);
    job_row_init(&row);
    c.identity.cluster = "alex";
    c.identity.id = "4711";
    c.facts.walltime_s = 2.5;
    c.facts.nprocs = 4;
    job_context_print_line(&c, &line);
    assert_string_equal(
        strbuf_text(&line),
        "{\"_cluster\":\"alex\",\"_jobid\":\"4711\",\"darshan_nprocs\":4,"
        "\"darshan_walltime\":2.5}\n");
    assert_int_equal(job_context_row(&c, &row), 0);
    assert_int_equal(row.count, SUMMARY_COLUMN_COUNT);
    assert_string_equal(job_row_words(&row, "_jobid"), "4711");
    assert_true(job_row_number(&row, "darshan_walltime") == 2.5);
    assert_int_equal(job_row_find(&row, "fs_timestep")->type, JOB_CELL_MISSING);
}

static void what_is_no_summary_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *want;
    } cases[] = {
        { "{\"_jobid\":\"7\"}", "_log" },
        { "{\"_log\":\"a\"}", "_jobid" },
        { "{\"_jobid\":\"7\",\"_log\":\"a\",\"fs_timestep\":\"5\"}", "fs_timestep" },
        { "{\"_jobid\":\"7\",\"_log\":\"a\",\"fs_no_such\":5}", "not a column" },
        { "{\"_jobid\":\"7\",", "" },
        { "", "" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(job_context_done) struct job_context c;
        struct err err = { 0 };
        job_context_init(&c);
        int rc = job_context_read_json(&c, span_of(cases[i].text), &err);
        if (rc != -EBADMSG || !strstr(err.text, cases[i].want))
            fail_msg("'%s': %d, %s", cases[i].text, rc, err.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_the_models_in_its_order),
        cmocka_unit_test(no_two_columns_share_a_member_but_of_bytes),
        cmocka_unit_test(each_column_goes_to_csv_and_comes_back_by_json),
        cmocka_unit_test(cells_are_quoted_and_whole_numbers_have_no_point),
        cmocka_unit_test(missing_is_an_empty_cell_and_no_member),
        cmocka_unit_test(gib_is_of_the_same_bytes),
        cmocka_unit_test(a_line_has_the_cluster_and_a_row_every_column),
        cmocka_unit_test(what_is_no_summary_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
