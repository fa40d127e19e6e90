/* SPDX-License-Identifier: Apache-2.0 */
/* test_space_table - file systems, or targets, as a table. */
#include "base/span.h"
#include "base/test/testing.h"
#include "report/space/space.h"

#include <math.h>
#include <string.h>

#define S_NS ((int64_t)1000000000)
#define DAY_NS (86400 * S_NS)
#define NOW_NS (20000 * DAY_NS + 5 * 3600 * S_NS + 77 * S_NS)

static const struct space_target ost = { "lustre", "s",    "s-OST0000",
                                         false,    NOW_NS, { { 0 } } };
static const struct space_target mdt = { "lustre", "s",    "s-MDT0000",
                                         true,     NOW_NS, { { 0 } } };
static const struct space_check_opts check = { .count = 240,
                                               .step_ns = 3600 * S_NS,
                                               .history_ns_min = DAY_NS };

static struct space_use use_full_in(double days)
{
    struct space_use use = { .is_known = true, .used = 900, .available = 100 };
    use.trend = (struct space_trend){ .outlook = SPACE_GROWS,
                                      .growth = 2 / 86400.0,
                                      .growth_low = 1 / 86400.0,
                                      .growth_high = 3 / 86400.0 };
    use.trend.full_ns = NOW_NS + (int64_t)(days * (double)DAY_NS);
    use.trend.full_first_ns = use.trend.full_ns - DAY_NS / 2;
    use.trend.full_last_ns = SPACE_FULL_NEVER;
    return use;
}

static struct space_use use_without_history(void)
{
    struct space_use use = { .is_known = true, .used = 1, .available = 3 };
    use.trend = (struct space_trend){ .outlook = SPACE_NO_HISTORY,
                                      .growth = NAN,
                                      .growth_low = NAN,
                                      .growth_high = NAN,
                                      .full_ns = SPACE_FULL_NEVER,
                                      .full_first_ns = SPACE_FULL_NEVER,
                                      .full_last_ns = SPACE_FULL_NEVER };
    return use;
}

static struct space_row rows[3];

static void rows_set(void)
{
    rows[0] = (struct space_row){ .target = &mdt,
                                  .is_fs = true,
                                  .osts = 1,
                                  .mdts = 1,
                                  .newest_ns = NOW_NS,
                                  .use = { use_full_in(30), use_without_history() } };
    rows[1] =
        (struct space_row){ .target = &mdt,
                            .newest_ns = NOW_NS,
                            .use = { use_without_history(), use_without_history() } };
    rows[2] = (struct space_row){ .target = &ost,
                                  .newest_ns = NOW_NS,
                                  .use = { use_full_in(1.5) } };
}

static void make(bool is_by_target, size_t limit, struct table *ret)
{
    static struct space_results results = { rows, 3, 1 };
    const struct space_table_opts opts = { &results, &check, is_by_target, limit };
    table_init(ret);
    assert_int_equal(space_table_make(&opts, ret), 0);
}

static const struct table_cell *cell(const struct table *t, size_t row,
                                     const char *column)
{
    int at = table_find_column(t, column);
    if (at < 0)
        fail_msg("no column %s", column);
    return table_at(t, row, (size_t)at);
}

static bool has_note(const struct table *t, const char *part)
{
    for (size_t i = 0; i < t->note_count; i++)
        if (strstr(t->notes[i], part))
            return true;
    return false;
}

static void a_file_system_is_a_row(void **state)
{
    AUTO(table_done) struct table t;
    (void)state;
    rows_set();
    make(false, 0, &t);
    assert_int_equal(t.row_count, 1);
    assert_string_equal(cell(&t, 0, "fs")->text, "s");
    assert_int_equal(table_find_column(&t, "target"), -1);
    assert_string_equal(cell(&t, 0, "cluster")->text, "lustre");
    assert_true(fabs(cell(&t, 0, "share")->dbl - 90) < 1e-9);
    assert_true(fabs(cell(&t, 0, "growth")->dbl - 2) < 1e-9);
    assert_true(fabs(cell(&t, 0, "growth_low")->dbl - 1) < 1e-9);
    assert_true(fabs(cell(&t, 0, "growth_high")->dbl - 3) < 1e-9);
    assert_string_equal(cell(&t, 0, "outlook")->text, "grows");
    /* To days; what is beyond the horizon is null. */
    assert_true(cell(&t, 0, "full_at")->i64 == 20030 * DAY_NS / 1000000);
    assert_true(cell(&t, 0, "full_last")->is_null);
    assert_string_equal(cell(&t, 0, "inodes_outlook")->text, "no history");
    assert_true(cell(&t, 0, "inodes_growth")->is_null);
    assert_true(fabs(cell(&t, 0, "inodes_share")->dbl - 25) < 1e-9);
    assert_true(has_note(&t, "s-OST0000 is full before its file system"));
    assert_true(has_note(&t, "10d in steps of 1h"));
}

static void targets_come_by_their_dates(void **state)
{
    AUTO(table_done) struct table t;
    (void)state;
    rows_set();
    make(true, 0, &t);
    assert_int_equal(t.row_count, 2);
    assert_string_equal(cell(&t, 0, "target")->text, "s-OST0000");
    assert_string_equal(cell(&t, 1, "target")->text, "s-MDT0000");
    assert_string_equal(cell(&t, 1, "fs")->text, "s");
    /* In less than two days: to hours. */
    assert_true(cell(&t, 0, "full_at")->i64 ==
                (20001 * DAY_NS + 17 * 3600 * S_NS) / 1000000);
    assert_true(cell(&t, 0, "inodes_used")->is_null);
    assert_false(has_note(&t, "before its file system"));
}

static void what_is_full_comes_first_then_dates_then_shares(void **state)
{
    AUTO(table_done) struct table t;
    (void)state;
    rows_set();
    rows[1].use[SPACE_INODES].trend.outlook = SPACE_FULL;
    make(true, 0, &t);
    assert_string_equal(cell(&t, 0, "target")->text, "s-MDT0000");
    table_done(&t);
    make(false, 0, &t);
    assert_true(has_note(&t, "s-MDT0000 is full: see --by target"));
    table_done(&t);
    rows[1].use[SPACE_INODES].trend.outlook = SPACE_UNCLEAR;
    rows[2].use[SPACE_BYTES] = use_without_history();
    rows[2].use[SPACE_BYTES].used = 100;
    make(true, 1, &t);
    assert_int_equal(t.row_count, 1);
    assert_string_equal(cell(&t, 0, "target")->text, "s-OST0000");
    assert_true(has_note(&t, "1 more rows"));
}

static void notes_state_what_was_not_counted(void **state)
{
    AUTO(table_done) struct table t;
    (void)state;
    rows_set();
    rows[0].since_ns = NOW_NS - 3 * DAY_NS;
    rows[0].use[SPACE_BYTES].trend.cleanups =
        (struct space_cleanups){ 2, 3.0 * 1048576 };
    rows[1].is_stale = true;
    rows[2].is_new = true;
    rows[2].since_ns = NOW_NS - 2 * DAY_NS;
    make(false, 0, &t);
    assert_true(has_note(
        &t, "s was not observed, or not as a whole, before 2024-10-01T05:01:17Z"));
    assert_true(has_note(&t, "s: 2 clean-ups removed 3.00 MiB;"));
    assert_true(has_note(&t, "s-MDT0000 counts in no sum: it was last observed at "));
    assert_true(has_note(&t, "s-OST0000 is new: "));
    rows[0].use[SPACE_BYTES].trend.cleanups.count = 0;
    rows[1].use[SPACE_INODES].trend.cleanups = (struct space_cleanups){ 1, 1500 };
    table_done(&t);
    make(true, 0, &t);
    assert_true(has_note(&t, "s-MDT0000: 1 clean-up removed 1.50 k inodes;"));
    assert_false(has_note(&t, "s: 2 clean-ups"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_system_is_a_row),
        cmocka_unit_test(targets_come_by_their_dates),
        cmocka_unit_test(what_is_full_comes_first_then_dates_then_shares),
        cmocka_unit_test(notes_state_what_was_not_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
