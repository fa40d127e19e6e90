/* SPDX-License-Identifier: Apache-2.0 */
/* test_store - the store as its neighbours see it. */
#include "base/clock.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "store/store.h"

#include <math.h>
#include <stdio.h>

#define SECOND INT64_C(1000000000)
#define STEP (10 * SECOND)
#define BEGIN (INT64_C(1700000000) * SECOND)

static struct metric_store *open_store(struct metric_store_options options)
{
    struct metric_store *store = NULL;
    struct err err = { 0 };
    if (metric_store_open(&options, &store, &err) < 0)
        fail_msg("%s", err.text);
    return store;
}

static const struct metric *declare(struct metric_store *store, const char *name,
                                    enum aggregation how)
{
    struct metric m = { .name = span_of(name), .step_ns = STEP, .aggregation = how };
    const struct metric *ret = NULL;
    assert_int_equal(metric_declare(metric_store_metrics(store), &m, &ret), 0);
    return ret;
}

static int put(struct metric_store *store, const char *path, const struct metric *m,
               int64_t t_ns, double value)
{
    struct level_series *series = NULL;
    struct sample_counts taken = { 0 };
    int rc = metric_store_series(store, span_of(path), m, &series);
    if (rc < 0)
        return rc;
    struct sample point = { series, t_ns, value };
    struct metric_batch batch = { series->level->shard, &point, 1, METRIC_STORED };
    rc = metric_store_put(store, &batch, &taken);
    return rc < 0 ? rc : (int)taken.accepted;
}

static int add_up(void *arg, const int64_t *times, const double *values, size_t count)
{
    double *sum = arg;
    (void)times;
    for (size_t i = 0; i < count; i++)
        *sum += isnan(values[i]) ? 0 : values[i];
    return 0;
}

static void what_was_put_is_read(void **state)
{
    (void)state;
    AUTO(metric_store_close)
    struct metric_store *store =
        open_store((struct metric_store_options){ .shard_count = 3 });
    const struct metric *m = declare(store, "load", AGGREGATE_AVG);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(put(store, "c/h1", m, BEGIN + i * STEP, i), 1);
    const struct level_series *s = metric_store_find(store, SPAN("c/h1"), m);
    assert_non_null(s);
    double sum = 0;
    struct metric_read read;
    struct metric_range range = { BEGIN, BEGIN + 500 * STEP, add_up, &sum };
    unsigned reader = metric_store_enter(store);
    assert_int_equal(metric_store_read(store, s, &range, &read), 0);
    struct series_stats stats;
    assert_int_equal(metric_store_stats(store, s, BEGIN, BEGIN + 500 * STEP, &stats),
                     0);
    metric_store_leave(store, reader);
    assert_true(sum == 499 * 500 / 2);
    assert_true(stats.sum == sum && stats.count == 500 && stats.max == 499);
    assert_int_equal(read.from, METRIC_FROM_MEMORY);
    assert_null(metric_store_find(store, SPAN("c/h2"), m));
}

static void the_cluster_is_aggregated_over_all_shards(void **state)
{
    (void)state;
    AUTO(metric_store_close)
    struct metric_store *store =
        open_store((struct metric_store_options){ .shard_count = 4 });
    const struct metric *m = declare(store, "power", AGGREGATE_SUM);
    char path[32];
    for (int i = 0; i < 100; i++) {
        (void)snprintf(path, sizeof path, "%s/h%d", i < 60 ? "c" : "d", i);
        assert_int_equal(put(store, path, m, BEGIN, 1), 1);
    }
    static const struct {
        const char *path;
        double value;
        size_t series;
    } cases[] = {
        { "c", 60, 60 }, { "d", 40, 40 }, { "", 100, 100 }, { "c/h7", 1, 1 }
    };
    double value;
    uint32_t contributors;
    struct aggregate a = { BEGIN, STEP, 1, &value, &contributors, 0 };
    unsigned reader = metric_store_enter(store);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        assert_int_equal(metric_store_aggregate(store, span_of(cases[i].path), m, &a),
                         0);
        assert_true(value == cases[i].value && a.series_count == cases[i].series);
    }
    assert_int_equal(metric_store_aggregate(store, SPAN("e"), m, &a), -ENOENT);
    metric_store_leave(store, reader);
    /* What a cluster has itself is used as it is, also for all. */
    assert_int_equal(put(store, "c", m, BEGIN, 7), 1);
    reader = metric_store_enter(store);
    assert_int_equal(metric_store_aggregate(store, SPAN("c"), m, &a), 0);
    assert_true(value == 7 && a.series_count == 1);
    assert_int_equal(metric_store_aggregate(store, SPAN(""), m, &a), 0);
    assert_true(value == 47 && a.series_count == 41);
    metric_store_leave(store, reader);
}

static void limits_hold_over_all_shards(void **state)
{
    (void)state;
    AUTO(metric_store_close)
    struct metric_store *store = open_store((struct metric_store_options){
        .shard_count = 4, .series_max = 10, .retention_ns = 100 * STEP });
    const struct metric *m = declare(store, "load", AGGREGATE_AVG);
    int64_t now_ns = clock_now_ns();
    char path[32];
    assert_int_equal(put(store, "c//h3", m, now_ns, 1), -EINVAL);
    for (int i = 0; i < 20; i++) {
        (void)snprintf(path, sizeof path, "c/h%d", i);
        assert_int_equal(put(store, path, m, now_ns, 1), i < 10 ? 1 : -ENOSPC);
        assert_int_equal(metric_store_series_count(store), i < 10 ? i + 1 : 10);
    }
    assert_int_equal(put(store, "c/h3", m, now_ns + STEP, 1), 1);
    assert_int_equal(put(store, "c/h3", m, now_ns - 200 * STEP, 1), 0);
    struct metric_store_status status;
    metric_store_status(store, &status);
    assert_int_equal(status.memory.series_count, 10);
    assert_int_equal(status.memory.samples.accepted, 11);
    assert_int_equal(status.memory.samples.too_old, 1);
    assert_int_equal(status.batches, 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_put_is_read),
        cmocka_unit_test(the_cluster_is_aggregated_over_all_shards),
        cmocka_unit_test(limits_hold_over_all_shards),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
