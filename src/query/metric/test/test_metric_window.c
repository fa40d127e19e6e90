/* SPDX-License-Identifier: Apache-2.0 */
/* test_metric_window - answers held against a plain list of the samples. */
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "query/metric/metric.h"

#include <math.h>
#include <stdlib.h>

#define STEP (10 * NS_PER_S)
#define BEGIN (INT64_C(1700000003) * NS_PER_S)
#define SAMPLES_MAX 8192

static uint64_t seed;

static uint64_t draw(uint64_t below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed % below;
}

struct list {
    int64_t times[SAMPLES_MAX];
    double values[SAMPLES_MAX];
    size_t count;
};

struct house {
    struct metric_store *store;
    const struct metric *metric;
    struct level_series *series[2];
    struct level *levels[2];
    struct metric_reader *reader;
    struct list truth;
};

static void open_house(struct house *h, int64_t step_ns)
{
    struct err err = { 0 };
    const struct metric_store_options options = { .shard_count = 1 };
    const struct metric metric = { .name = SPAN("m"),
                                   .step_ns = step_ns,
                                   .aggregation = AGGREGATE_SUM };
    const char *const paths[] = { "c/h1", "c/h2" };
    assert_int_equal(metric_store_open(&options, &h->store, &err), 0);
    assert_int_equal(
        metric_declare(metric_store_metrics(h->store), &metric, &h->metric), 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(
            metric_store_series(h->store, span_of(paths[i]), h->metric, &h->series[i]),
            0);
        h->levels[i] = h->series[i]->level;
    }
    assert_int_equal(metric_reader_new(h->store, &h->reader), 0);
}

static void close_house(struct house *h)
{
    metric_reader_free(h->reader);
    metric_store_close(h->store);
    free(h);
}

static void put(struct house *h, int which, int64_t t_ns, double value)
{
    struct sample_counts taken;
    const struct sample point = { h->series[which], t_ns, value };
    const struct metric_batch batch = { 0, &point, 1, METRIC_STORED };
    assert_int_equal(metric_store_put(h->store, &batch, &taken), 0);
}

static int ask(struct house *h, size_t levels, int64_t from_ns, int64_t to_ns,
               int64_t step_ns, struct metric_result *ret)
{
    struct err err = { 0 };
    const struct metric_read_opts question = {
        .metric = h->metric,
        .levels = h->levels,
        .level_count = levels,
        .from_ns = from_ns,
        .to_ns = to_ns,
        .resolution_ns = step_ns,
        .resampling = RESAMPLE_AVERAGE,
        .aggregation = AGGREGATE_SUM,
        .want = METRIC_WANT_DATA | METRIC_WANT_STATS,
    };
    return metric_window_read(h->reader, &question, ret, &err);
}

static int note(void *arg, const int64_t *times, const double *values, size_t count)
{
    struct list *list = arg;
    for (size_t i = 0; i < count; i++) {
        if (isnan(values[i]))
            continue;
        assert_true(list->count < SAMPLES_MAX);
        list->times[list->count] = times[i];
        list->values[list->count++] = values[i];
    }
    return 0;
}

static void note_truth(struct house *h)
{
    struct metric_range range = { 0, INT64_MAX, note, &h->truth };
    struct metric_read read;
    assert_int_equal(metric_store_read(h->store, h->series[0], &range, &read), 0);
}

static int64_t time_of(const struct metric_result *a, size_t i)
{
    return a->times ? a->times[i] : a->from_ns + (int64_t)i * a->step_ns;
}

/* Every sample of the range, at its own time, and nothing else. */
static void check_own(struct house *h, int64_t from_ns, int64_t to_ns)
{
    struct metric_result a;
    const struct list *truth = &h->truth;
    size_t at = 0;
    assert_int_equal(ask(h, 1, from_ns, to_ns, 0, &a), 0);
    while (at < truth->count && truth->times[at] < from_ns)
        at++;
    for (size_t i = 0; i < a.count; i++) {
        if (isnan(a.values[i]))
            continue;
        if (at == truth->count || time_of(&a, i) != truth->times[at] ||
            a.values[i] != truth->values[at] || truth->times[at] >= to_ns)
            fail_msg("from %lld to %lld: a point at %lld", (long long)from_ns,
                     (long long)to_ns, (long long)time_of(&a, i));
        at++;
    }
    assert_true(at == truth->count || truth->times[at] >= to_ns);
}

/* Means of whole steps since the epoch, statistics of the samples. */
static void check_means(struct house *h, int64_t from_ns, int64_t to_ns,
                        int64_t step_ns)
{
    struct metric_result a;
    const struct list *truth = &h->truth;
    double sum = 0, low = INFINITY, high = -INFINITY;
    size_t count = 0, at = 0;
    assert_int_equal(ask(h, 1, from_ns, to_ns, step_ns, &a), 0);
    while (at < truth->count && truth->times[at] < from_ns)
        at++;
    for (size_t i = 0; i < a.count; i++) {
        int64_t t_ns = time_of(&a, i);
        double piece = 0;
        size_t n = 0;
        assert_int_equal(t_ns % step_ns, 0);
        for (; at < truth->count && truth->times[at] < to_ns &&
               truth->times[at] < t_ns + step_ns;
             at++, n++) {
            double v = truth->values[at];
            assert_true(truth->times[at] >= t_ns);
            piece += v;
            sum += v;
            low = v < low ? v : low;
            high = v > high ? v : high;
        }
        count += n;
        assert_true(n ? fabs(a.values[i] - piece / (double)n) < 1e-9
                      : isnan(a.values[i]));
    }
    assert_true(at == truth->count || truth->times[at] >= to_ns);
    assert_int_equal(a.numbers.count, count);
    if (count > 0)
        assert_true(fabs(a.numbers.sum - sum) < 1e-6 && a.numbers.min == low &&
                    a.numbers.max == high);
    else
        assert_true(isnan(a.numbers.min) && isnan(a.numbers.max));
}

/* Gaps, restarts in another phase, late samples; a step that changes. */
static void fill(struct house *h)
{
    int64_t t_ns = BEGIN, step_ns = STEP;
    for (int i = 0; i < 2500; i++) {
        uint64_t kind = draw(300);
        if (kind == 0)
            t_ns += (int64_t)draw((uint64_t)step_ns);
        else if (kind == 1)
            t_ns += (int64_t)draw(400) * step_ns;
        t_ns += step_ns;
        put(h, 0, t_ns, draw(50) ? (double)draw(1000) : NAN);
        if (draw(40) == 0)
            put(h, 0, t_ns - (int64_t)draw(600) * STEP / 7, (double)draw(1000));
        if (h->metric->step_ns != STEP && draw(500) == 0)
            step_ns = (int64_t)(1 + draw(6)) * 5 * NS_PER_S;
    }
}

static void check_random(int64_t metric_step_ns)
{
    for (uint64_t round = 1; round < 20; round++) {
        struct house *h = calloc(1, sizeof *h);
        assert_non_null(h);
        seed = round * UINT64_C(88172645463325252);
        open_house(h, metric_step_ns);
        fill(h);
        unsigned inside = metric_store_enter(h->store);
        note_truth(h);
        uint64_t span_ns =
            (uint64_t)(h->truth.times[h->truth.count - 1] - BEGIN + 40 * STEP);
        for (int i = 0; i < 50; i++) {
            int64_t from_ns = BEGIN - 20 * STEP + (int64_t)draw(span_ns);
            int64_t to_ns = from_ns + (int64_t)draw(span_ns);
            check_own(h, from_ns, to_ns);
            if (metric_step_ns == STEP)
                check_means(h, from_ns, to_ns, (int64_t)(2 + draw(50)) * STEP);
            else if (metric_step_ns == 0)
                check_means(h, from_ns, to_ns, (int64_t)(1 + draw(500)) * NS_PER_S);
        }
        metric_store_leave(h->store, inside);
        close_house(h);
    }
}

static void a_sample_has_its_time_whatever_the_range(void **state)
{
    (void)state;
    check_random(STEP);
}

static void also_where_nobody_declared_a_step(void **state)
{
    (void)state;
    check_random(STEP_SOUGHT);
}

static void also_without_a_step(void **state)
{
    (void)state;
    check_random(0);
}

/* 61 samples of a minute in pieces of ten: the last piece is of one. */
static void the_newest_samples_are_in_the_last_piece(void **state)
{
    (void)state;
    struct house *h = calloc(1, sizeof *h);
    struct metric_result a;
    assert_non_null(h);
    int64_t begin_ns = INT64_C(1699999800) * NS_PER_S; /* a whole ten minutes */
    open_house(h, 60 * NS_PER_S);
    for (int i = 0; i <= 60; i++)
        put(h, 0, begin_ns + i * 60 * NS_PER_S, i + 1);
    unsigned inside = metric_store_enter(h->store);
    assert_int_equal(
        ask(h, 1, begin_ns, begin_ns + 7200 * NS_PER_S, 600 * NS_PER_S, &a), 0);
    assert_int_equal(a.count, 7);
    assert_true(a.from_ns == begin_ns && a.values[0] == 5.5 && a.values[6] == 61);
    assert_true(a.numbers.count == 61 && a.numbers.max == 61 && a.numbers.sum == 1891);
    metric_store_leave(h->store, inside);
    close_house(h);
}

/* What begins 3 s and what begins 7 s after the full ten: whole tens, whatever the
 * range; when both begin alike, where they stand. */
static void several_series_stand_on_one_grid(void **state)
{
    (void)state;
    for (int other = 0; other < 2; other++) {
        struct house *h = calloc(1, sizeof *h);
        struct metric_result a;
        assert_non_null(h);
        open_house(h, STEP);
        for (int i = 0; i < 100; i++) {
            put(h, 0, BEGIN + i * STEP, 1);
            put(h, 1, BEGIN + i * STEP + (other ? 4 * NS_PER_S : 0), 10);
        }
        unsigned inside = metric_store_enter(h->store);
        for (int from = 0; from < 50; from += 7) {
            int64_t from_ns = BEGIN + from * NS_PER_S;
            assert_int_equal(ask(h, 2, from_ns, from_ns + 200 * NS_PER_S, 0, &a), 0);
            assert_int_equal((a.from_ns - (other ? 0 : 3 * NS_PER_S)) % STEP, 0);
            for (size_t i = 1; i + 1 < a.count; i++)
                assert_true(a.values[i] == 11);
        }
        metric_store_leave(h->store, inside);
        close_house(h);
    }
}

/* Two series of 1, 2, 3 ... and 10 times that, as sums of six: the same pieces, however
 * long before the first sample the range begins. */
/* The least and the greatest of nothing are no number, of one series and of several. */
static void where_there_is_no_number_none_is_least(void **state)
{
    struct house *h = calloc(1, sizeof *h);
    (void)state;
    assert_non_null(h);
    open_house(h, STEP);
    for (int i = 0; i < 10; i++) {
        put(h, 0, BEGIN + i * STEP, i < 5 ? i : (double)NAN);
        put(h, 1, BEGIN + i * STEP, i < 5 ? -i : (double)NAN);
    }
    unsigned inside = metric_store_enter(h->store);
    for (size_t levels = 1; levels <= 2; levels++) {
        struct metric_result a;
        assert_int_equal(ask(h, levels, BEGIN + 5 * STEP, BEGIN + 10 * STEP, 0, &a), 0);
        assert_int_equal(a.numbers.count, 0);
        assert_true(a.numbers.sum == 0);
        assert_true(isnan(a.numbers.min) && isnan(a.numbers.max));
        assert_int_equal(ask(h, levels, BEGIN, BEGIN + 10 * STEP, 0, &a), 0);
        assert_int_equal(a.numbers.count, 5);
        assert_true(a.numbers.min == 0 && a.numbers.max == (levels == 1 ? 4 : 0));
    }
    metric_store_leave(h->store, inside);
    close_house(h);
}

static void pieces_of_several_do_not_depend_on_an_early_beginning(void **state)
{
    (void)state;
    struct house *h = calloc(1, sizeof *h);
    struct metric_result a;
    assert_non_null(h);
    open_house(h, STEP);
    const int64_t piece_ns = 6 * STEP;
    const int64_t first_ns = (BEGIN / piece_ns + 1) * piece_ns;
    for (int i = 0; i < 60; i++) {
        put(h, 0, first_ns + i * STEP, i + 1);
        put(h, 1, first_ns + i * STEP, 10 * (i + 1));
    }
    unsigned inside = metric_store_enter(h->store);
    for (int64_t before_s = 0; before_s <= 7200; before_s += 1200) {
        assert_int_equal(ask(h, 2, first_ns - before_s * NS_PER_S, first_ns + 60 * STEP,
                             piece_ns, &a),
                         0);
        assert_int_equal(a.count, 10);
        assert_int_equal(a.from_ns, first_ns);
        for (size_t i = 0; i < a.count; i++)
            assert_true(a.values[i] == 11 * (6 * (double)i + 3.5));
    }
    metric_store_leave(h->store, inside);
    close_house(h);
}

/* The few samples there are, from the beginning of time on, as from their own: no
 * point is made for the years before, nor for a long gap. */
static void a_range_may_begin_long_before_the_samples(void **state)
{
    static const int64_t gaps_ns[] = { 0, 20 * 365 * 86400 * NS_PER_S };
    (void)state;
    for (size_t g = 0; g < COUNT_OF(gaps_ns); g++) {
        struct house *h = calloc(1, sizeof *h);
        struct metric_result a;
        assert_non_null(h);
        open_house(h, STEP);
        for (int i = 0; i < 60; i++)
            for (int which = 0; which < 2; which++)
                put(h, which, BEGIN + (i < 30 ? 0 : gaps_ns[g]) + i * STEP, i);
        unsigned inside = metric_store_enter(h->store);
        note_truth(h);
        check_own(h, 0, INT64_MAX);
        for (int64_t step = 2; step < 400; step *= 2)
            check_means(h, 0, INT64_MAX, step * STEP);
        for (int64_t step = 0; gaps_ns[g] == 0 && step < 400;
             step = step ? 2 * step : 1) {
            double sum = 0;
            assert_int_equal(ask(h, 2, 0, INT64_MAX, step * STEP, &a), 0);
            int64_t own_ns = a.from_ns, own_count = (int64_t)a.count;
            for (size_t i = 0; i < a.count; i++)
                sum += isnan(a.values[i]) ? 0 : a.values[i];
            assert_int_equal(ask(h, 2, BEGIN, INT64_MAX, step * STEP, &a), 0);
            assert_true(a.from_ns == own_ns && (int64_t)a.count == own_count);
            for (size_t i = 0; i < a.count; i++)
                sum -= isnan(a.values[i]) ? 0 : a.values[i];
            assert_true(fabs(sum) < 1e-9);
        }
        metric_store_leave(h->store, inside);
        close_house(h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sample_has_its_time_whatever_the_range),
        cmocka_unit_test(also_where_nobody_declared_a_step),
        cmocka_unit_test(also_without_a_step),
        cmocka_unit_test(the_newest_samples_are_in_the_last_piece),
        cmocka_unit_test(several_series_stand_on_one_grid),
        cmocka_unit_test(where_there_is_no_number_none_is_least),
        cmocka_unit_test(pieces_of_several_do_not_depend_on_an_early_beginning),
        cmocka_unit_test(a_range_may_begin_long_before_the_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
