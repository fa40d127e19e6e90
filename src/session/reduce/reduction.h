/* SPDX-License-Identifier: Apache-2.0 */
/* reduction - one typed value of a subtree, which merges with that of another.
 *
 *     kind       a node puts          merged                      at the control node
 *     count      nothing              added                       a count
 *     sum        a value              added                       a sum
 *     min, max   a value              the smaller, the larger     value and rank
 *     moments    a value              as Chan's pairwise update   mean, variance
 *     histogram  a value, bounds      bucket by bucket            counts
 *     quantiles  a value              sketch by sketch            within 1 % of a value
 *     top        value, label, k      the k largest               labels, ranks, values
 *     states     a state's name       sets of ranks united        ranks of each state
 *     hosts      nothing              sets of ranks united        ranks
 *
 * Merging is commutative; it is associative but for rounding of sum and moments.
 */
#ifndef SESSION_REDUCE_REDUCTION_H
#define SESSION_REDUCE_REDUCTION_H

#include "session/reduce/rank_set.h"
#include "session/reduce/sketch.h"

#define REDUCE_LABEL_MAX 64   /* bytes of a state's name, of a label of top */
#define REDUCE_STATES_MAX 32  /* of one reduction */
#define REDUCE_TOP_MAX 64     /* largest k */
#define REDUCE_BUCKETS_MAX 64 /* of a histogram */

enum reduce_kind {
    REDUCE_COUNT,
    REDUCE_SUM,
    REDUCE_MIN,
    REDUCE_MAX,
    REDUCE_MOMENTS,
    REDUCE_HISTOGRAM,
    REDUCE_QUANTILES,
    REDUCE_TOP,
    REDUCE_STATES,
    REDUCE_HOSTS,
    REDUCE_KIND_COUNT,
};

struct reduce_label {
    uint8_t size;
    char text[REDUCE_LABEL_MAX];
};

struct reduce_top_entry {
    double value;
    uint32_t rank;
    struct reduce_label label;
};

struct reduce_state {
    struct reduce_label name;
    struct rank_set ranks;
};

struct reduction {
    enum reduce_kind kind;
    uint64_t count; /* values that were put */
    union {
        struct {
            double value, rest; /* what rounding left over (Neumaier) */
        } sum;
        struct {
            double value;
            uint32_t rank;
        } extreme;
        struct {
            double mean, squares; /* squares: sum of squared differences from mean */
        } moments;
        struct {
            double *bounds;   /* upper ones, ascending */
            uint64_t *counts; /* one more than bounds: what is over the last */
            size_t bound_count;
        } histogram;
        struct sketch sketch;
        struct {
            struct reduce_top_entry *entries; /* largest first, then by rank */
            size_t count, limit;
        } top;
        struct {
            struct reduce_state *states; /* by name */
            size_t count;
        } states;
        struct rank_set hosts;
    };
};

const char *reduce_kind_name(enum reduce_kind kind);

/* What a node puts in; the members that its kind needs. */
struct reduce_input {
    double value;
    uint32_t rank;
    struct span text;     /* a state's name, a label */
    size_t limit;         /* k of top */
    const double *bounds; /* of a histogram */
    size_t bound_count;
};

/* A reduction of one input.  Errors: -EINVAL (a value that is not finite, a text or
 * limit out of range, bounds that do not ascend), -ENOMEM. */
int reduction_init(struct reduction *r, enum reduce_kind kind,
                   const struct reduce_input *input);
void reduction_done(struct reduction *r);
/* other stays as it is; counts stop at REDUCE_COUNT_MAX.  Errors: -EINVAL (another
 * kind, other bounds), -E2BIG (too many states), -ERANGE (a sum or a moment that is not
 * finite), -ENOMEM; r has then not more than a part of other, with -ERANGE nothing. */
int reduction_merge(struct reduction *r, const struct reduction *other);

double reduction_sum(const struct reduction *r);
double reduction_variance(const struct reduction *r); /* of the population */

void reduction_encode(const struct reduction *r, struct strbuf *out);
/* ranks: ranks are below it.  Errors: -EBADMSG, -ENOMEM; *ret is to be freed in any
 * case. */
int reduction_decode(struct octets *in, uint32_t ranks, struct reduction *ret);

#endif
