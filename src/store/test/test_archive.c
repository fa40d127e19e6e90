/* SPDX-License-Identifier: Apache-2.0 */
/* test_archive - old files packed into an archive, or deleted: nothing else is lost. */
#include "store/test/fixture.h"

#include "base/clock.h"
#include "base/span.h"

static void history_outlives_memory(void **state)
{
    (void)state;
    struct heard heard = { .lock = PTHREAD_MUTEX_INITIALIZER };
    struct err err = { 0 };
    struct metric_read read = { 0 };
    struct metric_store_options options = { .dir = dir,
                                            .shard_count = 2,
                                            .archive_interval_ns = 3600 * NS_PER_S,
                                            .report = hear,
                                            .report_arg = &heard };
    AUTO(metric_store_close) struct metric_store *store = open_store(options);
    fill(store, 0, 2000);
    /* Nothing is in a file yet, so nothing goes. */
    assert_int_equal(metric_store_release(store, SPAN(""), BEGIN + 1500 * STEP), 0);
    assert_int_equal(metric_store_checkpoint(store, &err), 0);
    assert_true(metric_store_release(store, SPAN("c/h1"), BEGIN + 1500 * STEP) >=
                1500 - 256);
    assert_int_equal(count_all(store, 1, &read).good, 2000);
    assert_int_equal(read.from, METRIC_FROM_MEMORY | METRIC_FROM_CHECKPOINT);
    (void)metric_store_release(store, SPAN(""), BEGIN + 2000 * STEP);
    fill(store, 2000, 2100);
    assert_int_equal(metric_store_checkpoint(store, &err), 0);
    /* Only now is a file old enough for the store's own worker too, which may be first.
     */
    play_clock(clock_now_ns() + 7200 * NS_PER_S);
    assert_int_equal(metric_store_archive(store, &err), 0);
    struct metric_store_status status = status_of(store);
    assert_int_equal(status.archives, 1);
    assert_true(status.block_files >= 1); /* whose blocks are in memory still */
    for (int host = 0; host < HOSTS; host++) {
        struct count c = count_all(store, host, &read);
        assert_true(c.good == 2100 && c.wrong == 0);
        assert_int_equal(read.from, METRIC_FROM_MEMORY | METRIC_FROM_ARCHIVE);
    }
    /* Too late for what is let go of: it would hide what files have. */
    assert_int_equal(put(store, 1, 10, 1), 0);
    assert_int_equal(heard.failures, 0);
}

static void only_so_much_is_deleted_as_was_asked_for(void **state)
{
    (void)state;
    struct err err = { 0 };
    struct metric_read read = { 0 };
    struct metric_store_options options = { .dir = dir,
                                            .shard_count = 2,
                                            .archive_interval_ns = 1,
                                            .is_archive_deleted = true };
    AUTO(metric_store_close) struct metric_store *store = open_store(options);
    fill(store, 0, 1000);
    assert_int_equal(metric_store_checkpoint(store, &err), 0);
    (void)metric_store_release(store, SPAN(""), BEGIN + 500 * STEP);
    assert_int_equal(metric_store_archive(store, &err), 0);
    assert_int_equal(count_all(store, 1, &read).good, 1000);
    (void)metric_store_release(store, SPAN(""), BEGIN + 1000 * STEP);
    assert_int_equal(metric_store_checkpoint(store, &err), 0);
    assert_int_equal(metric_store_archive(store, &err), 0);
    assert_int_equal(count_all(store, 1, &read).good, 1000 - 3 * CODEC_VALUES_MAX);
    assert_int_equal(status_of(store).archives, 0);
}

static void nothing_is_archived_that_memory_still_reads(void **state)
{
    (void)state;
    struct metric_store_options options = { .dir = dir,
                                            .shard_count = 2,
                                            .archive_interval_ns = 1 };
    AUTO(metric_store_close) struct metric_store *store = open_store(options);
    struct err err = { 0 };
    fill(store, 0, 1000);
    assert_int_equal(metric_store_checkpoint(store, &err), 0);
    uint64_t files = status_of(store).block_files;
    assert_int_equal(metric_store_archive(store, &err), 0);
    assert_int_equal(status_of(store).archives, 0);
    assert_int_equal(status_of(store).block_files, files);
}

static void without_an_interval_nothing_is_archived(void **state)
{
    (void)state;
    struct metric_store_options options = { .dir = dir, .shard_count = 1 };
    AUTO(metric_store_close) struct metric_store *store = open_store(options);
    struct err err = { 0 };
    fill(store, 0, 1000);
    assert_int_equal(metric_store_checkpoint(store, &err), 0);
    (void)metric_store_release(store, SPAN(""), BEGIN + 1000 * STEP);
    assert_int_equal(metric_store_archive(store, &err), 0);
    assert_int_equal(status_of(store).archives, 0);
}

int main(void)
{
    begin_clock();
    const struct CMUnitTest tests[] = {
        in_a_directory(history_outlives_memory),
        in_a_directory(only_so_much_is_deleted_as_was_asked_for),
        in_a_directory(nothing_is_archived_that_memory_still_reads),
        in_a_directory(without_an_interval_nothing_is_archived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
