/* SPDX-License-Identifier: Apache-2.0 */
/* test_fold - late samples into blocks: none lost, none doubled, in order of time. */
#include "base/cleanup.h"
#include "base/number.h"
#include "base/test/testing.h"
#include "store/series/block_memory.h"
#include "store/series/fold.h"
#include "store/series/series.h"

#include <math.h>

#define STEP (10 * NS_PER_S)
#define BEGIN (INT64_C(1700000000) * NS_PER_S)
#define BLOCK CODEC_VALUES_MAX

static struct epoch epoch;
static struct memory memory;
static struct metric_series series;

static void put(int64_t slot, double value)
{
    struct series_counts counts = { 0 };
    assert_int_equal(
        series_put(&series, &memory, &counts, 0, BEGIN + slot * STEP, value), 0);
}

static int begin_with_step(int64_t step_ns)
{
    epoch_init(&epoch);
    memory_init(&memory, &epoch);
    series_init(&series, step_ns);
    return 0;
}

/* A block of slots 0 .. 255, a gap, one of slots 1000 .. 1255, and a head behind. */
static int begin(void **state)
{
    (void)state;
    begin_with_step(STEP);
    for (int64_t i = 0; i < BLOCK; i++)
        put(i, (double)i);
    for (int64_t i = 1000; i < 1000 + BLOCK + 10; i++)
        put(i, (double)i);
    return 0;
}

static int end(void **state)
{
    (void)state;
    series_done(&series, &memory);
    memory_done(&memory);
    return 0;
}

static const struct series_view *view(void)
{
    return atomic_load(&series.view);
}

/* The samples of all blocks; each later than the one before. */
static size_t blocks_count(double *ret_sum)
{
    size_t count = 0;
    int64_t last_ns = INT64_MIN;
    *ret_sum = 0;
    for (size_t b = 0; b < view()->block_count; b++) {
        struct samples s;
        assert_int_equal(block_decode(view()->blocks[b], &s), 0);
        for (size_t i = 0; i < s.count; i++) {
            assert_true(s.times[i] > last_ns);
            last_ns = s.times[i];
            count++;
            *ret_sum += s.values[i];
        }
    }
    return count;
}

static void nothing_late_changes_nothing(void **state)
{
    (void)state;
    const struct series_view *before = view();
    assert_int_equal(series_fold(&series, &memory), 0);
    assert_ptr_equal(view(), before);
}

static void late_samples_come_into_gaps_and_blocks(void **state)
{
    (void)state;
    double sum_before, sum;
    size_t before = blocks_count(&sum_before);
    assert_int_equal(before, 2 * BLOCK);
    put(-5, 1000000);  /* before the first */
    put(500, 2000000); /* in the gap */
    put(3, 4000000);   /* in a block: it replaces what was there */
    assert_int_equal(series_fold(&series, &memory), 0);
    assert_null(view()->late);
    assert_int_equal(blocks_count(&sum), before + 2);
    assert_true(fabs(sum - (sum_before + 7000000 - 3)) < 0.5);
}

static void far_samples_of_a_gap_do_not_become_one_block(void **state)
{
    (void)state;
    double sum;
    uint32_t before = view()->block_count;
    put(-2000, 1);
    put(-1999, 2);
    put(-100, 3); /* more than a block's slots away from the first */
    assert_int_equal(series_fold(&series, &memory), 0);
    assert_int_equal(view()->block_count, before + 2);
    assert_int_equal(blocks_count(&sum), 2 * BLOCK + 3);
}

static void what_blocks_replaced_is_given_back(void **state)
{
    (void)state;
    for (int round = 0; round < 50; round++) {
        put(3, 7);
        assert_int_equal(series_fold(&series, &memory), 0);
        memory_reclaim(&memory);
        if (round == 5)
            *state = (void *)(uintptr_t)memory.used_bytes;
    }
    assert_int_equal(memory.used_bytes, (uintptr_t)*state);
}

static void samples_without_a_grid_keep_their_times(void **state)
{
    (void)state;
    begin_with_step(0);
    for (int64_t i = 0; i < 2 * BLOCK; i++)
        put(3 * i, 1);
    double sum;
    size_t before = blocks_count(&sum);
    assert_true(before >= BLOCK);
    put(1, 5);
    put(2, 7);
    assert_int_equal(series_fold(&series, &memory), 0);
    assert_int_equal(blocks_count(&sum), before + 2);
    assert_true(fabs(sum - ((double)before + 12)) < 0.5);
    end(state);
}

/* ---- blocks in memory ---- */

static void a_block_in_memory_is_given_back_unless_a_file_has_it(void **state)
{
    (void)state;
    static const int64_t times[] = { BEGIN, BEGIN + STEP, BEGIN + 2 * STEP };
    static const double values[] = { 1, 2.5, -3 };
    begin_with_step(STEP);
    struct block *block = block_memory_new(&memory, STEP, times, values, 3);
    struct samples s;
    assert_non_null(block);
    assert_int_equal(memory.used_bytes % PIECE_BYTES, 0);
    assert_true(memory.used_bytes >= block_size(block));
    assert_int_equal(block_decode(block, &s), 0);
    assert_int_equal(s.count, 3);
    assert_int_equal(s.times[2], BEGIN + 2 * STEP);
    assert_true(s.values[2] == -3);
    uint64_t used = memory.used_bytes;
    block->is_filed = 1;
    block_memory_retire(&memory, block);
    memory_reclaim(&memory);
    assert_int_equal(memory.used_bytes, used);
    block->is_filed = 0;
    block_memory_retire(&memory, block);
    block_memory_retire(&memory, NULL);
    memory_reclaim(&memory);
    assert_int_equal(memory.used_bytes, 0);
    memory_done(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(nothing_late_changes_nothing, begin, end),
        cmocka_unit_test_setup_teardown(late_samples_come_into_gaps_and_blocks, begin,
                                        end),
        cmocka_unit_test_setup_teardown(far_samples_of_a_gap_do_not_become_one_block,
                                        begin, end),
        cmocka_unit_test_setup_teardown(what_blocks_replaced_is_given_back, begin, end),
        cmocka_unit_test(samples_without_a_grid_keep_their_times),
        cmocka_unit_test(a_block_in_memory_is_given_back_unless_a_file_has_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
