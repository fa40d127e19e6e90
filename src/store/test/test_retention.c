/* SPDX-License-Identifier: Apache-2.0 */
/* test_retention - history leaves memory when it is old enough, but for hosts that are
 * exempt. */
#include "base/span.h"
#include "store/test/fixture.h"

static bool is_h3(void *arg, struct span host)
{
    (void)arg;
    return span_is(host, "c/h3");
}

static void hosts_with_jobs_are_exempt(void **state)
{
    (void)state;
    struct metric_store_options options = { .shard_count = 2,
                                            .retention_ns = 1000 * STEP,
                                            .is_exempt = is_h3 };
    AUTO(metric_store_close) struct metric_store *store = open_store(options);
    struct metric_read read = { 0 };
    play_clock(BEGIN + 900 * STEP);
    fill(store, 0, 800);
    assert_int_equal(metric_store_retain(store), 0);
    play_clock(BEGIN + 1600 * STEP);
    assert_true(metric_store_retain(store) > 0);
    assert_int_equal(count_all(store, 3, &read).good, 800);
    assert_int_equal(count_all(store, 2, &read).good, 800 - 2 * CODEC_VALUES_MAX);
}

static void a_host_is_exempt_until_its_time(void **state)
{
    (void)state;
    struct metric_store_options options = { .shard_count = 2,
                                            .retention_ns = 1000 * STEP };
    AUTO(metric_store_close) struct metric_store *store = open_store(options);
    struct metric_read read = { 0 };
    play_clock(BEGIN + 900 * STEP);
    fill(store, 0, 800);
    assert_int_equal(metric_store_exempt(store, SPAN("c/h1"), BEGIN + 1700 * STEP), 0);
    assert_int_equal(metric_store_exempt_count(store), 1);
    play_clock(BEGIN + 1600 * STEP);
    assert_true(metric_store_retain(store) > 0);
    assert_int_equal(count_all(store, 1, &read).good, 800);
    play_clock(BEGIN + 1701 * STEP);
    assert_int_equal(metric_store_exempt_count(store), 0);
    assert_true(metric_store_retain(store) > 0);
    assert_int_equal(count_all(store, 1, &read).good, 800 - 2 * CODEC_VALUES_MAX);
}

static void what_no_file_has_stays_in_memory(void **state)
{
    (void)state;
    struct metric_store_options options = { .dir = dir,
                                            .shard_count = 1,
                                            .retention_ns = 1000 * STEP };
    AUTO(metric_store_close) struct metric_store *store = open_store(options);
    struct metric_read read = { 0 };
    struct err err = { 0 };
    play_clock(BEGIN + 900 * STEP);
    fill(store, 0, 800);
    assert_int_equal(metric_store_checkpoint(store, &err), 0);
    play_clock(BEGIN + 1600 * STEP);
    assert_true(metric_store_retain(store) > 0 || status_of(store).workers[0].done > 0);
    assert_int_equal(count_all(store, 0, &read).good, 800);
    assert_int_equal(read.from, METRIC_FROM_MEMORY | METRIC_FROM_CHECKPOINT);
}

int main(void)
{
    begin_clock();
    const struct CMUnitTest tests[] = {
        in_a_directory(hosts_with_jobs_are_exempt),
        in_a_directory(a_host_is_exempt_until_its_time),
        in_a_directory(what_no_file_has_stays_in_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
