/* SPDX-License-Identifier: Apache-2.0 */
/* test_shard - the tree, its limits, aggregation, retention, and readers of all of it.
 */
#include "base/span.h"
#include "base/test/testing.h"
#include "store/tree/aggregate.h"
#include "store/tree/shard.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#define SECOND INT64_C(1000000000)
#define STEP (10 * SECOND)
#define BEGIN (INT64_C(1700000000) * SECOND)

static int put(struct shard *shard, const char *path, uint32_t metric, int64_t slot,
               double value)
{
    struct metric_series *series = NULL;
    int64_t t_ns = BEGIN + slot * STEP;
    shard_lock(shard);
    int rc = shard_series(shard, span_of(path), metric, STEP, &series);
    if (rc == 0)
        rc = shard_put(shard, series, t_ns, t_ns, value);
    shard_unlock(shard);
    return rc;
}

static struct shard *new_shard(size_t series_max, int64_t retention_ns)
{
    struct shard_options options = { .series_max = series_max,
                                     .retention_ns = retention_ns };
    struct shard *shard = NULL;
    assert_int_equal(shard_new(&options, &shard), 0);
    return shard;
}

static void paths_become_levels(void **state)
{
    (void)state;
    AUTO(shard_free) struct shard *shard = new_shard(100, 0);
    static const char *const good[] = { "c", "c/h", "c/h/hwthread:7",
                                        "c/h/socket:0/x:1",
                                        "c/h/accelerator:00000000:49:00.0" };
    static const char *const bad[] = { "/", "c//h", "c/", "/c", "c/h/t/s/deeper" };
    for (size_t i = 0; i < COUNT_OF(good); i++)
        assert_int_equal(put(shard, good[i], 1, 0, 1), 0);
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        assert_int_equal(put(shard, bad[i], 1, 0, 1), -EINVAL);
    const struct level_tree *tree = shard_tree(shard);
    assert_int_equal(tree->level_count, 1 + 6); /* the root, and c/h/socket:0 */
    assert_int_equal(tree->series_count, 5);
    const struct level *level = level_find(tree, SPAN("c/h/hwthread:7"));
    assert_non_null(level);
    assert_ptr_equal(level->parent, level_find(tree, SPAN("c/h")));
    assert_null(level_find(tree, SPAN("c/h2")));
    assert_null(level_series_find(tree, level, 2));
}

static void past_the_limit_only_known_series_go_on(void **state)
{
    (void)state;
    AUTO(shard_free) struct shard *shard = new_shard(2, 0);
    assert_int_equal(put(shard, "c/h", 1, 0, 1), 0);
    assert_int_equal(put(shard, "c/h", 2, 0, 1), 0);
    assert_int_equal(put(shard, "c/h", 3, 0, 1), -ENOSPC);
    assert_int_equal(put(shard, "c/i", 1, 0, 1), -ENOSPC);
    assert_int_equal(put(shard, "c/h", 2, 1, 1), 0);
}

static void a_host_belongs_to_one_shard(void **state)
{
    (void)state;
    size_t of_shard[4] = { 0 };
    for (int i = 0; i < 1000; i++) {
        char host[32], thread[48];
        (void)snprintf(host, sizeof host, "alex/a%04d", i);
        (void)snprintf(thread, sizeof thread, "%s/hwthread:%d", host, i);
        size_t shard = shard_of(span_of(host), 1, 4);
        assert_int_equal(shard, shard_of(span_of(thread), 1, 4));
        of_shard[shard]++;
    }
    for (size_t i = 0; i < 4; i++)
        assert_in_range(of_shard[i], 180, 320);
}

static void children_that_miss_samples_are_skipped(void **state)
{
    (void)state;
    AUTO(shard_free) struct shard *shard = new_shard(100, 0);
    static const struct {
        const char *path;
        int64_t slot;
        double value;
    } rows[] = {
        { "c/h/hwthread:0", 0, 1 }, { "c/h/hwthread:0", 2, 1 },
        { "c/h/hwthread:1", 0, 2 }, { "c/h/hwthread:1", 1, 2 },
        { "c/h/hwthread:1", 2, 2 }, { "c/h/hwthread:2", 2, 6 },
        { "c/h/hwthread:2", 4, 6 }, { "c/i", 0, 50 },
        { "c/i/hwthread:0", 0, 7 },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_int_equal(put(shard, rows[i].path, 9, rows[i].slot, rows[i].value), 0);
    double values[5];
    uint32_t contributors[5];
    struct aggregate a = { BEGIN, STEP, 5, values, contributors, 0 };
    const struct level_tree *tree = shard_tree(shard);
    const struct level *host = level_find(tree, SPAN("c/h"));
    unsigned reader = shard_enter(shard);
    static const double sums[] = { 3, 2, 9, 0, 6 };
    static const uint32_t counts[] = { 2, 1, 3, 0, 1 };
    assert_int_equal(aggregate_read(tree, host, 9, AGGREGATE_SUM, &a), 0);
    assert_int_equal(a.series_count, 3);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(contributors[i], counts[i]);
        assert_true(counts[i] ? values[i] == sums[i]
                              : double_bits(values[i]) == MISSING_BITS);
    }
    assert_int_equal(aggregate_read(tree, host, 9, AGGREGATE_AVG, &a), 0);
    assert_true(values[0] == 1.5 && values[2] == 3);
    /* c/i has the metric itself: what lies below it does not count. */
    assert_int_equal(aggregate_read(tree, tree->root, 9, AGGREGATE_SUM, &a), 0);
    assert_true(values[0] == 53 && contributors[0] == 3);
    assert_int_equal(aggregate_read(tree, host, 8, AGGREGATE_SUM, &a), -ENOENT);
    shard_leave(shard, reader);
}

static void history_goes_a_block_after_its_age(void **state)
{
    (void)state;
    const int64_t retention_slots = 1000;
    AUTO(shard_free) struct shard *shard = new_shard(1000, retention_slots * STEP);
    struct shard_status status, early = { 0 };
    for (int64_t slot = 0; slot < 20000; slot++) {
        for (int host = 0; host < 3; host++) {
            char path[32];
            (void)snprintf(path, sizeof path, "c/h%d", host);
            assert_int_equal(put(shard, path, 1, slot, (double)slot), 0);
        }
        if (slot % 100 == 0)
            (void)shard_retain(shard, BEGIN + slot * STEP);
        if (slot == 5000)
            shard_status(shard, &early);
    }
    shard_status(shard, &status);
    assert_int_equal(status.slab_bytes, early.slab_bytes);
    assert_true(status.reused_count > early.reused_count);
    assert_true(status.released_slots >=
                3 * (20000 - (uint64_t)retention_slots - 2 * CODEC_VALUES_MAX - 100));
    assert_true(status.released_slots <= 3 * (20000 - (uint64_t)retention_slots));
    assert_int_equal(put(shard, "c/h0", 1, 20000, 1), 0);
    struct metric_series *series = NULL;
    shard_lock(shard);
    assert_int_equal(shard_series(shard, SPAN("c/h0"), 1, STEP, &series), 0);
    assert_int_equal(shard_put(shard, series, BEGIN + 20000 * STEP, BEGIN, 1), -ERANGE);
    shard_unlock(shard);
}

static void many_series_are_small(void **state)
{
    (void)state;
    AUTO(shard_free) struct shard *shard = new_shard(100000, 0);
    struct shard_status status;
    for (int i = 0; i < 72 * 100; i++) {
        char path[48];
        (void)snprintf(path, sizeof path, "fritz/f%04d/hwthread:%d", i / 72, i % 72);
        for (uint32_t metric = 0; metric < 10; metric++)
            assert_int_equal(put(shard, path, metric, 0, metric), 0);
    }
    shard_status(shard, &status);
    print_message("# %.1f bytes a series\n", (double)status.slab_bytes / 72000);
    assert_int_equal(status.series_count, 72000);
    assert_true(status.slab_bytes <= (uint64_t)200 * 72000);
}

struct shared {
    struct shard *shard;
    _Atomic bool is_over;
    _Atomic int wrong;
    _Atomic uint64_t readings;
};

/* While children come and go on, each contributes its slot's number: the average of a
 * slot is that number, however many have arrived. */
static void *aggregate_on(void *arg)
{
    struct shared *s = arg;
    while (!atomic_load(&s->is_over)) {
        double values[200];
        uint32_t contributors[200];
        struct aggregate a = { BEGIN, STEP, 200, values, contributors, 0 };
        unsigned reader = shard_enter(s->shard);
        const struct level_tree *tree = shard_tree(s->shard);
        int rc = aggregate_read(tree, tree->root, 1, AGGREGATE_AVG, &a);
        shard_leave(s->shard, reader);
        for (size_t i = 0; rc == 0 && i < 200; i++)
            if (contributors[i] && values[i] != (double)i)
                atomic_fetch_add(&s->wrong, 1);
        atomic_fetch_add(&s->readings, 1);
    }
    return NULL;
}

static void readers_walk_while_the_tree_grows(void **state)
{
    (void)state;
    struct shared s = { .shard = new_shard(100000, 0) };
    pthread_t reader;
    assert_int_equal(pthread_create(&reader, NULL, aggregate_on, &s), 0);
    for (int64_t i = 0; i < 60000 && (i < 20000 || atomic_load(&s.readings) < 5); i++) {
        char path[32];
        (void)snprintf(path, sizeof path, "c/h%d/t:%d", (int)(i % 97), (int)(i % 5));
        assert_int_equal(
            put(s.shard, path, 1, i * 200 / 60000, (double)(i * 200 / 60000)), 0);
    }
    atomic_store(&s.is_over, true);
    assert_int_equal(pthread_join(reader, NULL), 0);
    shard_free(s.shard);
    assert_int_equal(atomic_load(&s.wrong), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_become_levels),
        cmocka_unit_test(past_the_limit_only_known_series_go_on),
        cmocka_unit_test(a_host_belongs_to_one_shard),
        cmocka_unit_test(children_that_miss_samples_are_skipped),
        cmocka_unit_test(history_goes_a_block_after_its_age),
        cmocka_unit_test(many_series_are_small),
        cmocka_unit_test(readers_walk_while_the_tree_grows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
