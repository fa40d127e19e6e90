/* SPDX-License-Identifier: Apache-2.0 */
/* test_record_columns - where the counters that a profile is made of are. */
#include "analysis/log/record_columns.h"

#include "base/test/testing.h"

static void counters_are_found_by_their_name_behind_the_prefix(void **state)
{
    (void)state;
    const struct darshan_module *posix = darshan_module(DARSHAN_POSIX);
    const struct record_columns at = record_columns_of(posix);
    assert_string_equal(posix->counter_names[at.bytes_read], "POSIX_BYTES_READ");
    assert_string_equal(posix->f_counter_names[at.meta_time], "POSIX_F_META_TIME");
    assert_int_equal(at.coll_writes, -1);
    const struct darshan_module *dfs = darshan_module(DARSHAN_DFS);
    assert_int_equal(record_columns_of(dfs).seq_reads, -1);
    assert_true(record_columns_of(darshan_module(DARSHAN_MPIIO)).coll_writes >= 0);
}

static void what_is_missing_is_zero_and_what_is_below_that_is_suspect(void **state)
{
    (void)state;
    const struct darshan_module *posix = darshan_module(DARSHAN_POSIX);
    const struct record_columns at = record_columns_of(posix);
    int64_t counters[DARSHAN_COUNTERS_MAX] = { 0 };
    double times[DARSHAN_F_COUNTERS_MAX] = { 0 };
    const struct darshan_record r = { .module = posix,
                                      .counters = counters,
                                      .f_counters = times };
    assert_true(record_value(&r, -1) == 0 && record_time(&r, -1) == 0);
    counters[at.bytes_read] = -1; /* not known */
    assert_true(record_value(&r, at.bytes_read) == 0);
    assert_false(record_is_negative(&r, &at));
    times[at.write_time] = -4;
    assert_true(record_is_negative(&r, &at));
    times[at.write_time] = 0;
    counters[at.bytes_written] = -7;
    assert_true(record_is_negative(&r, &at));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counters_are_found_by_their_name_behind_the_prefix),
        cmocka_unit_test(what_is_missing_is_zero_and_what_is_below_that_is_suspect),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
