/* SPDX-License-Identifier: Apache-2.0 */
/* sketch - quantiles of many values in bounded memory, within 1 % of the value.
 *
 *     bucket i counts values in (g^(i-1), g^i], g = 1.01/0.99     (as DDSketch)
 *
 * Values below 0 have buckets of their own, values nearer to 0 than SKETCH_SMALLEST are
 * counted as 0.  Two sketches add up bucket by bucket: the order of merging changes
 * nothing.  Beyond SKETCH_BUCKETS_MAX buckets the smallest magnitudes share one.
 */
#ifndef SESSION_REDUCE_SKETCH_H
#define SESSION_REDUCE_SKETCH_H

#include "base/cleanup.h"
#include "base/octets.h"

#define SKETCH_ERROR 0.01
#define SKETCH_SMALLEST 1e-12
#define SKETCH_BUCKETS_MAX 2048

/* Of one count of values; what is decoded has no more, and counts that add up stop
 * there. */
#define REDUCE_COUNT_MAX (UINT64_MAX >> 16)
static inline uint64_t reduce_count_add(uint64_t a, uint64_t b)
{
    return a < REDUCE_COUNT_MAX && b < REDUCE_COUNT_MAX - a ? a + b : REDUCE_COUNT_MAX;
}

struct sketch_bucket {
    int32_t index;
    uint64_t count;
};

struct sketch_side {
    struct sketch_bucket *buckets; /* in order of index */
    size_t count, capacity;
};

struct sketch {
    struct sketch_side positive, negative;
    uint64_t zeros;
};

void sketch_done(struct sketch *sketch);
/* Errors: -ENOMEM, of all three; sketch_decode() -EBADMSG. */
int sketch_add(struct sketch *sketch, double value);
int sketch_merge(struct sketch *sketch, const struct sketch *other);
uint64_t sketch_count(const struct sketch *sketch);
/* 0 <= q <= 1.  An empty sketch has none: 0. */
double sketch_quantile(const struct sketch *sketch, double q);
void sketch_encode(const struct sketch *sketch, struct strbuf *out);
int sketch_decode(struct octets *in, struct sketch *ret);

#endif
