/* SPDX-License-Identifier: Apache-2.0 */
/* test_csv_field - fields of CSV, written and cut off a row. */
#include "base/span.h"
#include "base/table/csv_field.h"

#include "base/test/testing.h"

static void a_field_is_quoted_where_it_must_be(void **state)
{
    static const struct {
        const char *field, *want;
    } cases[] = {
        { "plain", "plain" },
        { "two words", "two words" },
        { "", "\"\"" },
        { "a,b", "\"a,b\"" },
        { "he said \"no\"", "\"he said \"\"no\"\"\"" },
        { "line\nline", "\"line\nline\"" },
        { "cr\r", "\"cr\r\"" },
        { "\"", "\"\"\"\"" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        csv_field_add(&out, span_of(cases[i].field));
        assert_string_equal(strbuf_text(&out), cases[i].want);
    }
}

static void what_was_written_is_cut_again(void **state)
{
    static const char *const fields[] = { "a",      "",         "b,c", "\"",
                                          "x\"\"y", "one\ntwo", ",",   "end" };
    AUTO(strbuf_done) struct strbuf row = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf field = STRBUF_INIT;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(fields); i++) {
        csv_field_add(&row, span_of(fields[i]));
        strbuf_addc(&row, i + 1 < COUNT_OF(fields) ? ',' : '\n');
    }
    struct span rest = strbuf_span(&row);
    for (size_t i = 0; i < COUNT_OF(fields); i++) {
        csv_field_cut(&rest, &field);
        assert_string_equal(strbuf_text(&field), fields[i]);
    }
    assert_int_equal(rest.size, 0);
}

static void a_row_that_is_cut_short_ends(void **state)
{
    static const char *const rows[] = { "\"never closed", "\"closed\"", "last", "\"" };
    AUTO(strbuf_done) struct strbuf field = STRBUF_INIT;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct span rest = span_of(rows[i]);
        csv_field_cut(&rest, &field);
        assert_int_equal(rest.size, 0);
        csv_field_cut(&rest, &field);
        assert_int_equal(field.size, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_field_is_quoted_where_it_must_be),
        cmocka_unit_test(what_was_written_is_cut_again),
        cmocka_unit_test(a_row_that_is_cut_short_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
