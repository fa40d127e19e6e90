/* SPDX-License-Identifier: Apache-2.0 */
/* aggregate - one metric over a part of the tree, slot by slot.
 *
 * A metric that the level itself has is used as it is.  Otherwise every nearest level
 * below that has it contributes; where one has no sample, or begins later or ends
 * earlier, the others are aggregated, and the result says how many there were.
 *
 * Threads  any, between shard_enter() and shard_leave().
 */
#ifndef STORE_TREE_AGGREGATE_H
#define STORE_TREE_AGGREGATE_H

#include "store/tree/level.h"
#include "store/tree/metric.h"

struct aggregate {
    int64_t from_ns;
    int64_t step_ns; /* > 0 */
    size_t slot_count;
    double *values; /* slot_count of them; missing where no series contributed */
    uint32_t *contributors; /* likewise: how many numbers went into each slot */
    size_t series_count;    /* that were found */
};

/* Reads a series for an aggregate: as series_read(). */
typedef int aggregate_series_fn(void *arg, const struct level_series *series,
                                int64_t from_ns, int64_t to_ns, series_samples_fn *fn,
                                void *fn_arg);

/* In steps: over several trees, or out of more than memory (read may be NULL). */
void aggregate_begin(struct aggregate *aggregate);
int aggregate_add(const struct level_tree *tree, const struct level *level,
                  uint32_t metric, aggregate_series_fn *read, void *read_arg,
                  struct aggregate *aggregate);
/* Errors: -ENOENT (no series), -EINVAL (AGGREGATE_NONE, and more than one). */
int aggregate_end(enum aggregation how, struct aggregate *aggregate);

/* Fill values and contributors, which are the caller's.  A sample belongs to the slot
 * that it lies in; of one series' samples in a slot the last counts.
 * Errors: as aggregate_end(), -EBADMSG. */
int aggregate_read(const struct level_tree *tree, const struct level *level,
                   uint32_t metric, enum aggregation how, struct aggregate *aggregate);

#endif
