/* SPDX-License-Identifier: Apache-2.0 */
/* cell_block - the cells of one hour in memory, packed; private to cell_cache.
 *
 *     cells   [series, masks, times][...]      ordered by (sid, part)
 *     values  only those that are not zero, in the order of the masks' bits
 */
#ifndef QUERY_HOURS_CELL_BLOCK_H
#define QUERY_HOURS_CELL_BLOCK_H

#include "query/hours/history.h"

_Static_assert(OP_COUNT <= 32, "masks of cells have 32 bits");

/* One for all hours that have it. */
struct cached_series {
    struct series series;
    uint32_t slot; /* no other series in memory has it */
    size_t refs, bytes;
    char texts[];
};

struct cached_cell {
    struct cached_series *series;
    int64_t since_ms, t_ms;
    uint32_t samples, sums; /* bit OP_x: not zero */
    uint32_t flags;
    uint32_t server; /* in servers */
    size_t values;   /* where they begin */
};

struct cell_block {
    enum target_kind kind;
    int64_t hour_ms, changes;
    size_t refs, bytes;
    uint64_t used; /* by which reading last */
    struct cached_cell *cells;
    size_t count, capacity;
    uint64_t *values;
    size_t value_count, value_capacity;
    char **servers; /* names hold no zero byte */
    size_t server_count;
};

struct cell_block *cell_block_new(enum target_kind kind, int64_t hour_ms,
                                  int64_t changes);
/* Its series are released by the caller. */
void cell_block_free(struct cell_block *block);

/* Errors: -ENOMEM. */
int cell_block_add(struct cell_block *block, struct cached_series *series,
                   struct span server, const struct increment *inc);
/* Nothing more is added. */
void cell_block_finish(struct cell_block *block);

/* Has it anything that is wanted, or a loss? */
static inline bool cached_cell_has(const struct cached_cell *cell, uint64_t samples,
                                   uint64_t sums)
{
    const uint32_t lossy = INCREMENT_LOST_TAIL | INCREMENT_MISSING;
    return (cell->samples & samples) || (cell->sums & sums) || (cell->flags & lossy);
}

/* Of the increment only what is wanted; its other values are not set. */
void cell_block_get(const struct cell_block *block, const struct cached_cell *cell,
                    uint64_t samples, uint64_t sums, struct increment *ret);

#endif
