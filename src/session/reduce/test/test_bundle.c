/* SPDX-License-Identifier: Apache-2.0 */
/* test_bundle - what is merged in any order equals a direct computation. */
#include "base/span.h"
#include "session/reduce/reduce.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define RANKS 500

static double value_of(uint32_t rank)
{
    return (double)((rank * 7919u) % 1009u) * 0.25 - 40;
}

static const double bounds[] = { 0, 50, 100 };

static void put_all(struct bundle *b, uint32_t rank)
{
    struct reduce_input input = { .value = value_of(rank),
                                  .rank = rank,
                                  .text = rank % 3 ? SPAN("up") : SPAN("down"),
                                  .limit = 4,
                                  .bounds = bounds,
                                  .bound_count = COUNT_OF(bounds) };
    assert_int_equal(bundle_begin(b, rank), 0);
    for (int kind = 0; kind < REDUCE_KIND_COUNT; kind++)
        assert_int_equal(bundle_put(b, SPAN("v"), kind, &input), 0);
    if (rank % 10 == 0)
        assert_int_equal(bundle_put(b, SPAN("rare"), REDUCE_SUM, &input), 0);
}

/* As two halves of halves, or one after another; by way of bytes. */
static void merge_range(struct bundle *b, uint32_t first, uint32_t last, int shape)
{
    if (first == last) {
        put_all(b, first);
        return;
    }
    uint32_t middle = shape ? first + (last - first) / 2 : last - 1;
    AUTO(bundle_done) struct bundle other = { 0 };
    AUTO(bundle_done) struct bundle read = { 0 };
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    merge_range(b, first, middle, shape);
    merge_range(&other, middle + 1, last, shape);
    bundle_encode(&other, &out);
    struct octets in = { .rest = strbuf_span(&out) };
    assert_int_equal(bundle_decode(&in, RANKS, &read), 0);
    assert_int_equal(octets_done(&in), 0);
    assert_true(bundle_is_own(&read));
    assert_int_equal(bundle_merge(b, &read), 0);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static const struct reduction *of(const struct bundle *b, enum reduce_kind kind)
{
    return &bundle_find(b, SPAN("v"), kind)->reduction;
}

static void check_labelled(const struct bundle *b, const double *sorted)
{
    const struct reduction *top = of(b, REDUCE_TOP);
    assert_int_equal(top->top.count, 4);
    for (size_t i = 0; i < 4; i++)
        assert_true(top->top.entries[i].value == sorted[RANKS - 1 - i]);
    const struct reduction *states = of(b, REDUCE_STATES);
    assert_int_equal(states->states.count, 2);
    assert_int_equal(rank_set_size(&states->states.states[0].ranks), (RANKS + 2) / 3);
    assert_true(rank_set_has(&states->states.states[1].ranks, 1));
    assert_int_equal(rank_set_size(&of(b, REDUCE_HOSTS)->hosts), RANKS);
    const struct bundle_item *rare = bundle_find(b, SPAN("rare"), REDUCE_SUM);
    assert_int_equal(rank_set_size(bundle_item_ranks(b, rare)), RANKS / 10);
    assert_false(rank_set_has(bundle_item_ranks(b, rare), 11));
}

static void check_result(const struct bundle *b)
{
    double sorted[RANKS], sum = 0, squares = 0;
    uint64_t counts[COUNT_OF(bounds) + 1] = { 0 };
    for (uint32_t r = 0; r < RANKS; r++) {
        double v = sorted[r] = value_of(r);
        sum += v;
        counts[v <= 0 ? 0 : v <= 50 ? 1 : v <= 100 ? 2 : 3]++;
    }
    for (uint32_t r = 0; r < RANKS; r++)
        squares += pow(sorted[r] - sum / RANKS, 2);
    qsort(sorted, RANKS, sizeof sorted[0], compare);
    assert_int_equal(rank_set_size(&b->ranks), RANKS);
    assert_int_equal(of(b, REDUCE_COUNT)->count, RANKS);
    assert_true(reduction_sum(of(b, REDUCE_SUM)) == sum);
    assert_true(of(b, REDUCE_MIN)->extreme.value == sorted[0]);
    assert_true(of(b, REDUCE_MAX)->extreme.value == sorted[RANKS - 1]);
    assert_true(fabs(of(b, REDUCE_MOMENTS)->moments.mean - sum / RANKS) < 1e-9);
    assert_true(fabs(reduction_variance(of(b, REDUCE_MOMENTS)) - squares / RANKS) <
                1e-6);
    for (size_t i = 0; i < COUNT_OF(counts); i++)
        assert_int_equal(of(b, REDUCE_HISTOGRAM)->histogram.counts[i], counts[i]);
    for (int q = 0; q <= 20; q++) {
        double want = sorted[(size_t)(q / 20.0 * (RANKS - 1))];
        double got = sketch_quantile(&of(b, REDUCE_QUANTILES)->sketch, q / 20.0);
        if (fabs(got - want) > SKETCH_ERROR * fabs(want) + 1e-12)
            fail_msg("quantile %g: %g, want %g", q / 20.0, got, want);
    }
    check_labelled(b, sorted);
}

static void merged_in_any_shape_it_is_the_direct_result(void **state)
{
    (void)state;
    for (int shape = 0; shape < 2; shape++) {
        AUTO(bundle_done) struct bundle b = { 0 };
        merge_range(&b, 0, RANKS - 1, shape);
        check_result(&b);
    }
}

static void what_does_not_merge_costs_that_item(void **state)
{
    (void)state;
    AUTO(bundle_done) struct bundle a = { 0 };
    AUTO(bundle_done) struct bundle b = { 0 };
    static const double others[] = { 1 };
    struct reduce_input input = { .bounds = bounds, .bound_count = 3 };
    assert_int_equal(bundle_begin(&a, 0), 0);
    assert_int_equal(bundle_begin(&b, 1), 0);
    assert_int_equal(bundle_put(&a, SPAN("h"), REDUCE_HISTOGRAM, &input), 0);
    input.rank = 1;
    input.bounds = others;
    input.bound_count = 1;
    assert_int_equal(bundle_put(&b, SPAN("h"), REDUCE_HISTOGRAM, &input), 0);
    assert_int_equal(bundle_put(&b, SPAN("n"), REDUCE_COUNT, &input), 0);
    assert_int_equal(bundle_merge(&a, &b), 0);
    assert_int_equal(a.refused, 1);
    assert_int_equal(a.count, 2);
    assert_int_equal(bundle_find(&a, SPAN("h"), REDUCE_HISTOGRAM)->reduction.count, 1);
}

static void states_that_are_too_many_merge_whole_or_not_at_all(void **state)
{
    (void)state;
    AUTO(bundle_done) struct bundle a = { 0 };
    AUTO(bundle_done) struct bundle b = { 0 };
    char name[16];
    assert_int_equal(bundle_begin(&a, 0), 0);
    assert_int_equal(bundle_begin(&b, 1), 0);
    for (int i = 0; i < 20; i++) {
        struct reduce_input input = { .rank = 0, .text = SPAN("x") };
        (void)snprintf(name, sizeof name, "a%d", i);
        input.text = span_of(name);
        assert_int_equal(bundle_put(&a, SPAN("s"), REDUCE_STATES, &input), 0);
        name[0] = 'b';
        input.rank = 1;
        assert_int_equal(bundle_put(&b, SPAN("s"), REDUCE_STATES, &input), 0);
    }
    assert_int_equal(bundle_merge(&a, &b), 0);
    assert_int_equal(a.refused, 1);
    assert_int_equal(bundle_find(&a, SPAN("s"), REDUCE_STATES)->reduction.states.count,
                     20);
    assert_true(bundle_is_own(&a)); /* else the parent drops all of it */
}

/* As a parent reads it. */
static void decode_again(const struct bundle *b)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    AUTO(bundle_done) struct bundle read = { 0 };
    bundle_encode(b, &out);
    struct octets in = { .rest = strbuf_span(&out) };
    assert_int_equal(bundle_decode(&in, RANKS, &read), 0);
    assert_int_equal(octets_done(&in), 0);
}

static void put_value(struct bundle *b, uint32_t rank, enum reduce_kind kind,
                      double value)
{
    struct reduce_input input = { .value = value, .rank = rank };
    assert_int_equal(bundle_begin(b, rank), 0);
    assert_int_equal(bundle_put(b, SPAN("v"), kind, &input), 0);
    assert_int_equal(bundle_put(b, SPAN("other"), REDUCE_COUNT, &input), 0);
}

static void what_no_double_is_costs_that_item(void **state)
{
    (void)state;
    static const struct {
        enum reduce_kind kind;
        double a, b;
    } cases[] = {
        { REDUCE_SUM, 1.7e308, 1.7e308 },
        { REDUCE_SUM, -1.7e308, -1.7e308 },
        { REDUCE_MOMENTS, 1.7e308, -1.7e308 }, /* mean and squares */
        { REDUCE_MOMENTS, 1e200, 0 },          /* squares alone */
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(bundle_done) struct bundle a = { 0 };
        AUTO(bundle_done) struct bundle b = { 0 };
        put_value(&a, 0, cases[i].kind, cases[i].a);
        put_value(&b, 1, cases[i].kind, cases[i].b);
        assert_int_equal(bundle_merge(&a, &b), 0);
        decode_again(&a);
        assert_true(bundle_is_own(&a));
        assert_int_equal(a.refused, 1);
        const struct bundle_item *item = bundle_find(&a, SPAN("v"), cases[i].kind);
        assert_int_equal(item->reduction.count, 1);
        assert_int_equal(rank_set_size(bundle_item_ranks(&a, item)), 1);
        item = bundle_find(&a, SPAN("other"), REDUCE_COUNT);
        assert_int_equal(item->reduction.count, 2);
    }
}

/* Each bundle can be decoded, and so can all of them merged. */
static void counts_stop_at_the_limit_of_the_decoder(void **state)
{
    (void)state;
    AUTO(bundle_done) struct bundle a = { 0 };
    AUTO(bundle_done) struct bundle b = { 0 };
    put_all(&a, 0);
    put_all(&b, 1);
    for (size_t i = 0; i < b.count; i++) {
        struct reduction *r = &b.items[i].reduction;
        r->count = REDUCE_COUNT_MAX;
        for (size_t k = 0; r->kind == REDUCE_HISTOGRAM && k < 4; k++)
            r->histogram.counts[k] = REDUCE_COUNT_MAX;
        if (r->kind == REDUCE_QUANTILES)
            r->sketch.zeros = r->sketch.positive.buckets[0].count = REDUCE_COUNT_MAX;
    }
    b.refused = REDUCE_COUNT_MAX;
    a.refused = 1;
    decode_again(&b);
    assert_int_equal(bundle_merge(&a, &b), 0);
    decode_again(&a);
    rank_set_done(&b.ranks);
    b.ranks = (struct rank_set){ 0 };
    assert_int_equal(rank_set_add(&b.ranks, 2, 2), 0);
    assert_int_equal(bundle_merge(&a, &b), 0); /* its own bucket once more */
    decode_again(&a);
    assert_int_equal(of(&a, REDUCE_COUNT)->count, REDUCE_COUNT_MAX);
    assert_int_equal(a.refused, REDUCE_COUNT_MAX);
}

static void what_no_rank_stands_for_is_nobodys(void **state)
{
    (void)state;
    AUTO(bundle_done) struct bundle b = { 0 };
    struct reduce_input input = { .value = 1 };
    assert_int_equal(bundle_begin(&b, 0), 0);
    assert_int_equal(bundle_put(&b, SPAN("v"), REDUCE_SUM, &input), 0);
    assert_true(bundle_is_own(&b));
    rank_set_done(&b.ranks);
    b.ranks = (struct rank_set){ 0 };
    assert_false(bundle_is_own(&b));
}

static void what_is_out_of_range_is_refused(void **state)
{
    (void)state;
    AUTO(bundle_done) struct bundle b = { 0 };
    struct reduce_input nan = { .value = NAN }, none = { 0 };
    assert_int_equal(bundle_begin(&b, 0), 0);
    assert_int_equal(bundle_put(&b, SPAN("a b"), REDUCE_SUM, &none), -EINVAL);
    assert_int_equal(bundle_put(&b, SPAN(""), REDUCE_SUM, &none), -EINVAL);
    assert_int_equal(bundle_put(&b, SPAN("v"), REDUCE_SUM, &nan), -EINVAL);
    assert_int_equal(bundle_put(&b, SPAN("v"), REDUCE_STATES, &none), -EINVAL);
    assert_int_equal(bundle_put(&b, SPAN("v"), REDUCE_TOP, &none), -EINVAL);
    assert_int_equal(bundle_put(&b, SPAN("v"), REDUCE_HISTOGRAM, &none), -EINVAL);
    assert_int_equal(b.count, 0);
}

static void a_top_is_merged_or_lost_elsewhere(void **state)
{
    AUTO(bundle_done) struct bundle b = { 0 }, other = { 0 };
    const struct reduce_input own = {
        .value = 3, .rank = 1, .text = SPAN("="), .limit = 64
    };
    const struct reduce_input theirs = {
        .value = 4, .rank = 2, .text = SPAN("="), .limit = 64
    };
    const struct reduce_input merged = {
        .value = 5, .rank = 2, .text = SPAN("="), .limit = 64
    };
    (void)state;
    assert_int_equal(bundle_begin(&b, 1), 0);
    assert_int_equal(bundle_begin(&other, 2), 0);
    assert_int_equal(bundle_put(&b, SPAN("p.v:lua"), REDUCE_TOP, &own), 0);
    assert_int_equal(bundle_put(&other, SPAN("p.v:lua"), REDUCE_TOP, &theirs), 0);
    assert_int_equal(bundle_merge(&b, &other), 0);
    assert_int_equal(bundle_set_top(&b, SPAN("p.w:lua"), &merged, 1), -ENOENT);
    assert_int_equal(bundle_set_top(&b, SPAN("p.v:lua"), &merged, 1), 0);
    const struct bundle_item *item = bundle_find(&b, SPAN("p.v:lua"), REDUCE_TOP);
    assert_non_null(item);
    assert_int_equal(item->reduction.top.count, 1);
    assert_true(item->reduction.top.entries[0].value == 5);
    assert_int_equal(item->reduction.count, 2);
    assert_true(bundle_is_own(&b));
    assert_int_equal(bundle_lose_top(&b, SPAN("p.v:lua"), SPAN("p.v.lost")), 0);
    assert_null(bundle_find(&b, SPAN("p.v:lua"), REDUCE_TOP));
    item = bundle_find(&b, SPAN("p.v.lost"), REDUCE_HOSTS);
    assert_non_null(item);
    assert_int_equal(rank_set_size(&item->reduction.hosts), 2);
    assert_true(bundle_is_own(&b));
    assert_int_equal(bundle_put(&b, SPAN("p.v:lua"), REDUCE_TOP, &own), 0);
    assert_int_equal(bundle_set_top(&b, SPAN("p.v:lua"), NULL, 0), 0);
    assert_null(bundle_find(&b, SPAN("p.v:lua"), REDUCE_TOP));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(merged_in_any_shape_it_is_the_direct_result),
        cmocka_unit_test(what_does_not_merge_costs_that_item),
        cmocka_unit_test(states_that_are_too_many_merge_whole_or_not_at_all),
        cmocka_unit_test(what_no_double_is_costs_that_item),
        cmocka_unit_test(counts_stop_at_the_limit_of_the_decoder),
        cmocka_unit_test(what_no_rank_stands_for_is_nobodys),
        cmocka_unit_test(what_is_out_of_range_is_refused),
        cmocka_unit_test(a_top_is_merged_or_lost_elsewhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
