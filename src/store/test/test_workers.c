/* SPDX-License-Identifier: Apache-2.0 */
/* test_workers - writers, readers and workers at once. */
#include "base/span.h"
#include "store/test/fixture.h"

struct shared {
    struct metric_store *store;
    int first_host;
    _Atomic bool is_over;
    _Atomic int wrong;
};

static void *write_on(void *arg)
{
    struct shared *s = arg;
    for (int64_t slot = 0; slot < 6000; slot++) {
        for (int host = s->first_host; host < HOSTS; host += 2) {
            int64_t at = slot % 17 == 5 && slot > 200 ? slot - 150 : slot;
            if (put(s->store, host, at, (double)(at * 7 % 1001)) < 0)
                atomic_fetch_add(&s->wrong, 1);
        }
    }
    return NULL;
}

static void *read_on(void *arg)
{
    struct shared *s = arg;
    while (!atomic_load(&s->is_over)) {
        struct metric_read read = { 0 };
        for (int host = 0; host < HOSTS; host++)
            atomic_fetch_add(&s->wrong, (int)count_all(s->store, host, &read).wrong);
    }
    return NULL;
}

static void all_at_once(void **state)
{
    (void)state;
    struct heard heard = { .lock = PTHREAD_MUTEX_INITIALIZER };
    struct metric_store_options options = { .dir = dir,
                                            .shard_count = 2,
                                            .sync_interval_ns = 1000000,
                                            .archive_interval_ns = 1,
                                            .report = hear,
                                            .report_arg = &heard };
    AUTO(metric_store_close) struct metric_store *store = open_store(options);
    struct shared s[2] = { { .store = store }, { .store = store, .first_host = 1 } };
    pthread_t writers[2], reader;
    for (int host = 0; host < HOSTS; host++)
        (void)series_of(store, host);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&writers[i], NULL, write_on, &s[i]), 0);
    assert_int_equal(pthread_create(&reader, NULL, read_on, &s[0]), 0);
    for (int i = 0; i < 12; i++) {
        struct err err = { 0 };
        if (metric_store_checkpoint(store, &err) < 0 ||
            metric_store_archive(store, &err) < 0)
            fail_msg("%s", err.text);
        (void)metric_store_release(store, SPAN(""), BEGIN + i * 400 * STEP);
    }
    assert_int_equal(pthread_join(writers[0], NULL), 0);
    assert_int_equal(pthread_join(writers[1], NULL), 0);
    atomic_store(&s[0].is_over, true);
    assert_int_equal(pthread_join(reader, NULL), 0);
    assert_int_equal(atomic_load(&s[0].wrong) + atomic_load(&s[1].wrong), 0);
    assert_int_equal(heard.failures, 0);
}

static void each_run_is_in_the_status(void **state)
{
    (void)state;
    const struct metric_store_options options = { .dir = dir, .shard_count = 1 };
    AUTO(metric_store_close) struct metric_store *store = open_store(options);
    struct err err = { 0 };
    fill(store, 0, 600);
    uint64_t runs = status_of(store).workers[METRIC_WORKER_CHECKPOINT].runs;
    assert_int_equal(metric_store_checkpoint(store, &err), 0);
    (void)metric_store_retain(store);
    struct metric_store_status status = status_of(store);
    assert_int_equal(status.workers[METRIC_WORKER_CHECKPOINT].runs, runs + 1);
    assert_int_equal(status.workers[METRIC_WORKER_CHECKPOINT].done, HOSTS * 2);
    assert_true(status.workers[METRIC_WORKER_CHECKPOINT].last_t_ns > 0);
    assert_string_equal(status.workers[METRIC_WORKER_CHECKPOINT].error.text, "");
    assert_true(status.workers[METRIC_WORKER_RETENTION].runs >= 1);
    assert_string_equal(metric_worker_name(METRIC_WORKER_CHECKPOINT), "checkpoint");
}

int main(void)
{
    begin_clock();
    const struct CMUnitTest tests[] = {
        in_a_directory(all_at_once),
        in_a_directory(each_run_is_in_the_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
