/* SPDX-License-Identifier: Apache-2.0 */
/* test_metric_read - what is answered without reading is what reading answers. */
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "query/metric/metric.h"

#include <math.h>

#define STEP (10 * NS_PER_S)
#define BEGIN (INT64_C(1700000003) * NS_PER_S)
#define SAMPLES 3000

static uint64_t seed;

static uint64_t draw(uint64_t below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed % below;
}

struct house {
    struct metric_store *store;
    const struct metric *metric;
    struct level_series *series;
    struct metric_reader *reader;
    int64_t newest_ns;
};

static void open_house(struct house *h)
{
    struct err err = { 0 };
    const struct metric_store_options options = { .shard_count = 1 };
    const struct metric metric = { .name = SPAN("m"), .step_ns = STEP };
    assert_int_equal(metric_store_open(&options, &h->store, &err), 0);
    assert_int_equal(
        metric_declare(metric_store_metrics(h->store), &metric, &h->metric), 0);
    assert_int_equal(metric_store_series(h->store, SPAN("c/h"), h->metric, &h->series),
                     0);
    assert_int_equal(metric_reader_new(h->store, &h->reader), 0);
}

static void close_house(struct house *h)
{
    metric_reader_free(h->reader);
    metric_store_close(h->store);
}

static void put(struct house *h, int64_t t_ns, double value)
{
    struct sample_counts taken;
    const struct sample point = { h->series, t_ns, value };
    const struct metric_batch batch = { 0, &point, 1, METRIC_STORED };
    assert_int_equal(metric_store_put(h->store, &batch, &taken), 0);
}

/* A collector that drifts, and now and then begins anew, in another phase. */
static void fill(struct house *h)
{
    int64_t t_ns = BEGIN, drift_ns = (int64_t)draw(STEP / 10) - STEP / 20;
    for (int i = 0; i < SAMPLES; i++) {
        uint64_t kind = draw(300);
        if (kind == 0)
            t_ns += (int64_t)draw(STEP); /* a restart */
        else if (kind == 1)
            t_ns += (int64_t)draw(400) * STEP; /* long away */
        t_ns += STEP + drift_ns;
        /* Whole numbers: the order of a sum does not matter. */
        put(h, t_ns, draw(50) ? (double)draw(1000) : NAN);
        if (draw(40) == 0)
            put(h, t_ns - (int64_t)draw(600) * STEP / 7, (double)draw(1000));
    }
    h->newest_ns = t_ns;
}

static int ask(struct house *h, int64_t from_ns, int64_t to_ns, unsigned want,
               struct metric_result *ret)
{
    struct err err = { 0 };
    const struct metric_read_opts question = {
        .metric = h->metric,
        .levels = &h->series->level,
        .level_count = 1,
        .from_ns = from_ns,
        .to_ns = to_ns,
        .want = want,
    };
    return metric_read(h->reader, &question, ret, &err);
}

static void compare(struct house *h, int64_t from_ns, int64_t to_ns)
{
    struct metric_result quick, read;
    int rc = ask(h, from_ns, to_ns, METRIC_WANT_STATS, &quick);
    assert_int_equal(
        ask(h, from_ns, to_ns, METRIC_WANT_STATS | METRIC_WANT_DATA, &read), rc);
    if (rc < 0)
        return;
    const struct metric_numbers *a = &quick.numbers, *b = &read.numbers;
    if (a->count != b->count || a->sum != b->sum || quick.count != read.count ||
        quick.from_ns != read.from_ns || quick.to_ns != read.to_ns ||
        (a->count > 0 && (a->min != b->min || a->max != b->max)))
        fail_msg("from %lld to %lld: %llu numbers of %zu points, not %llu of %zu",
                 (long long)from_ns, (long long)to_ns, (unsigned long long)a->count,
                 quick.count, (unsigned long long)b->count, read.count);
}

static void statistics_are_those_of_the_points(void **state)
{
    (void)state;
    for (uint64_t round = 1; round < 30; round++) {
        struct house h = { 0 };
        seed = round * UINT64_C(88172645463325252);
        open_house(&h);
        fill(&h);
        uint64_t span_ns = (uint64_t)(h.newest_ns - BEGIN + 40 * STEP);
        unsigned inside = metric_store_enter(h.store);
        for (int i = 0; i < 200; i++) {
            int64_t from_ns = BEGIN - 20 * STEP + (int64_t)draw(span_ns);
            compare(&h, from_ns, from_ns + (int64_t)draw(span_ns));
        }
        metric_store_leave(h.store, inside);
        close_house(&h);
    }
}

/* The peer has a series in buffers of 512 steps from its first sample on.  A range that
 * ends in a gap within a buffer is missing up to its end; one between two ends with the
 * first, until the second begins, or where the first is full. */
static void a_gap_between_buffers_ends_the_answer(void **state)
{
    (void)state;
    static const struct {
        int last, next; /* steps of the samples around the gap */
        int to, want;   /* end asked for, points answered */
    } cases[] = {
        { 100, 200, 150, 150 }, { 500, 511, 506, 506 },    { 500, 512, 506, 501 },
        { 500, 700, 600, 501 }, { 500, 700, 699, 501 },    { 500, 700, 700, 700 },
        { 10, 2000, 512, 11 },  { 511, 1100, 1000, 1000 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct house h = { 0 };
        struct metric_result read, quick;
        open_house(&h);
        for (int k = 0; k <= cases[i].last; k++)
            put(&h, BEGIN + k * STEP, k);
        put(&h, BEGIN + cases[i].next * STEP, 1);
        unsigned inside = metric_store_enter(h.store);
        int64_t to_ns = BEGIN + cases[i].to * STEP;
        assert_int_equal(
            ask(&h, BEGIN, to_ns, METRIC_WANT_DATA | METRIC_WANT_STATS, &read), 0);
        assert_int_equal(ask(&h, BEGIN, to_ns, METRIC_WANT_STATS, &quick), 0);
        if (read.count != (size_t)cases[i].want || quick.count != read.count ||
            read.to_ns != BEGIN + cases[i].want * STEP)
            fail_msg("case %zu: %zu and %zu points, not %d", i, read.count, quick.count,
                     cases[i].want);
        metric_store_leave(h.store, inside);
        close_house(&h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gap_between_buffers_ends_the_answer),
        cmocka_unit_test(statistics_are_those_of_the_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
