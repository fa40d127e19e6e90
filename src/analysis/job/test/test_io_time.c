/* SPDX-License-Identifier: Apache-2.0 */
/* test_io_time - what the slowest process spent in I/O, and in what. */
#include "analysis/job/io_time.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { RECORDS_MAX = 8 };

static struct io_costs costs_of(const struct io_record *records, size_t count,
                                double processes, double run_s)
{
    AUTO(io_time_done) struct io_time time = { 0 };
    const struct io_run run = { processes, run_s, 0 };
    struct io_costs costs;
    for (size_t i = 0; i < count; i++) {
        uint32_t process;
        assert_int_equal(io_time_add(&time, &records[i], &process), 0);
    }
    assert_int_equal(io_time_costs(&time, &run, &costs), 0);
    return costs;
}

static void is_cost(const char *name, const struct cost *got, double low, double high,
                    enum cost_reason reason)
{
    if (fabs(got->low_s - low) > 1e-9 || fabs(got->high_s - high) > 1e-9 ||
        got->reason != reason)
        fail_msg("%s: %g to %g for '%s', not %g to %g for '%s'", name, got->low_s,
                 got->high_s, cost_reason_name(got->reason), low, high,
                 cost_reason_name(reason));
}

static void of_files_of_one_process_all_is_known(void **state)
{
    (void)state;
    /* Rank 2 took longest, 4 of its 10 seconds in metadata; rank 1 took 8 to move. */
    static const struct io_record records[] = {
        { .rank = 0, .move_s = 1, .meta_s = 1 },
        { .rank = 1, .move_s = 8 },
        { .rank = 2, .move_s = 2, .meta_s = 4, .shares = { 1, 0, 0.5 } },
        { .rank = 2, .move_s = 4 },
    };
    struct io_costs c = costs_of(records, 4, 4, 60);
    is_cost("I/O", &c.io, 10, 10, COST_EXACT);
    assert_int_equal(c.slowest_rank, 2);
    is_cost("metadata, until rank 1 is the slowest", &c.meta, 2, 4, COST_WAITS);
    is_cost("small", &c.access[ACCESS_SMALL], 0, 2, COST_OTHERWISE);
    is_cost("unaligned", &c.access[ACCESS_UNALIGNED], 0, 0, COST_EXACT);
    is_cost("random, in a file with others", &c.access[ACCESS_RANDOM], 0, 2,
            COST_MIXED);
    /* The mean of four is 5: none of the others is slow. */
    is_cost("balance", &c.imbalance, 0, 5, COST_EVEN);
}

static void metadata_that_a_file_needs_is_not_spared(void **state)
{
    (void)state;
    AUTO(io_time_done) struct io_time time = { 0 };
    const struct io_record record = { .rank = 0, .move_s = 1, .meta_s = 8 };
    const struct io_run run = { 1, 60, 0.25 };
    struct io_costs c;
    uint32_t process;
    assert_int_equal(io_time_add(&time, &record, &process), 0);
    assert_int_equal(io_time_costs(&time, &run, &c), 0);
    is_cost("a quarter of it", &c.meta, 6, 8, COST_WAITS);
}

static void one_slow_process_is_held_against_the_others(void **state)
{
    (void)state;
    struct io_record records[RECORDS_MAX];
    for (int i = 0; i < RECORDS_MAX; i++)
        records[i] =
            (struct io_record){ .rank = i, .move_s = i == 5 ? 20 : 1 + i / 10.0 };
    struct io_costs c = costs_of(records, RECORDS_MAX, RECORDS_MAX, 60);
    assert_int_equal(c.slowest_rank, 5);
    is_cost("the slowest other took 1.7, the median 1.4", &c.imbalance, 18.3, 18.6,
            COST_EVEN);
}

static void of_shared_files_there_are_sums_and_the_slowest(void **state)
{
    (void)state;
    static const struct io_record records[] = {
        { .rank = -1, .move_s = 30, .meta_s = 10, .slowest_s = 20, .slowest_rank = 3 },
        { .rank = -1, .move_s = 3, .meta_s = 1, .slowest_s = 2, .slowest_rank = 3 },
        { .rank = 3, .move_s = 5 },
    };
    struct io_costs c = costs_of(records, 2, 4, 60);
    is_cost("the slowest of both files is one process", &c.io, 22, 22, COST_EXACT);
    assert_int_equal(c.slowest_rank, 3);
    is_cost("metadata", &c.meta, 0, 11, COST_SHARED);
    c = costs_of(records, 3, 4, 60);
    is_cost("with a file of its own", &c.io, 27, 27, COST_EXACT);
}

static void what_the_slowest_process_moved_is_held_against_the_mean(void **state)
{
    (void)state;
    static const struct io_record own[] = { { .rank = 0, .move_s = 10, .bytes = 300 },
                                            { .rank = 1, .move_s = 1, .bytes = 100 } };
    static const struct io_record shared[] = {
        { .rank = -1,
          .move_s = 20,
          .slowest_s = 10,
          .slowest_rank = 3,
          .bytes = 400,
          .slowest_bytes = 100 },
    };
    assert_true(costs_of(own, 2, 2, 60).slowest_bytes == 1.5);
    assert_true(costs_of(own, 2, 4, 60).slowest_bytes == 3);
    assert_true(costs_of(shared, 1, 4, 60).slowest_bytes == 1);
    static const struct io_record nothing[] = { { .rank = 0, .move_s = 1 } };
    assert_true(isnan(costs_of(nothing, 1, 2, 60).slowest_bytes));
}

static void who_was_slowest_may_be_unknown(void **state)
{
    (void)state;
    static const struct io_record records[] = {
        { .rank = -1, .move_s = 40, .slowest_s = 20, .slowest_rank = -1 },
        { .rank = 3, .move_s = 15 },
    };
    struct io_costs c = costs_of(records, 2, 4, 60);
    is_cost("I/O", &c.io, 15, 35, COST_SHARED);
    assert_int_equal(c.slowest_rank, -1);
}

/* 3's time in the shared file is 20 s, of which moving took 5 s of all processes. */
static void metadata_of_a_shared_file_is_of_the_process_that_was_slowest(void **state)
{
    (void)state;
    static const struct io_record records[] = {
        { .rank = -1, .move_s = 5, .meta_s = 16, .slowest_s = 20, .slowest_rank = 3 },
        { .rank = 0, .move_s = 4 },
    };
    struct io_costs c = costs_of(records, 1, 4, 60);
    assert_int_equal(c.slowest_rank, 3);
    assert_true(fabs(c.slowest_meta - 0.75) < 1e-12);
    c = costs_of(records, 2, 4,
                 60); /* it is 3's still: 0 had 4 s at least, 24 at most */
    assert_int_equal(c.slowest_rank, -1);
    assert_true(isnan(c.slowest_meta));
}

static void a_shared_file_does_not_hide_metadata_of_a_process(void **state)
{
    (void)state;
    static const struct io_record records[] = {
        { .rank = 0, .move_s = 1, .meta_s = 40 },
        { .rank = 1, .move_s = 2 },
        { .rank = -1, .move_s = 0.5, .slowest_s = 0.5, .slowest_rank = 0 },
    };
    struct io_costs c = costs_of(records, 3, 4, 60);
    is_cost("without it 1 took 2.5 s at most", &c.meta, 39, 40, COST_SHARED);
    assert_int_equal(c.slowest_rank, 0);
    assert_true(c.slowest_meta > 0.96 && c.slowest_meta < 0.97);
}

static void nothing_costs_more_than_the_run(void **state)
{
    (void)state;
    static const struct io_record threads[] = {
        { .rank = 0, .move_s = 100, .meta_s = 900 },
    };
    struct io_costs c = costs_of(threads, 1, 1, 60);
    is_cost("threads: I/O", &c.io, 0, 60, COST_THREADS);
    is_cost("threads: metadata", &c.meta, 0, 60, COST_THREADS);
    static const struct io_record clocks[] = { { .rank = 0, .move_s = 60.5 } };
    c = costs_of(clocks, 1, 1, 60);
    is_cost("a clock is a little off", &c.io, 60, 60, COST_EXACT);
}

static void times_that_are_none_count_as_nothing(void **state)
{
    (void)state;
    static const struct io_record records[] = {
        { .rank = 0, .move_s = NAN, .meta_s = -5 },
        { .rank = INT64_MAX, .move_s = INFINITY },
        { .rank = INT64_MIN, .move_s = 1e300, .slowest_s = NAN },
    };
    struct io_costs c = costs_of(records, 3, 1e300, 60);
    assert_true(c.io.high_s <= 60);
    assert_true(c.imbalance.high_s <= 60);
    c = costs_of(NULL, 0, NAN, 60);
    is_cost("no records", &c.io, 0, 0, COST_EXACT);
}

static void a_slow_target_costs_what_its_files_took_too_long(void **state)
{
    (void)state;
    AUTO(io_time_done) struct io_time time = { 0 };
    struct target_file files[RECORDS_MAX];
    struct slow_target found;
    struct cost cost;
    for (int i = 0; i < RECORDS_MAX; i++) {
        struct io_record r = { .rank = i, .move_s = i % 4 == 1 ? 30 : 2 };
        uint32_t process;
        assert_int_equal(io_time_add(&time, &r, &process), 0);
        files[i] = (struct target_file){ 1e6, r.move_s, process, i % 4 };
    }
    assert_int_equal(slow_target_find(files, RECORDS_MAX, &found), 0);
    assert_int_equal(found.ost, 1);
    assert_int_equal(io_time_target(&time, files, RECORDS_MAX, &found, 60, &cost), 0);
    is_cost("15 times as long", &cost, 28, 28, COST_EXACT);
    struct target_time times[IO_TIME_TARGETS_MAX];
    assert_int_equal(io_time_targets(files, RECORDS_MAX, times), 4);
    assert_int_equal(times[0].ost, 1);
    assert_true(times[0].most_s == 30);
    found.ost = -1;
    assert_int_equal(io_time_target(&time, files, RECORDS_MAX, &found, 60, &cost), 0);
    assert_false(cost_is_known(&cost));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_files_of_one_process_all_is_known),
        cmocka_unit_test(metadata_that_a_file_needs_is_not_spared),
        cmocka_unit_test(one_slow_process_is_held_against_the_others),
        cmocka_unit_test(of_shared_files_there_are_sums_and_the_slowest),
        cmocka_unit_test(what_the_slowest_process_moved_is_held_against_the_mean),
        cmocka_unit_test(who_was_slowest_may_be_unknown),
        cmocka_unit_test(metadata_of_a_shared_file_is_of_the_process_that_was_slowest),
        cmocka_unit_test(a_shared_file_does_not_hide_metadata_of_a_process),
        cmocka_unit_test(nothing_costs_more_than_the_run),
        cmocka_unit_test(times_that_are_none_count_as_nothing),
        cmocka_unit_test(a_slow_target_costs_what_its_files_took_too_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
