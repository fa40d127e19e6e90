/* SPDX-License-Identifier: Apache-2.0 */
/* sketch - quantiles of many values in bounded memory, within 1 % of the value. */
#include "session/reduce/sketch.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define GROWTH ((1 + SKETCH_ERROR) / (1 - SKETCH_ERROR))
/* Of the logarithm of any double. */
#define INDEX_MAX 40000

void sketch_done(struct sketch *sketch)
{
    free(sketch->positive.buckets);
    free(sketch->negative.buckets);
    *sketch = (struct sketch){ 0 };
}

static int32_t index_of(double magnitude)
{
    return (int32_t)ceil(log(magnitude) / log(GROWTH));
}

/* The value that is off by SKETCH_ERROR at most at either end of the bucket. */
static double value_of(int32_t index)
{
    double value = 2 * pow(GROWTH, index) / (GROWTH + 1);
    return isfinite(value) ? value : 0x1.fffffffffffffp1023;
}

static size_t bucket_at(const struct sketch_side *side, int32_t index)
{
    size_t low = 0, high = side->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (side->buckets[middle].index < index)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The two smallest become one. */
static void collapse_smallest(struct sketch_side *side)
{
    side->buckets[1].count =
        reduce_count_add(side->buckets[1].count, side->buckets[0].count);
    memmove(side->buckets, side->buckets + 1,
            (side->count - 1) * sizeof side->buckets[0]);
    side->count--;
}

static int side_add(struct sketch_side *side, int32_t index, uint64_t count)
{
    size_t at = bucket_at(side, index);
    if (at < side->count && side->buckets[at].index == index) {
        side->buckets[at].count = reduce_count_add(side->buckets[at].count, count);
        return 0;
    }
    if (side->count == SKETCH_BUCKETS_MAX && at == 0) {
        side->buckets[0].count = reduce_count_add(side->buckets[0].count, count);
        return 0;
    }
    if (side->count == SKETCH_BUCKETS_MAX) {
        collapse_smallest(side);
        at--;
    }
    if (side->count == side->capacity) {
        size_t capacity = side->capacity ? side->capacity * 2 : 8;
        void *grown = realloc(side->buckets, capacity * sizeof side->buckets[0]);
        if (!grown)
            return -ENOMEM;
        side->buckets = grown;
        side->capacity = capacity;
    }
    memmove(side->buckets + at + 1, side->buckets + at,
            (side->count - at) * sizeof side->buckets[0]);
    side->buckets[at] = (struct sketch_bucket){ index, count };
    side->count++;
    return 0;
}

int sketch_add(struct sketch *sketch, double value)
{
    if (fabs(value) < SKETCH_SMALLEST) {
        sketch->zeros = reduce_count_add(sketch->zeros, 1);
        return 0;
    }
    return side_add(value > 0 ? &sketch->positive : &sketch->negative,
                    index_of(fabs(value)), 1);
}

static int side_merge(struct sketch_side *side, const struct sketch_side *other)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < other->count; i++)
        rc = side_add(side, other->buckets[i].index, other->buckets[i].count);
    return rc;
}

int sketch_merge(struct sketch *sketch, const struct sketch *other)
{
    int rc = side_merge(&sketch->positive, &other->positive);
    if (rc == 0)
        rc = side_merge(&sketch->negative, &other->negative);
    sketch->zeros = reduce_count_add(sketch->zeros, other->zeros);
    return rc;
}

static uint64_t side_count(const struct sketch_side *side)
{
    uint64_t count = 0;
    for (size_t i = 0; i < side->count; i++)
        count += side->buckets[i].count;
    return count;
}

uint64_t sketch_count(const struct sketch *sketch)
{
    return side_count(&sketch->positive) + side_count(&sketch->negative) +
           sketch->zeros;
}

double sketch_quantile(const struct sketch *sketch, double q)
{
    uint64_t count = sketch_count(sketch), passed = 0;
    if (count == 0)
        return 0;
    uint64_t rank = (uint64_t)(q * (double)(count - 1));
    for (size_t i = sketch->negative.count; i > 0; i--) {
        passed += sketch->negative.buckets[i - 1].count;
        if (passed > rank)
            return -value_of(sketch->negative.buckets[i - 1].index);
    }
    passed += sketch->zeros;
    if (passed > rank)
        return 0;
    for (size_t i = 0; i < sketch->positive.count; i++) {
        passed += sketch->positive.buckets[i].count;
        if (passed > rank)
            return value_of(sketch->positive.buckets[i].index);
    }
    return 0;
}

static void side_encode(const struct sketch_side *side, struct strbuf *out)
{
    int32_t next = -INDEX_MAX;
    octets_add_varint(out, side->count);
    for (size_t i = 0; i < side->count; i++) {
        octets_add_varint(out, (uint64_t)(side->buckets[i].index - next));
        octets_add_varint(out, side->buckets[i].count);
        next = side->buckets[i].index + 1;
    }
}

static int side_decode(struct octets *in, struct sketch_side *side)
{
    size_t count = octets_limited(in, SKETCH_BUCKETS_MAX);
    int32_t next = -INDEX_MAX;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < count; i++) {
        int32_t index = next + (int32_t)octets_limited(in, 2 * INDEX_MAX);
        uint64_t values = octets_limited(in, REDUCE_COUNT_MAX);
        rc = in->is_bad || index > INDEX_MAX || values == 0
                 ? -EBADMSG
                 : side_add(side, index, values);
        next = index + 1;
    }
    return in->is_bad ? -EBADMSG : rc;
}

void sketch_encode(const struct sketch *sketch, struct strbuf *out)
{
    octets_add_varint(out, sketch->zeros);
    side_encode(&sketch->negative, out);
    side_encode(&sketch->positive, out);
}

int sketch_decode(struct octets *in, struct sketch *ret)
{
    *ret = (struct sketch){ .zeros = octets_limited(in, REDUCE_COUNT_MAX) };
    int rc = side_decode(in, &ret->negative);
    return rc < 0 ? rc : side_decode(in, &ret->positive);
}
