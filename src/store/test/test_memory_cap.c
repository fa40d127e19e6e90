/* SPDX-License-Identifier: Apache-2.0 */
/* test_memory_cap - memory near its limit is reported, and history goes only beyond it.
 */
#include "store/test/fixture.h"

static void memory_is_heard_before_it_costs_history(void **state)
{
    (void)state;
    struct heard heard = { .lock = PTHREAD_MUTEX_INITIALIZER };
    struct metric_store_options options = { .shard_count = 1,
                                            .memory_bytes_max = 100000,
                                            .report = hear,
                                            .report_arg = &heard };
    AUTO(metric_store_close) struct metric_store *store = open_store(options);
    struct metric_read read = { 0 };
    int64_t slot = 0;
    /* The worker comes every few seconds; here it is called as often as samples. */
    for (; slot < 50000 && heard.failures == 0; slot += 100) {
        fill(store, slot, slot + 100);
        play_clock(BEGIN + (slot + 100) * STEP);
        assert_int_equal(metric_store_limit_memory(store, NULL), 0);
        if (heard.failures == 0)
            assert_int_equal(count_all(store, 0, &read).good, slot + 100);
    }
    struct metric_store_status status = status_of(store);
    /* The store's own thread may have come first. */
    assert_true(heard.failures >= 1 && heard.warnings >= 1);
    assert_true(status.memory_warnings >= 1 && status.memory_overruns >= 1);
    assert_true(status.memory.used_bytes <= 100000);
    assert_true(count_all(store, 0, &read).good >= (uint64_t)slot / 4 - 256);
}

static void with_files_memory_moves_there_and_nothing_is_lost(void **state)
{
    (void)state;
    struct heard heard = { .lock = PTHREAD_MUTEX_INITIALIZER };
    struct metric_store_options options = { .dir = dir,
                                            .shard_count = 1,
                                            .memory_bytes_max = 60000,
                                            .report = hear,
                                            .report_arg = &heard };
    AUTO(metric_store_close) struct metric_store *store = open_store(options);
    fill(store, 0, 6000);
    struct err err = { 0 };
    uint64_t before = status_of(store).memory.used_bytes;
    assert_int_equal(metric_store_limit_memory(store, &err), 0);
    struct metric_store_status status = status_of(store);
    assert_true(status.memory_warnings >= 1 && status.memory_overruns >= 1);
    assert_true(before <= 60000 || status.memory.used_bytes < before);
    assert_true(status.checkpoint >= 2 && status.block_files >= 1);
    assert_int_equal(count_good(store), HOSTS * 6000);
    assert_int_equal(heard.failures, 0);
}

static void without_a_limit_nothing_happens(void **state)
{
    (void)state;
    struct metric_store_options options = { .shard_count = 1 };
    AUTO(metric_store_close) struct metric_store *store = open_store(options);
    fill(store, 0, 1000);
    assert_int_equal(metric_store_limit_memory(store, NULL), 0);
    assert_int_equal(status_of(store).memory_warnings, 0);
    assert_int_equal(count_good(store), HOSTS * 1000);
}

int main(void)
{
    begin_clock();
    const struct CMUnitTest tests[] = {
        in_a_directory(memory_is_heard_before_it_costs_history),
        in_a_directory(with_files_memory_moves_there_and_nothing_is_lost),
        in_a_directory(without_a_limit_nothing_happens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
