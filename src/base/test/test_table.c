/* SPDX-License-Identifier: Apache-2.0 */
/* test_table - answers as tables, CSV and JSON, and back. */
#include "base/span.h"
#include "base/table/table.h"
#include "base/test/testing.h"

static void fill(struct table *t)
{
    table_init(t);
    table_add_column(t, "job", TABLE_TEXT, "");
    table_add_column(t, "write_bytes", TABLE_U64, "bytes");
    table_add_column(t, "rate", TABLE_DOUBLE, "bytes/s");
    table_add_column(t, "since", TABLE_TIME, "");
    table_add_row(t);
    table_set_text(t, 0, SPAN("113,\"x\""));
    table_set_u64(t, 1, UINT64_MAX);
    table_set_double(t, 2, 1536);
    table_set_i64(t, 3, INT64_C(1669010520000));
    table_add_row(t);
    table_set_text(t, 0, SPAN("caf\xc3\xa9"));
    table_add_note(t, "%d rows interpolated", 1);
}

static void people_see_units_and_aligned_columns(void **state)
{
    (void)state;
    AUTO(table_done) struct table t;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    fill(&t);
    table_print(&t, TABLE_FORM_TABLE, NULL, &out);
    assert_string_equal(strbuf_text(&out),
                        "job      write_bytes        rate  since\n"
                        "113,\"x\"     16.0 EiB  1.50 KiB/s  2022-11-21T06:02:00Z\n"
                        "caf\xc3\xa9               -           -  -\n"
                        "# 1 rows interpolated\n");
}

static void what_would_steer_a_terminal_is_shown_escaped(void **state)
{
    (void)state;
    static const struct {
        const char *name, *shown;
    } cases[] = {
        { "dd\033[2J\007", "dd\\x1B[2J\\x07" },
        { "a\nb\tc\177", "a\\x0Ab\\x09c\\x7F" },
        { "\xc2\x9b"
          "31m",
          "\\xC2\\x9B31m" },
        { "\xe2\x80\xae"
          "gnp",
          "\\xE2\\x80\\xAEgnp" },
        { "\xff"
          "x",
          "\\xFFx" },
        { "M\xc3\xbcller", "M\xc3\xbcller" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(table_done) struct table table;
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        struct table_print_opts opts = { .no_header = true };
        table_init(&table);
        table_add_column(&table, "job", TABLE_TEXT, "");
        table_add_row(&table);
        table_set_text(&table, 0, span_of(cases[i].name));
        table_print(&table, TABLE_FORM_TABLE, &opts, &out);
        strbuf_addc(&out, '\0');
        out.data[strcspn(out.data, "\n")] = '\0';
        assert_string_equal(out.data, cases[i].shown);
    }
}

static void csv_keeps_every_bit_and_quotes(void **state)
{
    (void)state;
    AUTO(table_done) struct table t;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    fill(&t);
    table_print(&t, TABLE_FORM_CSV, NULL, &out);
    assert_string_equal(
        strbuf_text(&out),
        "job,write_bytes,rate,since\n"
        "\"113,\"\"x\"\"\",18446744073709551615,1536,2022-11-21T06:02:00.000Z\n"
        "caf\xc3\xa9,,,\n");
}

static void json_comes_back_equal(void **state)
{
    (void)state;
    AUTO(table_done) struct table t;
    AUTO(table_done) struct table back;
    AUTO(strbuf_done) struct strbuf json = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf again = STRBUF_INIT;
    struct err err = { 0 };
    fill(&t);
    table_to_json(&t, &json);
    table_init(&back);
    if (table_from_json(strbuf_span(&json), &back, &err) < 0)
        fail_msg("%s", err.text);
    table_to_json(&back, &again);
    assert_string_equal(strbuf_text(&json), strbuf_text(&again));
}

static void a_narrow_terminal_cuts_texts(void **state)
{
    (void)state;
    AUTO(table_done) struct table t;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    table_init(&t);
    table_add_column(&t, "name", TABLE_TEXT, "");
    table_add_row(&t);
    table_set_text(&t, 0, SPAN("abcdefghijklmnop"));
    struct table_print_opts opts = { .width = 10 };
    table_print(&t, TABLE_FORM_TABLE, &opts, &out);
    assert_string_equal(strbuf_text(&out), "name\nabcdefghi\xe2\x80\xa6\n");
}

static void what_is_no_table_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "{}",
        "[]",
        "",
        "{\"columns\":[]}",
        "{\"rows\":[]}",
        "{\"columns\":[],\"rows\":3}",
        "{\"error\":[{\"rows\":[],\"columns\":[]}]}",
        "{\"columns\":[{\"name\":\"a\",\"type\":\"u64\"}],\"rows\":[[1,2]]}",
        "{\"columns\":[{\"name\":\"a\",\"type\":\"u64\"}],\"rows\":[[\"x\"]]}",
        "{\"columns\":[{\"name\":\"a\",\"type\":\"odd\"}]}",
        "{\"columns\":",
        "{\"rows\":[[]],\"columns\":[{\"name\":\"a\",\"type\":\"u64\"}]}",
        "{\"columns\":[{\"name\":\"a\",\"type\":\"u64\"}],\"rows\":"
        "[[99999999999999999999]]}",
    };
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        AUTO(table_done) struct table t;
        struct err err = { 0 };
        table_init(&t);
        if (table_from_json(span_of(bad[i]), &t, &err) == 0)
            fail_msg("accepted: %s", bad[i]);
        if (!err.text[0])
            fail_msg("nothing is said of %s", bad[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(people_see_units_and_aligned_columns),
        cmocka_unit_test(what_would_steer_a_terminal_is_shown_escaped),
        cmocka_unit_test(csv_keeps_every_bit_and_quotes),
        cmocka_unit_test(json_comes_back_equal),
        cmocka_unit_test(a_narrow_terminal_cuts_texts),
        cmocka_unit_test(what_is_no_table_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
