/* SPDX-License-Identifier: Apache-2.0 */
/* reduction - one typed value of a subtree, which merges with that of another. */
#include "session/reduce/reduction.h"

#include "base/span.h"
#include "session/reduce/labelled.h"

#include <errno.h>
#include <math.h>

const char *reduce_kind_name(enum reduce_kind kind)
{
    static const char *const names[REDUCE_KIND_COUNT] = {
        "count",     "sum",       "min", "max",    "moments",
        "histogram", "quantiles", "top", "states", "hosts",
    };
    return names[kind];
}

/* ---- histograms ---- */

static int histogram_alloc(struct reduction *r, size_t bound_count)
{
    r->histogram.bounds = calloc(bound_count + 1, sizeof(double));
    r->histogram.counts = calloc(bound_count + 1, sizeof(uint64_t));
    r->histogram.bound_count = bound_count;
    return r->histogram.bounds && r->histogram.counts ? 0 : -ENOMEM;
}

static bool bounds_ascend(const double *bounds, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(bounds[i]) || (i && bounds[i] <= bounds[i - 1]))
            return false;
    return count > 0 && count < REDUCE_BUCKETS_MAX;
}

static int histogram_init(struct reduction *r, const struct reduce_input *input)
{
    if (!bounds_ascend(input->bounds, input->bound_count))
        return -EINVAL;
    int rc = histogram_alloc(r, input->bound_count);
    if (rc < 0)
        return rc;
    memcpy(r->histogram.bounds, input->bounds, input->bound_count * sizeof(double));
    size_t i = 0;
    while (i < input->bound_count && input->value > input->bounds[i])
        i++;
    r->histogram.counts[i] = 1;
    return 0;
}

static int histogram_merge(struct reduction *r, const struct reduction *other)
{
    size_t count = r->histogram.bound_count;
    if (count != other->histogram.bound_count ||
        memcmp(r->histogram.bounds, other->histogram.bounds, count * sizeof(double)) !=
            0)
        return -EINVAL;
    for (size_t i = 0; i <= count; i++)
        r->histogram.counts[i] =
            reduce_count_add(r->histogram.counts[i], other->histogram.counts[i]);
    return 0;
}

static void histogram_encode(const struct reduction *r, struct strbuf *out)
{
    octets_add_varint(out, r->histogram.bound_count);
    for (size_t i = 0; i < r->histogram.bound_count; i++)
        octets_add_double(out, r->histogram.bounds[i]);
    for (size_t i = 0; i <= r->histogram.bound_count; i++)
        octets_add_varint(out, r->histogram.counts[i]);
}

static int histogram_decode(struct octets *in, struct reduction *r)
{
    size_t count = octets_limited(in, REDUCE_BUCKETS_MAX - 1);
    int rc = histogram_alloc(r, count);
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < count; i++)
        r->histogram.bounds[i] = octets_double(in);
    for (size_t i = 0; i <= count; i++)
        r->histogram.counts[i] = octets_limited(in, REDUCE_COUNT_MAX);
    return in->is_bad || !bounds_ascend(r->histogram.bounds, count) ? -EBADMSG : 0;
}

/* ---- sums, extremes, moments ---- */

static void sum_add(struct reduction *r, double value)
{
    double sum = r->sum.value + value;
    if (fabs(r->sum.value) >= fabs(value))
        r->sum.rest += (r->sum.value - sum) + value;
    else
        r->sum.rest += (value - sum) + r->sum.value;
    r->sum.value = sum;
}

double reduction_sum(const struct reduction *r)
{
    return r->sum.value + r->sum.rest;
}

/* Of equal values the smallest rank's is stored, in whatever order they merge. */
static void extreme_merge(struct reduction *r, const struct reduction *other)
{
    double a = r->extreme.value, b = other->extreme.value;
    bool is_beyond = r->kind == REDUCE_MIN ? b < a : b > a;
    if (is_beyond || (a == b && other->extreme.rank < r->extreme.rank))
        r->extreme = other->extreme;
}

/* Finite values may have a sum that no double is: then r stays as it was. */
static int sum_merge(struct reduction *r, const struct reduction *other)
{
    struct reduction merged = *r;
    sum_add(&merged, other->sum.value);
    merged.sum.rest += other->sum.rest;
    if (!isfinite(reduction_sum(&merged)))
        return -ERANGE;
    *r = merged;
    return 0;
}

static int moments_merge(struct reduction *r, const struct reduction *other)
{
    double a = (double)r->count, b = (double)other->count;
    double delta = other->moments.mean - r->moments.mean;
    double mean = r->moments.mean + delta * b / (a + b);
    double squares =
        r->moments.squares + other->moments.squares + delta * delta * a * b / (a + b);
    if (!isfinite(mean) || !isfinite(squares))
        return -ERANGE;
    r->moments.mean = mean;
    r->moments.squares = squares;
    return 0;
}

double reduction_variance(const struct reduction *r)
{
    return r->count ? r->moments.squares / (double)r->count : 0;
}

/* ---- all kinds ---- */

int reduction_init(struct reduction *r, enum reduce_kind kind,
                   const struct reduce_input *input)
{
    *r = (struct reduction){ .kind = kind, .count = 1 };
    if (!isfinite(input->value))
        return -EINVAL;
    switch (kind) {
    case REDUCE_SUM:
        r->sum.value = input->value;
        return 0;
    case REDUCE_MIN:
    case REDUCE_MAX:
        r->extreme.value = input->value;
        r->extreme.rank = input->rank;
        return 0;
    case REDUCE_MOMENTS:
        r->moments.mean = input->value;
        return 0;
    case REDUCE_HISTOGRAM:
        return histogram_init(r, input);
    case REDUCE_QUANTILES:
        return sketch_add(&r->sketch, input->value);
    case REDUCE_TOP:
        return top_init(r, input);
    case REDUCE_STATES:
        return states_init(r, input);
    case REDUCE_HOSTS:
        return rank_set_add(&r->hosts, input->rank, input->rank);
    case REDUCE_COUNT:
    case REDUCE_KIND_COUNT:
        break;
    }
    return 0;
}

void reduction_done(struct reduction *r)
{
    if (r->kind == REDUCE_HISTOGRAM) {
        free(r->histogram.bounds);
        free(r->histogram.counts);
    } else if (r->kind == REDUCE_QUANTILES) {
        sketch_done(&r->sketch);
    } else if (r->kind == REDUCE_TOP) {
        free(r->top.entries);
    } else if (r->kind == REDUCE_STATES) {
        states_done(r);
    } else if (r->kind == REDUCE_HOSTS) {
        rank_set_done(&r->hosts);
    }
    *r = (struct reduction){ 0 };
}

static int merge_values(struct reduction *r, const struct reduction *other)
{
    switch (r->kind) {
    case REDUCE_SUM:
        return sum_merge(r, other);
    case REDUCE_MIN:
    case REDUCE_MAX:
        extreme_merge(r, other);
        return 0;
    case REDUCE_MOMENTS:
        return moments_merge(r, other);
    case REDUCE_HISTOGRAM:
        return histogram_merge(r, other);
    case REDUCE_QUANTILES:
        return sketch_merge(&r->sketch, &other->sketch);
    case REDUCE_TOP:
        return top_merge(r, other);
    case REDUCE_STATES:
        return states_merge(r, other);
    case REDUCE_HOSTS:
        return rank_set_unite(&r->hosts, &other->hosts);
    case REDUCE_COUNT:
    case REDUCE_KIND_COUNT:
        break;
    }
    return 0;
}

int reduction_merge(struct reduction *r, const struct reduction *other)
{
    if (r->kind != other->kind)
        return -EINVAL;
    int rc = merge_values(r, other);
    if (rc == 0)
        r->count = reduce_count_add(r->count, other->count);
    return rc;
}

/* ---- bytes ---- */

void reduction_encode(const struct reduction *r, struct strbuf *out)
{
    strbuf_addc(out, (char)r->kind);
    octets_add_varint(out, r->count);
    if (r->kind == REDUCE_SUM) {
        octets_add_double(out, r->sum.value);
        octets_add_double(out, r->sum.rest);
    } else if (r->kind == REDUCE_MIN || r->kind == REDUCE_MAX) {
        octets_add_double(out, r->extreme.value);
        octets_add_varint(out, r->extreme.rank);
    } else if (r->kind == REDUCE_MOMENTS) {
        octets_add_double(out, r->moments.mean);
        octets_add_double(out, r->moments.squares);
    } else if (r->kind == REDUCE_HISTOGRAM) {
        histogram_encode(r, out);
    } else if (r->kind == REDUCE_QUANTILES) {
        sketch_encode(&r->sketch, out);
    } else if (r->kind == REDUCE_TOP) {
        top_encode(r, out);
    } else if (r->kind == REDUCE_STATES) {
        states_encode(r, out);
    } else if (r->kind == REDUCE_HOSTS) {
        rank_set_encode(&r->hosts, out);
    }
}

static int decode_values(struct octets *in, uint32_t ranks, struct reduction *r)
{
    switch (r->kind) {
    case REDUCE_SUM:
        r->sum.value = octets_double(in);
        r->sum.rest = octets_double(in);
        if (!isfinite(reduction_sum(r)))
            in->is_bad = true;
        break;
    case REDUCE_MIN:
    case REDUCE_MAX:
        r->extreme.value = octets_double(in);
        r->extreme.rank = (uint32_t)octets_limited(in, ranks - 1);
        break;
    case REDUCE_MOMENTS:
        r->moments.mean = octets_double(in);
        r->moments.squares = octets_double(in);
        break;
    case REDUCE_HISTOGRAM:
        return histogram_decode(in, r);
    case REDUCE_QUANTILES:
        return sketch_decode(in, &r->sketch);
    case REDUCE_TOP:
        return top_decode(in, ranks, r);
    case REDUCE_STATES:
        return states_decode(in, ranks, r);
    case REDUCE_HOSTS:
        return rank_set_decode(in, ranks, &r->hosts);
    case REDUCE_COUNT:
    case REDUCE_KIND_COUNT:
        break;
    }
    return 0;
}

int reduction_decode(struct octets *in, uint32_t ranks, struct reduction *ret)
{
    *ret = (struct reduction){ 0 };
    uint8_t kind = octets_u8(in);
    uint64_t count = octets_limited(in, REDUCE_COUNT_MAX);
    if (in->is_bad || kind >= REDUCE_KIND_COUNT || count == 0)
        return -EBADMSG;
    ret->kind = kind;
    ret->count = count;
    int rc = decode_values(in, ranks, ret);
    return rc == 0 && in->is_bad ? -EBADMSG : rc;
}
