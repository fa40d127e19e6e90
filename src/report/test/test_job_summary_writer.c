/* SPDX-License-Identifier: Apache-2.0 */
/* test_job_summary_writer - rows in each form, with what is before, between, behind. */
#include "base/span.h"
#include "base/test/testing.h"
#include "report/report.h"

#include <string.h>

/* Rows through a writer of the form; what the stream has then.  The caller's to free.
 */
static char *written(enum job_summary_form form, const char *const *rows, size_t count)
{
    struct job_summary_writer w;
    char *text = NULL;
    size_t size = 0, cut = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    assert_int_equal(job_summary_writer_open(form, out, NULL, &w, NULL), 0);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(job_summary_writer_add(&w, span_of(rows[i]), NULL), 0);
    assert_int_equal(job_summary_writer_finish(&w, &cut, NULL), 0);
    assert_int_equal(w.rows, count);
    assert_int_equal(cut, 0);
    job_summary_writer_done(&w);
    (void)fclose(out);
    return text;
}

static void rows_have_what_their_form_has_around_them(void **state)
{
    (void)state;
    static const char *const rows[] = { "{\"a\":1}", "{\"a\":2}" };
    static const struct {
        enum job_summary_form form;
        size_t count;
        const char *want;
    } cases[] = {
        { JOB_SUMMARY_JSON, 2, "[\n{\"a\":1},\n{\"a\":2}\n]\n" },
        { JOB_SUMMARY_JSON, 1, "[\n{\"a\":1}\n]\n" },
        { JOB_SUMMARY_JSON, 0, "[]\n" },
        { JOB_SUMMARY_TABLE, 2, "{\"a\":1}{\"a\":2}" },
        { JOB_SUMMARY_NONE, 1, "{\"a\":1}" },
        { JOB_SUMMARY_CSV, 0, "" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO_FREE char *text = written(cases[i].form, rows, cases[i].count);
        assert_string_equal(text, cases[i].want);
    }
}

static void csv_has_its_header_once(void **state)
{
    (void)state;
    static const char *const rows[] = { "1\n", "2\n" };
    AUTO_FREE char *text = written(JOB_SUMMARY_CSV, rows, 2);
    const char *end = strchr(text, '\n');
    assert_true(strncmp(text, "_jobid,", 7) == 0);
    assert_string_equal(end, "\n1\n2\n");
}

static void where_no_form_is_wanted_only_stored_ones_are_printed(void **state)
{
    (void)state;
    AUTO(job_context_done) struct job_context context;
    AUTO(strbuf_done) struct strbuf of_log = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf stored = STRBUF_INIT;
    const struct job_summary_writer w = { .form = JOB_SUMMARY_NONE };
    job_context_init(&context);
    context.identity.id = "4711";
    job_summary_writer_print(&w, &context, false, &of_log);
    job_summary_writer_print(&w, &context, true, &stored);
    assert_int_equal(of_log.size, 0);
    assert_true(span_starts(strbuf_span(&stored), "_jobid "));
}

static void a_stream_that_is_full_is_an_error(void **state)
{
    (void)state;
    struct err err = { 0 };
    struct job_summary_writer w;
    size_t cut = 0;
    FILE *out = fopen("/dev/full", "w");
    assert_non_null(out);
    setbuf(out, NULL);
    assert_int_equal(job_summary_writer_open(JOB_SUMMARY_TABLE, out, NULL, &w, &err),
                     0);
    assert_int_equal(job_summary_writer_add(&w, SPAN("row\n"), &err), -EIO);
    assert_non_null(strstr(err.text, "standard output"));
    assert_int_equal(w.rows, 0);
    (void)fclose(out);

    out = fopen("/dev/full", "w");
    assert_int_equal(job_summary_writer_open(JOB_SUMMARY_JSON, out, NULL, &w, &err), 0);
    assert_int_equal(job_summary_writer_finish(&w, &cut, &err), -EIO);
    (void)fclose(out);
}

static void a_workbook_without_rows_is_not_written(void **state)
{
    (void)state;
    struct err err = { 0 };
    struct job_summary_writer w;
    size_t cut = 0;
    const char *path = "/tmp/baro-no-such-workbook.xlsx";
    int rc = job_summary_writer_open(JOB_SUMMARY_XLSX, stdout, path, &w, &err);
    if (rc == -ENOSYS)
        skip(); /* built without libxlsxwriter */
    assert_int_equal(rc, 0);
    assert_int_equal(job_summary_writer_finish(&w, &cut, &err), -ENODATA);
    job_summary_writer_done(&w);
    assert_int_equal(access(path, F_OK), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_have_what_their_form_has_around_them),
        cmocka_unit_test(csv_has_its_header_once),
        cmocka_unit_test(where_no_form_is_wanted_only_stored_ones_are_printed),
        cmocka_unit_test(a_stream_that_is_full_is_an_error),
        cmocka_unit_test(a_workbook_without_rows_is_not_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
