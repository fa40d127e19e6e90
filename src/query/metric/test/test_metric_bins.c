/* SPDX-License-Identifier: Apache-2.0 */
/* test_metric_bins - one metric of one level as values of equal pieces of time. */
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "query/metric/metric.h"

#include <errno.h>
#include <math.h>

#define BEGIN_S INT64_C(1700000000)
#define BINS 4
#define BIN_S 300

struct bench {
    struct metric_store *store;
};

static void bench_open(struct bench *b)
{
    struct err err = { 0 };
    const struct metric_store_options options = { .shard_count = 1 };
    assert_int_equal(metric_store_open(&options, &b->store, &err), 0);
}

static const struct metric *metric_of(struct bench *b, const char *name,
                                      enum metric_kind kind, enum aggregation how)
{
    const struct metric *declared = NULL;
    const struct metric metric = { .name = span_of(name),
                                   .kind = kind,
                                   .aggregation = how,
                                   .step_ns = 60 * NS_PER_S };
    assert_int_equal(metric_declare(metric_store_metrics(b->store), &metric, &declared),
                     0);
    return declared;
}

static void sample_put(struct bench *b, const struct metric *metric, const char *path,
                       int64_t t_s, double value)
{
    struct level_series *series = NULL;
    struct sample_counts counts;
    assert_int_equal(metric_store_series(b->store, span_of(path), metric, &series), 0);
    const struct sample point = { series, t_s * NS_PER_S, value };
    const struct metric_batch batch = { 0, &point, 1, METRIC_STORED };
    assert_int_equal(metric_store_put(b->store, &batch, &counts), 0);
}

static int bins_of_job(struct bench *b, const struct metric *metric, const char *path,
                       const char *job, double *values, struct metric_bins_summary *ret)
{
    const struct metric_bins_opts opts = { .metric = metric,
                                           .job = span_of(job),
                                           .from_ns = BEGIN_S * NS_PER_S,
                                           .bin_ns = BIN_S * NS_PER_S,
                                           .count = BINS };
    unsigned reader = metric_store_enter(b->store);
    const struct level *level = metric_store_level(b->store, span_of(path));
    assert_non_null(level);
    int rc = metric_bins_read(b->store, level, &opts, values, ret);
    metric_store_leave(b->store, reader);
    return rc;
}

static int bins_of(struct bench *b, const struct metric *metric, const char *path,
                   double *values, struct metric_bins_summary *ret)
{
    return bins_of_job(b, metric, path, "", values, ret);
}

static void a_gauge_becomes_the_mean_of_each_piece(void **state)
{
    (void)state;
    struct bench b;
    struct metric_bins_summary s;
    double values[BINS];
    bench_open(&b);
    const struct metric *m = metric_of(&b, "load", METRIC_GAUGE, AGGREGATE_NONE);
    sample_put(&b, m, "alex/a", BEGIN_S - 60, 1000);
    sample_put(&b, m, "alex/a", BEGIN_S, 2);
    sample_put(&b, m, "alex/a", BEGIN_S + 60, 4);
    sample_put(&b, m, "alex/a", BEGIN_S + 120, NAN);
    sample_put(&b, m, "alex/a", BEGIN_S + 2 * BIN_S, 5);
    sample_put(&b, m, "alex/a", BEGIN_S + 4 * BIN_S, 1000);
    assert_int_equal(bins_of(&b, m, "alex/a", values, &s), 0);
    assert_float_equal(values[0], 3, 0);
    assert_true(isnan(values[1]));
    assert_float_equal(values[2], 5, 0);
    assert_true(isnan(values[3]));
    assert_int_equal(s.samples, 3);
    assert_int_equal(s.samples_max, 3);
    assert_true(s.is_integral);
    assert_float_equal(s.min, 2, 0);
    assert_float_equal(s.max, 5, 0);
    assert_int_equal(s.first_ns, BEGIN_S * NS_PER_S);
    assert_int_equal(s.last_ns, (BEGIN_S + 2 * BIN_S) * NS_PER_S);
    metric_store_close(b.store);
}

static void a_counter_becomes_a_rate_and_a_restart_counts_nothing(void **state)
{
    (void)state;
    struct bench b;
    struct metric_bins_summary s;
    double values[BINS];
    bench_open(&b);
    const struct metric *m = metric_of(&b, "bytes", METRIC_COUNTER, AGGREGATE_SUM);
    for (int64_t i = 0; i < 10; i++)
        sample_put(&b, m, "alex/a", BEGIN_S + 60 * i,
                   i < 7 ? 100.0 + 600.0 * (double)i : 60.0 * (double)(i - 7));
    assert_int_equal(bins_of(&b, m, "alex/a", values, &s), 0);
    assert_float_equal(values[0], 10, 1e-9);
    /* 4 to 5 and 5 to 6 at 10 a second, 7 to 8 and 8 to 9 at one: of four minutes. */
    assert_float_equal(values[1], (2 * 600 + 2 * 60) / 240.0, 1e-9);
    assert_true(isnan(values[2]));
    metric_store_close(b.store);
}

static void parts_of_a_host_are_added_up_or_averaged(void **state)
{
    (void)state;
    struct bench b;
    struct metric_bins_summary s;
    double values[BINS];
    bench_open(&b);
    const struct metric *sum = metric_of(&b, "flops", METRIC_GAUGE, AGGREGATE_SUM);
    const struct metric *avg = metric_of(&b, "clock", METRIC_GAUGE, AGGREGATE_AVG);
    const struct metric *none = metric_of(&b, "temp", METRIC_GAUGE, AGGREGATE_NONE);
    const struct metric *const all[] = { sum, avg, none };
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        sample_put(&b, all[i], "alex/a/socket:0", BEGIN_S, 10.5);
        sample_put(&b, all[i], "alex/a/socket:1", BEGIN_S, 20);
        sample_put(&b, all[i], "alex/a/socket:1", BEGIN_S + BIN_S, 7);
    }
    assert_int_equal(bins_of(&b, sum, "alex/a", values, &s), 0);
    assert_float_equal(values[0], 30.5, 0);
    assert_true(isnan(values[1])); /* one part was not observed: no sum */
    assert_int_equal(s.samples, 3);
    assert_int_equal(s.samples_max, 2);
    assert_false(s.is_integral);
    assert_int_equal(bins_of(&b, avg, "alex/a", values, &s), 0);
    assert_float_equal(values[0], 15.25, 0);
    assert_float_equal(values[1], 7, 0);
    assert_int_equal(bins_of(&b, none, "alex/a", values, &s), -ENOENT);
    assert_int_equal(bins_of(&b, none, "alex/a/socket:1", values, &s), 0);
    assert_float_equal(values[0], 20, 0);
    metric_store_close(b.store);
}

static void what_ended_before_the_range_has_its_last_time(void **state)
{
    (void)state;
    struct bench b;
    struct metric_bins_summary s;
    double values[BINS];
    bench_open(&b);
    const struct metric *m = metric_of(&b, "load", METRIC_GAUGE, AGGREGATE_NONE);
    sample_put(&b, m, "alex/old", BEGIN_S - 600, 1);
    sample_put(&b, m, "alex/later", BEGIN_S + BINS * BIN_S, 1);
    assert_int_equal(bins_of(&b, m, "alex/old", values, &s), 0);
    assert_int_equal(s.last_ns, (BEGIN_S - 600) * NS_PER_S);
    assert_int_equal(s.samples, 0);
    assert_true(isnan(s.min) && isnan(values[0]));
    assert_int_equal(bins_of(&b, m, "alex/later", values, &s), 0);
    assert_true(s.last_ns == INT64_MIN);
    metric_store_close(b.store);
}

static void a_job_has_its_own_and_nothing_of_its_neighbours(void **state)
{
    (void)state;
    struct bench b;
    struct metric_bins_summary s;
    double values[BINS];
    bench_open(&b);
    const struct metric *memory =
        metric_of(&b, "job_mem_used", METRIC_GAUGE, AGGREGATE_SUM);
    const struct metric *steps =
        metric_of(&b, "app_steps", METRIC_GAUGE, AGGREGATE_SUM);
    const struct metric *load = metric_of(&b, "load", METRIC_GAUGE, AGGREGATE_NONE);
    sample_put(&b, memory, "alex/a/job:7", BEGIN_S, 3);
    sample_put(&b, memory, "alex/a/job:71", BEGIN_S, 100);
    sample_put(&b, steps, "alex/a/job:71", BEGIN_S, 5);
    sample_put(&b, load, "alex/a", BEGIN_S, 2);
    assert_int_equal(bins_of(&b, memory, "alex/a", values, &s), 0);
    assert_float_equal(values[0], 103, 0);
    assert_int_equal(bins_of_job(&b, memory, "alex/a", "job:7", values, &s), 0);
    assert_float_equal(values[0], 3, 0);
    assert_int_equal(bins_of_job(&b, steps, "alex/a", "job:7", values, &s), -ENOENT);
    assert_int_equal(bins_of_job(&b, load, "alex/a", "job:7", values, &s), 0);
    assert_float_equal(values[0], 2, 0);
    metric_store_close(b.store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gauge_becomes_the_mean_of_each_piece),
        cmocka_unit_test(a_counter_becomes_a_rate_and_a_restart_counts_nothing),
        cmocka_unit_test(parts_of_a_host_are_added_up_or_averaged),
        cmocka_unit_test(a_job_has_its_own_and_nothing_of_its_neighbours),
        cmocka_unit_test(what_ended_before_the_range_has_its_last_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
