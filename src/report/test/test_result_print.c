/* SPDX-License-Identifier: Apache-2.0 */
/* test_result_print - a result's table for people, and exact for programs. */
#include "base/span.h"
#include "base/test/testing.h"
#include "report/report.h"

#define T_MS INT64_C(1669014000000) /* 2022-11-21T07:00:00Z */
#define DAY_MS INT64_C(86400000)

/* As baro jobstats top has it: two groups, one that began before looking did. */
static void top_make(struct table *table, int64_t older_ms)
{
    table_init(table);
    table_add_column(table, "job", TABLE_TEXT, "");
    table_add_column(table, "write_bytes_rate", TABLE_DOUBLE, "bytes/s");
    table_add_column(table, "since", TABLE_TIME, "");
    table_add_column(table, "since_is_cut", TABLE_BOOL, "");
    table_add_column(table, "trend", TABLE_TEXT, "");
    for (int i = 0; i < 2; i++) {
        table_add_row(table);
        table_set_text(table, 0, i ? SPAN("8") : SPAN("7"));
        table_set_double(table, 1, i ? 0.5 : 1048576);
        table_set_i64(table, 2, i ? T_MS - older_ms : T_MS);
        table_set_bool(table, 3, i == 1);
        table_set_text(table, 4, i ? SPAN("018") : SPAN("800"));
    }
    table_add_note(table, "a note");
}

static void print(const struct table *table, const char *output, bool raw,
                  bool has_utf8, struct strbuf *out, struct strbuf *notes)
{
    const struct screen screen = { .has_utf8 = has_utf8 };
    struct result_form form;
    struct err err = { 0 };
    if (result_form_init(&form, output, raw, &screen, &err) < 0)
        fail_msg("%s", err.text);
    strbuf_clear(out);
    strbuf_clear(notes);
    result_print(table, &form, out, notes);
    assert_int_equal(strbuf_error(out), 0);
}

static void has(const struct strbuf *out, const char *text, bool is_there)
{
    if ((strstr(strbuf_text(out), text) != NULL) != is_there)
        fail_msg("'%s' in:\n%s", text, strbuf_text(out));
}

static void a_form_that_is_none_is_refused_with_the_choices(void **state)
{
    const struct screen screen = { .is_terminal = true, .width = 80 };
    struct result_form form = { .form = TABLE_FORM_CSV };
    struct err err = { 0 };
    (void)state;
    assert_int_equal(result_form_init(&form, "xml", false, &screen, &err), -EINVAL);
    assert_string_equal(err.text,
                        "--output: invalid value 'xml' (choose table, json, csv)");
    assert_int_equal(form.form, TABLE_FORM_CSV);
    assert_int_equal(result_form_init(&form, NULL, true, &screen, &err), 0);
    assert_true(form.form == TABLE_FORM_TABLE && form.print.raw_units);
    assert_true(form.print.width == 80 && form.print.colour && !form.has_blocks);
}

static void trends_are_blocks_where_the_terminal_has_them(void **state)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf notes = STRBUF_INIT;
    AUTO(table_done) struct table table;
    (void)state;
    top_make(&table, 60000);
    print(&table, NULL, false, true, &out, &notes);
    has(&out, "\xe2\x96\x88  ", true);            /* 800 */
    has(&out, " \xe2\x96\x81\xe2\x96\x88", true); /* 018 */
    print(&table, NULL, false, false, &out, &notes);
    has(&out, "\xe2\x96", false);
    has(&out, "trend", false);
}

static void since_is_a_time_of_day_within_a_day(void **state)
{
    static const struct {
        int64_t older_ms;
        const char *want;
    } cases[] = {
        { 0, "before 07:00:00Z" },
        { 60000, "before 06:59:00Z" },
        { DAY_MS - 1, "before 07:00:00Z" },
        { DAY_MS, "before 2022-11-20T07:00:00Z" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        AUTO(strbuf_done) struct strbuf notes = STRBUF_INIT;
        AUTO(table_done) struct table table;
        top_make(&table, cases[i].older_ms);
        print(&table, NULL, false, true, &out, &notes);
        has(&out, cases[i].want, true);
        has(&out, "since_is_cut", false);
    }
}

static void a_rate_stands_under_its_operations_name(void **state)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf notes = STRBUF_INIT;
    AUTO(table_done) struct table table, both;
    (void)state;
    top_make(&table, 0);
    print(&table, NULL, false, true, &out, &notes);
    has(&out, "write_bytes ", true);
    has(&out, "write_bytes_rate", false);
    has(&out, "1.00 MiB/s", true);
    print(&table, NULL, true, true, &out, &notes);
    has(&out, "1048576", true);
    /* where its total has that name, it keeps its own */
    table_init(&both);
    table_add_column(&both, "open_rate", TABLE_DOUBLE, "1/s");
    table_add_column(&both, "open", TABLE_U64, "count");
    table_add_row(&both);
    print(&both, NULL, false, true, &out, &notes);
    has(&out, "open_rate", true);
}

/* The column "unit" of a row says what its numbers are. */
static void a_rows_own_unit_scales_its_numbers(void **state)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf notes = STRBUF_INIT;
    AUTO(table_done) struct table table;
    (void)state;
    table_init(&table);
    table_add_column(&table, "operation", TABLE_TEXT, "");
    table_add_column(&table, "total", TABLE_U64, "");
    table_add_column(&table, "rate", TABLE_DOUBLE, "");
    table_add_column(&table, "unit", TABLE_TEXT, "");
    for (int i = 0; i < 2; i++) {
        table_add_row(&table);
        table_set_text(&table, 0, i ? SPAN("open") : SPAN("write_bytes"));
        table_set_u64(&table, 1, 2097152);
        table_set_double(&table, 2, 1024);
        table_set_text(&table, 3, i ? SPAN("count") : SPAN("bytes"));
    }
    print(&table, NULL, false, true, &out, &notes);
    has(&out, "2.00 MiB", true);
    has(&out, "1.00 KiB/s", true);
    has(&out, "2.10 M", true);
    print(&table, NULL, true, true, &out, &notes);
    has(&out, "MiB", false);
    has(&out, "2097152", true);
}

static void programs_get_every_column_and_the_notes_apart(void **state)
{
    static const char *const forms[] = { "json", "csv" };
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf notes = STRBUF_INIT;
    AUTO(table_done) struct table table;
    (void)state;
    top_make(&table, 60000);
    for (size_t i = 0; i < COUNT_OF(forms); i++) {
        print(&table, forms[i], false, true, &out, &notes);
        has(&out, "write_bytes_rate", true);
        has(&out, "since_is_cut", true);
        has(&out, "018", true);
        has(&out, "1048576", true);
        has(&out, "a note", false);
        assert_string_equal(strbuf_text(&notes), "# a note\n");
        assert_int_equal(out.data[out.size - 1], '\n');
    }
    print(&table, NULL, false, true, &out, &notes);
    has(&out, "a note", true);
    assert_int_equal(notes.size, 0);
}

static void names_stand_with_their_numbers_for_people(void **state)
{
    (void)state;
    AUTO(table_done) struct table table;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf notes = STRBUF_INIT;
    table_init(&table);
    table_add_column(&table, "user", TABLE_TEXT, "");
    table_add_column(&table, "user_name", TABLE_TEXT, "");
    table_add_column(&table, "group", TABLE_TEXT, "");
    table_add_column(&table, "group_name", TABLE_TEXT, "");
    table_add_row(&table);
    table_set_text(&table, 0, SPAN("1001"));
    table_set_text(&table, 1, SPAN("alice"));
    table_set_text(&table, 2, SPAN("100"));
    table_add_row(&table);
    print(&table, NULL, false, true, &out, &notes);
    assert_string_equal(strbuf_text(&out), "user          group\n"
                                           "alice (1001)  100\n"
                                           "-             -\n");
    print(&table, "csv", false, true, &out, &notes);
    has(&out, "user,user_name,group,group_name\n1001,alice,100,\n", true);
}

/* One operation is in the heading; where rows differ it has a column. */
static void a_share_names_what_it_is_of(void **state)
{
    static const struct {
        const char *ops[2], *want;
    } rows[] = {
        { { "write_bytes", "write_bytes" }, "share of write_bytes\n" },
        { { "write_bytes", "metadata" }, "share  share_of" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        AUTO(table_done) struct table table;
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        AUTO(strbuf_done) struct strbuf notes = STRBUF_INIT;
        const struct result_form form = { .form = TABLE_FORM_TABLE };
        table_init(&table);
        table_add_column(&table, "share", TABLE_DOUBLE, "%");
        table_add_column(&table, "share_of", TABLE_TEXT, "");
        for (size_t j = 0; j < 2; j++) {
            table_add_row(&table);
            table_set_double(&table, 0, 50);
            table_set_text(&table, 1, span_of(rows[i].ops[j]));
        }
        result_print(&table, &form, &out, &notes);
        if (!strstr(strbuf_text(&out), rows[i].want))
            fail_msg("%s", strbuf_text(&out));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_form_that_is_none_is_refused_with_the_choices),
        cmocka_unit_test(trends_are_blocks_where_the_terminal_has_them),
        cmocka_unit_test(since_is_a_time_of_day_within_a_day),
        cmocka_unit_test(a_rate_stands_under_its_operations_name),
        cmocka_unit_test(a_rows_own_unit_scales_its_numbers),
        cmocka_unit_test(programs_get_every_column_and_the_notes_apart),
        cmocka_unit_test(names_stand_with_their_numbers_for_people),
        cmocka_unit_test(a_share_names_what_it_is_of),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
