/* SPDX-License-Identifier: Apache-2.0 */
/* test_store_status - what barod says of its metric store, as a table. */
#include "base/span.h"
#include "base/test/testing.h"
#include "client/client.h"

static void numbers_are_rows_and_texts_are_notes(void **state)
{
    AUTO(table_done) struct table table;
    struct err err = { 0 };
    (void)state;
    table_init(&table);
    assert_int_equal(store_status_read(
                         SPAN("{\"version\":7,\"records\":{\"rows\":9},"
                              "\"store\":{\"series\":12,\"bytes\":18446744073709551615,"
                              "\"warning\":\"slow\",\"levels\":{\"deep\":1}},"
                              "\"live\":{\"series\":5}}"),
                         &table, &err),
                     0);
    assert_int_equal(table.row_count, 2);
    assert_string_equal(table_at(&table, 0, 0)->text, "series");
    assert_int_equal(table_at(&table, 0, 1)->u64, 12);
    assert_true(table_at(&table, 1, 1)->u64 == UINT64_MAX);
    assert_int_equal(table.note_count, 1);
    assert_string_equal(table.notes[0], "warning: slow");
}

static void what_has_no_store_is_an_error(void **state)
{
    static const struct {
        const char *json;
        int want;
        const char *reason;
    } cases[] = {
        { "{}", -ENOENT, "this barod has no metric store: see barod.conf(5)" },
        { "{\"store\":null}", -ENOENT, "this barod has no metric store" },
        { "{\"store\":{\"series\":", -EBADMSG, "" },
        { "", -EBADMSG, "" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(table_done) struct table table;
        struct err err = { 0 };
        table_init(&table);
        int rc = store_status_read(span_of(cases[i].json), &table, &err);
        if (rc != cases[i].want || !strstr(err.text, cases[i].reason))
            fail_msg("%s: %d %s", cases[i].json, rc, err.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_rows_and_texts_are_notes),
        cmocka_unit_test(what_has_no_store_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
