/* SPDX-License-Identifier: Apache-2.0 */
/* test_job_row - a row is printed, and read again. */
#include "analysis/table/job_row.h"
#include "base/span.h"
#include "base/test/testing.h"

#include <math.h>

static void a_row_that_was_printed_is_read_as_it_was(void **state)
{
    (void)state;
    AUTO(job_row_done) struct job_row row;
    AUTO(job_row_done) struct job_row again;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf twice = STRBUF_INIT;
    job_row_init(&row);
    job_row_init(&again);
    job_row_text(&row, "_jobid", "0042");
    job_row_i64(&row, "most", INT64_MAX);
    job_row_i64(&row, "least", INT64_MIN);
    job_row_double(&row, "small", 0.1);
    job_row_double(&row, "big", 1.7976931348623157e308);
    job_row_double(&row, "none", NAN);
    job_row_text(&row, "quoted", "a \"b\"\n\\x \xc3\xa4");
    job_row_print_json(&row, &out);
    assert_int_equal(job_row_read_json(&again, strbuf_span(&out), NULL), 0);
    job_row_print_json(&again, &twice);
    assert_string_equal(strbuf_text(&twice), strbuf_text(&out));
    assert_int_equal(again.count, 6); /* what is missing is not printed */
    assert_int_equal(job_row_find(&again, "_jobid")->type, JOB_CELL_TEXT);
    assert_true(job_row_find(&again, "least")->i64 == INT64_MIN);
    assert_true(job_row_find(&again, "small")->dbl == 0.1);
}

static void null_is_a_missing_value(void **state)
{
    (void)state;
    AUTO(job_row_done) struct job_row row;
    job_row_init(&row);
    assert_int_equal(job_row_read_json(&row, SPAN("{\"a\":null}\n"), NULL), 0);
    assert_int_equal(job_row_find(&row, "a")->type, JOB_CELL_MISSING);
}

static void what_is_no_row_is_refused(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "",
        "[]",
        "1",
        "\"text\"",
        "{\"a\":1",
        "{\"a\":[1]}",
        "{\"a\":{\"b\":1}}",
        "{\"a\":true}",
        "{\"a\":1e999}",
        "{\"a\":\"b\\u0000c\"}",
        "{\"\":1}",
        "{\"a\":1}{\"a\":1}",
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(job_row_done) struct job_row row;
        struct err err = { 0 };
        job_row_init(&row);
        assert_int_equal(job_row_read_json(&row, span_of(cases[i]), &err), -EBADMSG);
        assert_true(err.text[0] != '\0');
    }
}

static void a_row_has_so_many_members_at_most(void **state)
{
    (void)state;
    AUTO(job_row_done) struct job_row row;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    job_row_init(&row);
    for (int i = 0; i <= JOB_ROW_CELLS_MAX; i++)
        strbuf_addf(&text, "%s\"a%d\":%d", i ? "," : "{", i, i);
    strbuf_addc(&text, '}');
    assert_int_equal(job_row_read_json(&row, strbuf_span(&text), NULL), -EBADMSG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_that_was_printed_is_read_as_it_was),
        cmocka_unit_test(null_is_a_missing_value),
        cmocka_unit_test(what_is_no_row_is_refused),
        cmocka_unit_test(a_row_has_so_many_members_at_most),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
