/* SPDX-License-Identifier: Apache-2.0 */
/* aggregate - one metric over a part of the tree, slot by slot.
 *
 * A metric that the level itself has is used as it is.  Otherwise every nearest level
 * below that has it contributes; where one has no sample, or begins later or ends
 * earlier, the others are taken, and the answer says how many there were.
 *
 * Threads  any, between shard_enter() and shard_leave().
 */
#ifndef STORE_AGGREGATE_H
#define STORE_AGGREGATE_H

#include "store/level.h"

enum aggregation {
    AGGREGATE_SUM,
    AGGREGATE_AVG,
};

struct aggregate {
    int64_t from_ns;
    int64_t step_ns; /* > 0 */
    size_t slot_count;
    double *values;         /* slot_count of them; missing where nobody contributed */
    uint32_t *contributors; /* likewise: how many numbers went into each slot */
    size_t series_count;    /* that were found */
};

/* Fill values and contributors, which are the caller's.  A sample belongs to the slot
 * that it lies in; of one series' samples in a slot the last counts.
 * Errors: -ENOENT (no series), -EBADMSG. */
int aggregate_read(const struct level_tree *tree, const struct level *level,
                   uint32_t metric, enum aggregation how, struct aggregate *aggregate);

#endif
