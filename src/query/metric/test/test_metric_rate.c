/* SPDX-License-Identifier: Apache-2.0 */
/* test_metric_rate - counters as rates: resets, holes, where a range begins; means. */
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "query/metric/metric.h"

#define S NS_PER_S

static void a_counter_becomes_its_rate_per_second(void **state)
{
    int64_t times[] = { 0, 10 * S, 30 * S, 40 * S, 50 * S, 50 * S, 60 * S };
    double values[] = { 100, 160, 280, 40, 100, 101, 101 };
    int64_t lengths[COUNT_OF(times)];
    uint64_t resets = 0;
    static const int64_t want_s[] = { 10, 30, 50, 60 },
                         want_lengths_s[] = { 10, 20, 10, 10 };
    static const double want[] = { 6, 6, 6, 0 };
    (void)state;
    size_t count =
        metric_rate_make(times, values, lengths, COUNT_OF(times), 0, &resets);
    assert_int_equal(count, COUNT_OF(want));
    assert_int_equal(resets, 1);
    for (size_t i = 0; i < count; i++)
        if (times[i] != want_s[i] * S || values[i] != want[i] ||
            lengths[i] != want_lengths_s[i] * S)
            fail_msg("rate %zu: %g at %lld", i, values[i], (long long)times[i]);
}

static void what_is_before_the_range_only_begins_the_first_rate(void **state)
{
    int64_t times[] = { 0, 10 * S, 20 * S, 30 * S };
    double values[] = { 50, 10, 20, 50 };
    int64_t lengths[COUNT_OF(times)];
    uint64_t resets = 0;
    (void)state;
    size_t count =
        metric_rate_make(times, values, lengths, COUNT_OF(times), 20 * S, &resets);
    assert_int_equal(count, 2);
    assert_int_equal(resets, 0); /* that was before the range */
    assert_true(values[0] == 1 && values[1] == 3 && times[0] == 20 * S);
}

static void too_few_samples_have_no_rate(void **state)
{
    int64_t time = 5 * S, length = 0;
    double value = 7;
    uint64_t resets = 0;
    (void)state;
    assert_int_equal(metric_rate_make(&time, &value, &length, 0, 0, &resets), 0);
    assert_int_equal(metric_rate_make(&time, &value, &length, 1, 0, &resets), 0);
    assert_int_equal(resets, 0);
}

static void a_mean_weighs_by_length(void **state)
{
    static const double values[] = { 6, 3 };
    static const int64_t lengths[] = { 10, 20 };
    (void)state;
    assert_true(metric_rate_mean(values, lengths, 2) == 4);
    assert_true(metric_rate_mean(values, NULL, 2) == 4.5);
}

/* From the store: the sample before the range, a hole, a reset, two hosts together. */
static void a_window_of_a_counter_gives_rates(void **state)
{
    struct err err = { 0 };
    const struct metric_store_options options = { .shard_count = 1 };
    const struct metric declared = { .name = SPAN("bytes"),
                                     .unit = SPAN("B"),
                                     .kind = METRIC_COUNTER,
                                     .step_ns = 10 * S,
                                     .aggregation = AGGREGATE_SUM };
    static const double values[2][8] = { { 0, 100, 200, 300, -1, 500, 20, 120 },
                                         { 0, 10, 20, 30, 40, 50, 60, 70 } };
    struct metric_store *store = NULL;
    const struct metric *metric = NULL;
    struct metric_reader *reader = NULL;
    struct level *levels[2];
    struct metric_result got;
    const int64_t begin = INT64_C(1700000000) * S;
    (void)state;
    assert_int_equal(metric_store_open(&options, &store, &err), 0);
    assert_int_equal(metric_declare(metric_store_metrics(store), &declared, &metric),
                     0);
    for (size_t h = 0; h < 2; h++) {
        struct level_series *series = NULL;
        assert_int_equal(metric_store_series(store, h ? SPAN("c/h2") : SPAN("c/h1"),
                                             metric, &series),
                         0);
        levels[h] = series->level;
        for (size_t i = 0; i < 8; i++) {
            struct sample_counts counts;
            const struct sample point = { series, begin + (int64_t)i * 10 * S,
                                          values[h][i] };
            const struct metric_batch batch = { 0, &point, 1, METRIC_STORED };
            if (values[h][i] >= 0)
                assert_int_equal(metric_store_put(store, &batch, &counts), 0);
        }
    }
    assert_int_equal(metric_reader_new(store, &reader), 0);
    struct metric_read_opts opts = { .metric = metric,
                                     .levels = levels,
                                     .level_count = 1,
                                     .from_ns = begin + 20 * S,
                                     .to_ns = begin + 80 * S,
                                     .aggregation = AGGREGATE_SUM,
                                     .counters = METRIC_COUNTERS_RATE,
                                     .want = METRIC_WANT_DATA | METRIC_WANT_STATS };
    unsigned inside = metric_store_enter(store);
    assert_int_equal(metric_window_read(reader, &opts, &got, &err), 0);
    /* 20: 10, 30: 10, 40: none, 50: 10 over 20 s, 60: reset, 70: 10 */
    assert_int_equal(got.count, 6);
    assert_int_equal(got.resets, 1);
    assert_true(got.from_ns == begin + 20 * S && got.step_ns == 10 * S);
    assert_true(got.values[0] == 10 && got.values[3] == 10 && got.values[5] == 10);
    assert_true(got.values[2] != got.values[2] && got.values[4] != got.values[4]);
    assert_true(got.numbers.count == 4 && got.numbers.min == 10 &&
                got.numbers.max == 10);
    opts.want = METRIC_WANT_STATS; /* the same numbers without the data */
    assert_int_equal(metric_window_read(reader, &opts, &got, &err), 0);
    assert_true(got.numbers.count == 4 && got.numbers.max == 10 && !got.values);
    assert_int_equal(got.step_ns, 10 * S);
    opts.want = METRIC_WANT_DATA;
    opts.level_count = 2;
    assert_int_equal(metric_window_read(reader, &opts, &got, &err), 0);
    assert_int_equal(got.count, 6);
    assert_true(got.values[0] == 11 && got.values[2] == 1 && got.values[4] == 1);
    opts.counters = METRIC_COUNTERS_RAW;
    assert_int_equal(metric_window_read(reader, &opts, &got, &err), 0);
    assert_true(got.values[0] == 220);
    metric_store_leave(store, inside);
    metric_reader_free(reader);
    metric_store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_counter_becomes_its_rate_per_second),
        cmocka_unit_test(what_is_before_the_range_only_begins_the_first_rate),
        cmocka_unit_test(too_few_samples_have_no_rate),
        cmocka_unit_test(a_mean_weighs_by_length),
        cmocka_unit_test(a_window_of_a_counter_gives_rates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
