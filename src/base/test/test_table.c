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

static void fill_rates(struct table *t)
{
    table_init(t);
    table_add_column(t, "job", TABLE_TEXT, "");
    table_add_column(t, "user", TABLE_TEXT, "");
    table_add_column(t, "write_bytes", TABLE_DOUBLE, "bytes/s");
    table_add_column(t, "since", TABLE_TEXT, "");
    table_add_column(t, "nodes", TABLE_U64, "");
    table_add_column(t, "trend", TABLE_TEXT, "");
    table_add_row(t);
    table_set_text(t, 0, SPAN("python3.11.1760"));
    table_set_text(t, 1, SPAN("17600058"));
    table_set_double(t, 2, 1536);
    table_set_text(t, 3, SPAN("before 03:56:56Z"));
    table_set_u64(t, 4, 8);
    table_set_text(t, 5, SPAN("12345678"));
}

/* The rates of a job as `top` has them, at the widths that terminals have. */
static void a_narrow_terminal_leaves_the_last_columns_out(void **state)
{
#define WHOLE                                                                  \
    "job              user      write_bytes  since             nodes  trend\n" \
    "python3.11.1760  17600058   1.50 KiB/s  before 03:56:56Z      8  12345678\n"
#define CUT "\xe2\x80\xa6"
    static const struct {
        unsigned width;
        const char *shown;
    } cases[] = {
        { 0, WHOLE },
        { 73, WHOLE },
        { 70, "job              user      write_bytes  since          nodes  trend\n"
              "python3.11.1760  17600058   1.50 KiB/s  before 03:56" CUT
              "      8  12345678\n" },
        { 62, "job              user      write_bytes  since            nodes\n"
              "python3.11.1760  17600058   1.50 KiB/s  before 03:56:5" CUT "      8\n"
              "# left out of 62 columns: trend\n" },
        { 30, "job              user\n"
              "python3.11.1760  17600058\n"
              "# left out of 30 columns: write_bytes, since, nodes, trend\n" },
        { 10, "job\n"
              "python3.1" CUT "\n"
              "# left out of 10 columns: user, write_bytes, since, nodes, trend\n" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(table_done) struct table t;
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        struct table_print_opts opts = { .width = cases[i].width };
        fill_rates(&t);
        table_print(&t, TABLE_FORM_TABLE, &opts, &out);
        assert_string_equal(strbuf_text(&out), cases[i].shown);
    }
#undef WHOLE
#undef CUT
}

/* Of what a person sees no column says nothing while one with values is left out. */
static void what_says_nothing_is_left_out_first(void **state)
{
    static const struct {
        unsigned width;
        const char *shown;
    } cases[] = {
        { 0, "job  submit  partition   share  share_of     nodes\n"
             "17   -       -          12.5 %  write_bytes      8\n" },
        { 40, "job  submit   share  share_of     nodes\n"
              "17   -       12.5 %  write_bytes      8\n"
              "# left out of 40 columns: partition\n" },
        { 36, "job   share  share_of     nodes\n"
              "17   12.5 %  write_bytes      8\n"
              "# left out of 36 columns: submit, partition\n" },
        { 20, "job\n17\n# left out of 20 columns: submit, partition, share, share_of, "
              "nodes\n" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(table_done) struct table t;
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        struct table_print_opts opts = { .width = cases[i].width };
        table_init(&t);
        table_add_column(&t, "job", TABLE_TEXT, "");
        table_add_column(&t, "submit", TABLE_TIME, "");
        table_add_column(&t, "partition", TABLE_TEXT, "");
        table_add_column(&t, "share", TABLE_DOUBLE, "%");
        table_add_column(&t, "share_of", TABLE_TEXT, "");
        table_add_column(&t, "nodes", TABLE_U64, "");
        table_add_row(&t);
        table_set_text(&t, 0, SPAN("17"));
        table_set_double(&t, 3, 12.5);
        table_set_text(&t, 4, SPAN("write_bytes"));
        table_set_u64(&t, 5, 8);
        table_print(&t, TABLE_FORM_TABLE, &opts, &out);
        assert_string_equal(strbuf_text(&out), cases[i].shown);
    }
}

static void numbers_are_never_cut(void **state)
{
    AUTO(table_done) struct table t;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct table_print_opts opts = { .width = 12, .no_header = true };
    (void)state;
    table_init(&t);
    table_add_column(&t, "id", TABLE_U64, "");
    table_add_column(&t, "rows", TABLE_U64, "");
    table_add_row(&t);
    table_set_u64(&t, 0, UINT64_MAX);
    table_set_u64(&t, 1, 7);
    table_print(&t, TABLE_FORM_TABLE, &opts, &out);
    assert_string_equal(strbuf_text(&out),
                        "18446744073709551615\n# left out of 12 columns: rows\n");
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

static void a_column_may_come_between_when_there_are_rows(void **state)
{
    (void)state;
    for (size_t at = 0; at <= 4; at++) {
        AUTO(table_done) struct table t;
        fill(&t);
        table_insert_column(&t, at, "name", TABLE_TEXT, "");
        assert_int_equal(table_error(&t), 0);
        assert_int_equal(t.column_count, 5);
        assert_int_equal(table_find_column(&t, "name"), (int)at);
        assert_true(table_at(&t, 0, at)->is_null && table_at(&t, 1, at)->is_null);
        table_set_text_at(&t, 0, at, SPAN("alice"));
        table_set_text_at(&t, 1, at, (struct span){ 0 });
        assert_string_equal(table_at(&t, 0, at)->text, "alice");
        assert_true(table_at(&t, 1, at)->is_null);
        assert_string_equal(table_at(&t, 0, at == 0 ? 1 : 0)->text, "113,\"x\"");
        assert_true(table_at(&t, 0, at <= 3 ? 4 : 3)->i64 == INT64_C(1669010520000));
        table_add_row(&t);
        table_set_text(&t, at, SPAN("bob"));
        assert_string_equal(table_at(&t, 2, at)->text, "bob");
    }
    AUTO(table_done) struct table empty;
    table_init(&empty);
    table_insert_column(&empty, 0, "a", TABLE_U64, "");
    table_insert_column(&empty, 0, "b", TABLE_U64, "");
    table_add_row(&empty);
    assert_int_equal(table_find_column(&empty, "b"), 0);
}

static void notes_are_broken_at_the_width_and_nowhere_else(void **state)
{
    static const struct {
        unsigned width;
        const char *want;
    } cases[] = {
        { 0, "# one two three four five six seven eight nine ten eleven\n" },
        { 58, "# one two three four five six seven eight nine ten eleven\n" },
        { 50, "# one two three four five six seven eight nine ten\n# eleven\n" },
        { 42, "# one two three four five six seven eight\n# nine ten eleven\n" },
        { 20, "# one two three four five six seven eight nine ten eleven\n" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(table_done) struct table table;
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        struct table_print_opts opts = { .width = cases[i].width, .no_header = true };
        table_init(&table);
        table_add_column(&table, "n", TABLE_U64, "");
        table_add_note(&table,
                       "one two three four five six seven eight nine ten eleven");
        table_print(&table, TABLE_FORM_TABLE, &opts, &out);
        assert_string_equal(strbuf_text(&out), cases[i].want);
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
        cmocka_unit_test(a_narrow_terminal_leaves_the_last_columns_out),
        cmocka_unit_test(what_says_nothing_is_left_out_first),
        cmocka_unit_test(numbers_are_never_cut),
        cmocka_unit_test(what_is_no_table_is_refused),
        cmocka_unit_test(a_column_may_come_between_when_there_are_rows),
        cmocka_unit_test(notes_are_broken_at_the_width_and_nowhere_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
