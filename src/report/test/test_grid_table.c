/* SPDX-License-Identifier: Apache-2.0 */
/* test_grid_table - a grid as CSV, and as a row of a list of measures. */
#include "base/cleanup.h"
#include "base/test/testing.h"
#include "report/grid_table.h"

#include <math.h>

static double values[] = { 1, 0.1, NAN, 1e20, -0.0, NAN };
static char *columns[] = { "fs-OST0000", "fs-OST0001" };

static struct lmt_grid grid_make(void)
{
    struct lmt_grid grid = { 0 };
    lmt_grid_init(&grid, 1500000000, 1500000015);
    grid.start_s = 1500000000;
    grid.step_s = 5;
    grid.row_count = 3;
    grid.column_count = 2;
    grid.columns = columns;
    grid.values = values;
    return grid;
}

static void rows_are_times_and_shortest_numbers(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    const struct lmt_grid grid = grid_make();
    grid_csv_head(&grid, &out);
    for (size_t row = 0; row < grid.row_count; row++)
        grid_csv_row(&grid, row, &out);
    assert_string_equal(strbuf_text(&out), "time,fs-OST0000,fs-OST0001\n"
                                           "1500000000,1,0.1\n"
                                           "1500000005,,1e+20\n"
                                           "1500000010,-0,\n");
}

static void a_measure_has_its_window_and_what_is_missing(void **state)
{
    (void)state;
    AUTO(table_done) struct table t;
    const struct lmt_grid grid = grid_make();
    table_init(&t);
    grid_list_columns(&t);
    grid_list_add(&t, LMT_READ_BYTES, &grid);
    assert_int_equal(t.row_count, 1);
    assert_string_equal(table_at(&t, 0, 0)->text, "datatargets/readbytes");
    assert_string_equal(table_at(&t, 0, 1)->text, "bytes");
    assert_true(table_at(&t, 0, 2)->i64 == INT64_C(1500000000000));
    assert_true(table_at(&t, 0, 3)->i64 == INT64_C(1500000015000));
    assert_int_equal(table_at(&t, 0, 4)->i64, 5);
    assert_int_equal(table_at(&t, 0, 5)->u64, 3);
    assert_int_equal(table_at(&t, 0, 6)->u64, 2);
    assert_true(fabs(table_at(&t, 0, 7)->dbl - 2.0 / 6) < 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_times_and_shortest_numbers),
        cmocka_unit_test(a_measure_has_its_window_and_what_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
