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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_form_has_the_wanted_parts),
        cmocka_unit_test(what_cannot_be_formed_is_refused),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
