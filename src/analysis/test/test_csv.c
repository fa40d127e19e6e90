/* SPDX-License-Identifier: Apache-2.0 */
/* test_csv - rows of fields, quoted or not. */
#include "analysis/analysis.h"
#include "base/file.h"
#include "base/test/testing.h"

/* The fields of all rows, "|" after each and "/" after a row. */
static int read_all(const char *text, size_t size, struct strbuf *out, struct err *err)
{
    char path[] = "/tmp/baro-csv-XXXXXX";
    AUTO_CLOSE int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(file_write_all(fd, text, size), 0);
    AUTO(csv_close) struct csv *csv = NULL;
    assert_int_equal(csv_open(path, &csv, err), 0);
    (void)unlink(path);
    const struct span *fields;
    size_t count;
    int rc;
    while ((rc = csv_next(csv, &fields, &count, err)) > 0) {
        strbuf_addf(out, "%llu:", (unsigned long long)csv_line(csv));
        for (size_t i = 0; i < count; i++) {
            strbuf_add_span(out, fields[i]);
            strbuf_addc(out, '|');
        }
        strbuf_addc(out, '/');
    }
    return rc;
}

static void rows_come_as_they_were_written(void **state)
{
    (void)state;
    static const struct {
        const char *text, *rows;
    } cases[] = {
        { "a,b\n1,2\n", "1:a|b|/2:1|2|/" },
        { "a,b\r\n1,2", "1:a|b|/2:1|2|/" },
        { "a,,\n,\n", "1:a|||/2:||/" },
        { "\"x,y\",\"say \"\"so\"\"\"\n", "1:x,y|say \"so\"|/" },
        { "\"two\nlines\",b\nc,d\n", "1:two\nlines|b|/3:c|d|/" },
        { "\n\na\n\nb\n\n", "3:a|/5:b|/" },
        { "\"\",x\n", "1:|x|/" },
        { "\"open", "1:open|/" },
        { "", "" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        struct err err = { 0 };
        assert_int_equal(read_all(cases[i].text, strlen(cases[i].text), &out, &err), 0);
        assert_string_equal(strbuf_text(&out), cases[i].rows);
    }
}

static void a_row_without_an_end_is_refused(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct err err = { 0 };
    strbuf_adds(&text, "a\n\"");
    while (text.size < 2 * CSV_ROW_BYTES_MAX)
        strbuf_adds(&text, "0123456789abcdef\n");
    assert_int_equal(read_all(text.data, text.size, &out, &err), -EBADMSG);
    assert_non_null(strstr(err.text, ":2:"));
    strbuf_clear(&text);
    for (int i = 0; i < CSV_FIELDS_MAX + 5; i++)
        strbuf_adds(&text, ",");
    assert_int_equal(read_all(text.data, text.size, &out, &err), -EBADMSG);
}

static void a_cut_gzip_file_is_told(void **state)
{
    (void)state;
    /* The first bytes of a gzip file, and no more. */
    static const char cut[] = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x4b\xd4";
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct err err = { 0 };
    assert_int_equal(read_all(cut, sizeof cut - 1, &out, &err), -EBADMSG);
    assert_true(err.text[0] != '\0');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_come_as_they_were_written),
        cmocka_unit_test(a_row_without_an_end_is_refused),
        cmocka_unit_test(a_cut_gzip_file_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
