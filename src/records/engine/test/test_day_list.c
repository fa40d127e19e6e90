/* SPDX-License-Identifier: Apache-2.0 */
/* test_day_list - the list of days: ordered, found, loaded. */
#include "records/engine/day_list.h"

#include "base/span.h"
#include "base/test/testing.h"
#include "records/engine/test/scripted.h"

static void days_are_ordered_however_they_come(void **state)
{
    (void)state;
    AUTO(day_list_done) struct day_list list = { 0 };
    /* More than the first capacity, alternately at the front and at the end. */
    for (int i = 0; i < 100; i++) {
        const struct day_span day = { .day = 1000 + (i % 2 ? i : -i), .span_ms = i };
        assert_int_equal(day_list_add(&list, day), 0);
    }
    assert_int_equal(list.count, 100);
    for (size_t i = 1; i < list.count; i++)
        assert_true(list.days[i - 1].day < list.days[i].day);
    assert_int_equal(day_list_find(&list, 1099)->span_ms, 99);
    assert_int_equal(day_list_find(&list, 902)->span_ms, 98);
    assert_null(day_list_find(&list, 1002));
}

static void an_empty_list_has_no_day(void **state)
{
    (void)state;
    const struct day_list list = { 0 };
    assert_null(day_list_find(&list, 0));
}

static void loading_replaces_what_was_there(void **state)
{
    (void)state;
    static const struct scripted_cell rows[][SCRIPTED_COLUMNS_MAX] = {
        { CELL_NUMBER(20261121), CELL_NUMBER(5000) },
        { CELL_NUMBER(20261122), CELL_NUMBER(7000) },
    };
    AUTO(scripted_done)
    struct scripted script = { .rows = rows, .row_count = COUNT_OF(rows) };
    const struct sql_conn conn = scripted_conn(&script);
    AUTO(day_list_done) struct day_list list = { 0 };
    assert_int_equal(day_list_add(&list, (struct day_span){ .day = 1 }), 0);
    assert_int_equal(day_list_load(&list, &conn, TARGET_MDT, 20261121, NULL), 0);
    assert_int_equal(list.count, 2);
    assert_null(day_list_find(&list, 1));
    assert_int_equal(day_list_find(&list, 20261122)->span_ms, 7000);
    assert_true(span_is(script.values[0].text, "mdt"));
    assert_int_equal(script.values[1].i64, 20261121);
}

static void a_failed_load_is_reported(void **state)
{
    (void)state;
    AUTO(scripted_done) struct scripted script = { .fails = -EAGAIN };
    const struct sql_conn conn = scripted_conn(&script);
    AUTO(day_list_done) struct day_list list = { 0 };
    struct err err = { 0 };
    assert_int_equal(day_list_load(&list, &conn, TARGET_OST, 0, &err), -EAGAIN);
    assert_true(*err.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(days_are_ordered_however_they_come),
        cmocka_unit_test(an_empty_list_has_no_day),
        cmocka_unit_test(loading_replaces_what_was_there),
        cmocka_unit_test(a_failed_load_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
