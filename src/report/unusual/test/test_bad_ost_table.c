/* SPDX-License-Identifier: Apache-2.0 */
/* test_bad_ost_table - targets whose files were slower, as a table of several logs. */
#include "base/test/testing.h"
#include "report/unusual/bad_ost_table.h"

#include <math.h>

static void each_log_has_its_targets_in_their_order(void **state)
{
    (void)state;
    AUTO(table_done) struct table t;
    AUTO(strbuf_done) struct strbuf csv = STRBUF_INIT;
    const struct table_print_opts raw = { .raw_units = true };
    struct bad_ost_target slow[] = { { 7, 2, -0.875, 0.001, 0.002 },
                                     { 3, 8, 0.5, 0.25, 0.5 } };
    struct bad_ost_target one[] = { { 0, 4, NAN, NAN, NAN } };
    const struct bad_ost first = { .targets = slow, .target_count = 2, .files = 10 };
    const struct bad_ost second = {
        .targets = one, .target_count = 1, .files = 4, .no_speed = 3, .no_layout = 9
    };
    bad_ost_table_init(&t);
    bad_ost_table_add(&t, "a.darshan", &first);
    bad_ost_table_add(&t, "b.darshan", &second);
    assert_int_equal(table_error(&t), 0);
    table_print(&t, TABLE_FORM_CSV, &raw, &csv);
    assert_string_equal(strbuf_text(&csv), "log,ost,files_on,files,r,p,p_many\n"
                                           "a.darshan,7,2,10,-0.875,0.001,0.002\n"
                                           "a.darshan,3,8,10,0.5,0.25,0.5\n"
                                           "b.darshan,0,4,4,,,\n");
    assert_int_equal(t.note_count, 1);
    assert_string_equal(t.notes[0],
                        "b.darshan: 3 files moved nothing or needed no time: left out");
}

static void without_a_log_there_are_only_columns(void **state)
{
    (void)state;
    AUTO(table_done) struct table t;
    bad_ost_table_init(&t);
    assert_int_equal(t.column_count, 7);
    assert_int_equal(t.row_count, 0);
    assert_int_equal(t.note_count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_log_has_its_targets_in_their_order),
        cmocka_unit_test(without_a_log_there_are_only_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
