/* SPDX-License-Identifier: Apache-2.0 */
/* test_csv - rows of fields, quoted or not. */
#include "analysis/table/table.h"
#include "base/file.h"
#include "base/test/testing.h"

/* The fields of all rows, "|" after each and "/" after a row. */
static int read_form(const char *text, size_t size, const struct csv_form *form,
                     struct strbuf *out, struct err *err)
{
    char path[] = "/tmp/baro-csv-XXXXXX";
    AUTO_CLOSE int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(file_write_all(fd, text, size), 0);
    AUTO(csv_close) struct csv *csv = NULL;
    int rc = csv_open_form(path, form, &csv, err);
    (void)unlink(path);
    if (rc < 0)
        return rc;
    const struct span *fields;
    size_t count;
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

static int read_all(const char *text, size_t size, struct strbuf *out, struct err *err)
{
    static const struct csv_form commas = { .separator = ',' };
    return read_form(text, size, &commas, out, err);
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
        { "\xEF\xBB\xBF"
          "a,b\n",
          "1:a|b|/" },
        { "a,b\r1,2\r\r3,4\r", "1:a|b|/2:1|2|/4:3|4|/" },
        { "a,b\r\r\n1,2\r\r\n", "1:a|b|/3:1|2|/" },
        { "3.5\" disk,x\n", "1:3.5\" disk|x|/" },
        { "a, \"b,c\"d \"e\"\n", "1:a|b,cd \"e\"|/" },
        { "sep=;\na;b\n", "2:a;b|/" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        struct err err = { 0 };
        assert_int_equal(read_all(cases[i].text, strlen(cases[i].text), &out, &err), 0);
        assert_string_equal(strbuf_text(&out), cases[i].rows);
    }
}

static void forms_say_what_divides_fields(void **state)
{
    (void)state;
    static const struct {
        struct csv_form form;
        const char *text, *rows;
    } cases[] = {
        { { 0 }, "a;b;c\n1,5;2;3\n", "1:a|b|c|/2:1,5|2|3|/" },
        { { 0 }, "a, b\tc\nd, e\tf\n", "1:a, b|c|/2:d, e|f|/" },
        { { 0 }, "a|b\n\"x|,,,y\"|z\n", "1:a|b|/2:x|,,,y|z|/" },
        { { 0 }, "sep=|\r\na;b|c;d\r\n", "2:a;b|c;d|/" },
        { { 0 }, "alone\n", "1:alone|/" },
        { { .separator = ' ' }, "  a \t b\n\"c d\"  \"\" \n", "1:a|b|/2:c d||/" },
        { { .separator = ',', .comment = '#' }, "#x\na\n# \"y\nb\n#", "2:a|/4:b|/" },
        { { .separator = ',', .skip_lines = 2 }, "one\r\n\r\na,b\n", "3:a|b|/" },
        { { .skip_lines = 1 }, "title\r\na;b\r\n1,5;2\r\n", "2:a|b|/3:1,5|2|/" },
        { { .separator = ',', .no_quotes = true }, "\"a,b\"\n", "1:\"a|b\"|/" },
        { { .separator = ',', .is_latin1 = true },
          "\xF6,\"\xDF\"\n",
          "1:\xC3\xB6|\xC3\x9F|/" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        struct err err = { 0 };
        assert_int_equal(
            read_form(cases[i].text, strlen(cases[i].text), &cases[i].form, &out, &err),
            0);
        assert_string_equal(strbuf_text(&out), cases[i].rows);
    }
}

static void what_is_no_text_is_told_with_the_remedy(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t size;
        const char *remedy;
    } cases[] = {
        { "PK\x03\x04....", 8, "unpack it" },
        { "SQLite format 3", 16, "sqlite3" },
        { "\xFF\xFE"
          "a\0",
          4, "iconv" },
        { "\x1f\x8b\x07\x07garbage", 11, "damaged" },
        { "\x28\xb5\x2f\xfd", 4, "cut short" },
        { "BZh9garbage", 11, "damaged" },
        { "\xfd"
          "7zXZ\0",
          6, "cut short" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        struct err err = { 0 };
        assert_true(read_all(cases[i].bytes, cases[i].size, &out, &err) < 0);
        if (!strstr(err.text, cases[i].remedy))
            fail_msg("%s", err.text);
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
        cmocka_unit_test(forms_say_what_divides_fields),
        cmocka_unit_test(what_is_no_text_is_told_with_the_remedy),
        cmocka_unit_test(a_row_without_an_end_is_refused),
        cmocka_unit_test(a_cut_gzip_file_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
