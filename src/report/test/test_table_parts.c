/* SPDX-License-Identifier: Apache-2.0 */
/* test_table_parts - results that are several tables with names. */
#include "base/span.h"
#include "base/test/testing.h"
#include "report/report.h"

static struct table summary, sets, empty;
static struct table_part parts[] = {
    { "summary", &summary },
    { "sets", &sets },
    { "empty", &empty },
};

static int setup(void **state)
{
    (void)state;
    table_init(&summary);
    table_init(&sets);
    table_init(&empty);
    table_add_column(&summary, "a", TABLE_U64, "");
    table_add_row(&summary);
    table_set_u64(&summary, 0, 7);
    table_add_note(&summary, "a note");
    table_add_column(&sets, "b", TABLE_TEXT, "");
    table_add_row(&sets);
    table_set_text(&sets, 0, SPAN("x"));
    table_add_column(&empty, "c", TABLE_U64, "");
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    table_done(&summary);
    table_done(&sets);
    table_done(&empty);
    return 0;
}

static int form(const char *output, const char **wanted, size_t wanted_count,
                struct strbuf *out, struct strbuf *notes, struct err *err)
{
    const struct table_parts_args args = { output, { wanted, wanted_count } };
    const struct screen screen = { 0 };
    return table_parts_form("baro x", parts, COUNT_OF(parts), &args, &screen, out,
                            notes, err);
}

static void each_form_has_the_wanted_parts(void **state)
{
    static const char *one[] = { "sets" }, *two[] = { "empty", "summary" },
                      *alone[] = { "summary" }, *none[] = { "empty" };
    static const struct {
        const char *output, **wanted;
        size_t count;
        const char *out, *notes;
    } cases[] = {
        { "json", NULL, 0,
          "{\"summary\":[\n {\"a\":7}\n]\n,\n\"sets\":[\n {\"b\":\"x\"}\n]\n,\n"
          "\"empty\":[\n]\n}\n",
          "" },
        { "json", one, 1, "{\"sets\":[\n {\"b\":\"x\"}\n]\n}\n", "" },
        { "csv", alone, 1, "a\n7\n", "baro x: a note\n" },
        { "csv", none, 1, "c\n", "" },
        { NULL, one, 1, "sets\nb\nx\n\n", "" },
        { "table", two, 2, "summary\na\n7\n# a note\n\n", "" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        AUTO(strbuf_done) struct strbuf notes = STRBUF_INIT;
        struct err err = { 0 };
        if (form(cases[i].output, cases[i].wanted, cases[i].count, &out, &notes, &err) <
            0)
            fail_msg("%zu: %s", i, err.text);
        assert_string_equal(strbuf_text(&out), cases[i].out);
        assert_string_equal(strbuf_text(&notes), cases[i].notes);
    }
}

static void what_cannot_be_formed_is_refused(void **state)
{
    static const char *unknown[] = { "sets", "x" }, *two[] = { "sets", "summary" };
    static const struct {
        const char *output, **wanted;
        size_t count;
        const char *reason;
    } cases[] = {
        { "xml", NULL, 0, "--output: invalid value 'xml' (choose table, json, csv)" },
        { NULL, unknown, 2,
          "--table: invalid value 'x' (choose summary, sets, empty)" },
        { "csv", NULL, 0, "--output csv wants one --table" },
        { "csv", two, 2, "--output csv wants one --table" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        AUTO(strbuf_done) struct strbuf notes = STRBUF_INIT;
        struct err err = { 0 };
        assert_int_equal(
            form(cases[i].output, cases[i].wanted, cases[i].count, &out, &notes, &err),
            -EINVAL);
        assert_string_equal(err.text, cases[i].reason);
        assert_int_equal(out.size, 0);
    }
}

static void parts_are_one_table_with_their_names(void **state)
{
    AUTO(table_done) struct table first, second, joined;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    const struct table_part two[] = { { "one", &first }, { "two", &second } };
    (void)state;
    table_init(&first);
    table_init(&second);
    table_init(&joined);
    table_add_column(&first, "name", TABLE_TEXT, "");
    table_add_column(&first, "total", TABLE_U64, "bytes");
    table_add_column(&first, "share", TABLE_DOUBLE, "");
    table_add_row(&first);
    table_set_text(&first, 0, SPAN("a,b"));
    table_set_u64(&first, 1, UINT64_MAX);
    table_set_double(&first, 2, 0.5);
    table_add_note(&first, "a note");
    table_add_column(&second, "total", TABLE_DOUBLE, "");
    table_add_column(&second, "name", TABLE_TEXT, "");
    table_add_column(&second, "since", TABLE_TIME, "");
    table_add_column(&second, "less", TABLE_I64, "");
    table_add_column(&second, "is_good", TABLE_BOOL, "");
    table_add_row(&second);
    table_set_double(&second, 0, 1.5);
    table_set_text(&second, 1, SPAN("c"));
    table_set_i64(&second, 3, -7);
    table_set_bool(&second, 4, true);
    table_add_row(&second);
    table_set_i64(&second, 2, 0);
    assert_int_equal(table_parts_join(two, 2, &joined), 0);
    table_print(&joined, TABLE_FORM_CSV, NULL, &out);
    assert_string_equal(strbuf_text(&out),
                        "part,name,total,share,two_total,since,less,is_good\n"
                        "one,\"a,b\",18446744073709551615,0.5,,,,\n"
                        "two,c,,,1.5,,-7,true\n"
                        "two,,,,,1970-01-01T00:00:00.000Z,,\n");
    assert_int_equal(joined.note_count, 1);
    assert_string_equal(joined.notes[0], "a note");
}

static void no_parts_are_a_table_without_rows(void **state)
{
    AUTO(table_done) struct table joined;
    (void)state;
    table_init(&joined);
    assert_int_equal(table_parts_join(NULL, 0, &joined), 0);
    assert_int_equal(joined.column_count, 1);
    assert_int_equal(joined.row_count, 0);
}

static void too_many_columns_are_refused(void **state)
{
    AUTO(table_done) struct table wide, joined;
    const struct table_part part = { "wide", &wide };
    (void)state;
    table_init(&wide);
    table_init(&joined);
    for (int i = 0; i < TABLE_COLUMNS_MAX; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "c%d", i);
        table_add_column(&wide, name, TABLE_U64, "");
    }
    assert_int_equal(table_parts_join(&part, 1, &joined), -E2BIG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_form_has_the_wanted_parts),
        cmocka_unit_test(what_cannot_be_formed_is_refused),
        cmocka_unit_test(parts_are_one_table_with_their_names),
        cmocka_unit_test(no_parts_are_a_table_without_rows),
        cmocka_unit_test(too_many_columns_are_refused),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
