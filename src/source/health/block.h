/* SPDX-License-Identifier: Apache-2.0 */
/* block - one reading out of a file of many, and the one that holds at a moment.
 *
 *     BEGIN 1489998203        what a command printed at that second,
 *     UUID  1K-blocks ...     up to the next BEGIN
 *     BEGIN 1489998603
 *
 * Text without BEGIN is one block, whose time is not known.
 */
#ifndef SOURCE_HEALTH_BLOCK_H
#define SOURCE_HEALTH_BLOCK_H

#include "base/err.h"
#include "base/span_type.h"

#include <stdbool.h>
#include <stdint.h>

struct health_block {
    struct span text; /* without its BEGIN line; points into the file's text */
    bool has_time;    /* false: no BEGIN, or one whose time is no time */
    int64_t t_ns;
    uint64_t line; /* of the first line of text, from 1 */
};

struct health_blocks {
    struct span rest;
    uint64_t line;
};

void health_blocks_init(struct health_blocks *blocks, struct span text);
/* The next block, in the file's order; false at the end. */
bool health_blocks_next(struct health_blocks *blocks, struct health_block *ret);

/* The latest block that began at or before t_ns, wherever in the text it stands; of two
 * with one time the later one.  *ret_age_ns, which may be NULL, is t_ns minus its time.
 * Errors: -ENOENT (no block is as old, or none has a time), -ESTALE (the latest is over
 * age_max_ns old); err says which times there are. */
int health_block_at(struct span text, int64_t t_ns, int64_t age_max_ns,
                    struct health_block *ret, int64_t *ret_age_ns, struct err *err);

#endif
