/* SPDX-License-Identifier: Apache-2.0 */
/* test_owner_table - what users hold of file systems, as a table. */
#include "base/test/testing.h"
#include "report/space/space.h"

#include <math.h>
#include <string.h>

static const struct table_cell *cell(const struct table *t, size_t row,
                                     const char *column)
{
    int at = table_find_column(t, column);
    if (at < 0)
        fail_msg("no column %s", column);
    return table_at(t, row, (size_t)at);
}

static const struct space_holding alice = {
    .cluster = "lustre", .fs = "s", .owner = "1001", .newest_ns = 5000000000
};
static const struct space_holding rest = {
    .cluster = "lustre", .fs = "s", .owner = SPACE_OTHERS, .newest_ns = 5000000000
};

static void owners_are_rows_with_their_bounds(void **state)
{
    AUTO(table_done) struct table t;
    struct space_owner items[2] = {
        { .holdings = &alice,
          .newest_ns = 5000000000,
          .used = { 75, NAN },
          .used_max = { 80, NAN },
          .share = { 0.75, NAN },
          .trend = { { .outlook = SPACE_GROWS,
                       .growth = 1 / 86400.0,
                       .growth_low = 0.5 / 86400,
                       .growth_high = 2 / 86400.0,
                       .cleanups = { 1, 7 } } },
          .has_trend = { true, true } },
        { .holdings = &rest,
          .is_others = true,
          .newest_ns = 5000000000,
          .used = { 25, 4 },
          .used_max = { 25, 4 },
          .share = { 0.25, 1 } },
    };
    const struct space_owners owners = { items, 2 };
    struct owner_table_opts opts = { &owners, "group", 0 };
    (void)state;
    table_init(&t);
    assert_int_equal(owner_table_make(&opts, &t), 0);
    assert_int_equal(t.row_count, 2);
    assert_string_equal(cell(&t, 0, "group")->text, "1001");
    assert_true(fabs(cell(&t, 0, "used")->dbl - 75) < 1e-9);
    assert_true(fabs(cell(&t, 0, "used_max")->dbl - 80) < 1e-9);
    assert_true(fabs(cell(&t, 0, "share")->dbl - 75) < 1e-9);
    assert_true(fabs(cell(&t, 0, "growth")->dbl - 1) < 1e-9);
    assert_true(fabs(cell(&t, 0, "growth_low")->dbl - 0.5) < 1e-9);
    assert_true(fabs(cell(&t, 0, "growth_high")->dbl - 2) < 1e-9);
    assert_true(fabs(cell(&t, 0, "cleaned")->dbl - 7) < 1e-9);
    assert_string_equal(cell(&t, 0, "outlook")->text, "grows");
    assert_true(cell(&t, 0, "newest")->i64 == 5000);
    /* No MDT was read: nothing of inodes is known. */
    assert_true(cell(&t, 0, "inodes_used")->is_null);
    assert_true(cell(&t, 0, "inodes_outlook")->is_null);
    assert_true(cell(&t, 1, "outlook")->is_null); /* no history was read */
    assert_true(fabs(cell(&t, 1, "inodes_used")->dbl - 4) < 1e-9);
    assert_int_equal(t.note_count, 2);
    assert_non_null(strstr(t.notes[0], "1 of these are not among"));
    assert_non_null(strstr(t.notes[1], "others: "));
    table_done(&t);
    opts.limit = 1;
    table_init(&t);
    assert_int_equal(owner_table_make(&opts, &t), 0);
    assert_int_equal(t.row_count, 1);
    assert_non_null(strstr(t.notes[2], "1 more rows"));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(
        owners_are_rows_with_their_bounds) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
