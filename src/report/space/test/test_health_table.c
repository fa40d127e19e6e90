/* SPDX-License-Identifier: Apache-2.0 */
/* test_health_table - a sample of health as tables of targets and file systems. */
#include "base/cleanup.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "report/space/space.h"

#include <math.h>
#include <string.h>

#define T0_S INT64_C(1500000000)

static const char lfs[] =
    "UUID                   1K-blocks        Used   Available Use% Mounted on\n"
    "fs-MDT0000_UUID             1000         100         900  10% /fs[MDT:0]\n"
    "fs-OST0000_UUID             1000         200         800  20% /fs[OST:0]\n"
    "fs-OST0001_UUID             1000         600         400  60% /fs[OST:1]\n"
    "OST0002             : inactive device\n"
    "\n"
    "filesystem_summary:         2000         800        1200  40% /fs\n";

static void sample_read(const char *text, struct health_sample *sample)
{
    const struct health_block block = { .has_time = true,
                                        .t_ns = T0_S * NS_PER_S,
                                        .text = span_of(text) };
    health_sample_init(sample);
    assert_int_equal(health_sample_add(sample, &block, NULL, NULL), 0);
}

static const struct table_cell *cell(const struct table *t, size_t row,
                                     const char *name)
{
    int column = table_find_column(t, name);
    if (column < 0)
        fail_msg("there is no column %s", name);
    return table_at(t, row, (size_t)column);
}

static void targets_have_bytes_and_ages(void **state)
{
    (void)state;
    AUTO(health_sample_done) struct health_sample sample;
    AUTO(table_done) struct table t;
    const struct health_table_opts opts = { true, (T0_S + 90) * NS_PER_S };
    sample_read(lfs, &sample);
    table_init(&t);
    assert_int_equal(health_table_targets(&sample, &opts, &t), 0);
    assert_true(t.row_count >= 3);
    assert_string_equal(cell(&t, 1, "target")->text, "fs-OST0000");
    assert_true(cell(&t, 1, "total_bytes")->dbl == 1000 * 1024);
    assert_true(cell(&t, 1, "used_bytes")->dbl == 200 * 1024);
    assert_true(fabs(cell(&t, 1, "full_pct")->dbl - 20) < 1e-9);
    assert_true(cell(&t, 1, "space_age_s")->dbl == 90);
    assert_int_equal(cell(&t, 1, "space_time")->i64, T0_S * 1000);
    assert_true(cell(&t, 1, "server")->is_null); /* lfs df does not know */
}

static void without_a_moment_there_is_no_age(void **state)
{
    (void)state;
    AUTO(health_sample_done) struct health_sample sample;
    AUTO(table_done) struct table t;
    const struct health_table_opts opts = { false, 0 };
    sample_read(lfs, &sample);
    table_init(&t);
    assert_int_equal(health_table_targets(&sample, &opts, &t), 0);
    assert_true(cell(&t, 1, "space_age_s")->is_null);
    assert_false(cell(&t, 1, "space_time")->is_null);
}

/* Of two OSTs: 20 and 60 % full, 40 % on average, 400 KiB used each. */
static void a_file_system_has_its_fullest_and_emptiest(void **state)
{
    (void)state;
    AUTO(health_sample_done) struct health_sample sample;
    AUTO(table_done) struct table t;
    const struct health_table_opts opts = { false, 0 };
    sample_read(lfs, &sample);
    table_init(&t);
    assert_int_equal(health_table_filesystems(&sample, &opts, &t), 0);
    assert_int_equal(t.row_count, 1);
    assert_string_equal(cell(&t, 0, "filesystem")->text, "fs");
    assert_string_equal(cell(&t, 0, "mount")->text, "/fs");
    assert_string_equal(cell(&t, 0, "fullest")->text, "fs-OST0001");
    assert_string_equal(cell(&t, 0, "emptiest")->text, "fs-OST0000");
    assert_true(fabs(cell(&t, 0, "mean_full_pct")->dbl - 40) < 1e-9);
    assert_true(cell(&t, 0, "mean_used_bytes")->dbl == 400 * 1024);
    assert_true(cell(&t, 0, "servers")->is_null);
}

static void an_empty_sample_is_an_empty_table(void **state)
{
    (void)state;
    AUTO(health_sample_done) struct health_sample sample;
    AUTO(table_done) struct table targets, filesystems;
    const struct health_table_opts opts = { false, 0 };
    sample_read("", &sample);
    table_init(&targets);
    table_init(&filesystems);
    assert_int_equal(health_table_targets(&sample, &opts, &targets), 0);
    assert_int_equal(health_table_filesystems(&sample, &opts, &filesystems), 0);
    assert_int_equal(targets.row_count, 0);
    assert_true(targets.column_count > 0);
    assert_int_equal(filesystems.row_count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(targets_have_bytes_and_ages),
        cmocka_unit_test(without_a_moment_there_is_no_age),
        cmocka_unit_test(a_file_system_has_its_fullest_and_emptiest),
        cmocka_unit_test(an_empty_sample_is_an_empty_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
