/* SPDX-License-Identifier: Apache-2.0 */
/* memory - where a shard's heads, blocks and views lie, and when their room is reused.
 *
 *     writer: alloc ─▶ fill ─▶ publish (one atomic pointer) ─▶ retire what it replaced
 *     reader: enter ─▶ load the pointer ─▶ read ─▶ leave
 *
 * Pieces are multiples of 16 bytes cut off slabs, with a free list for each size: what
 * retention evicts is what the next samples go into.  A piece that readers may still
 * see is retired with the epoch of that moment, and goes back to its list when no
 * reader is left that entered in that epoch or before.
 *
 * Threads  struct memory belongs to the holder of the shard's mutex; epoch_enter() and
 *          epoch_leave() may be called by any thread and never block while fewer than
 *          EPOCH_READERS_MAX are inside.
 */
#ifndef STORE_SERIES_MEMORY_H
#define STORE_SERIES_MEMORY_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EPOCH_READERS_MAX 64
#define PIECE_BYTES 16
#define PIECE_BYTES_MAX 8192

struct epoch {
    _Atomic uint64_t now; /* from 1 */
    struct {
        alignas(64) _Atomic uint64_t at; /* 0: free */
    } readers[EPOCH_READERS_MAX];
};

void epoch_init(struct epoch *epoch);
/* Between these two nothing that was reachable at the first goes away.  Returns what
 * leave wants. */
unsigned epoch_enter(struct epoch *epoch);
void epoch_leave(struct epoch *epoch, unsigned reader);
/* Wait until every reader that is inside now has left. */
void epoch_drain(struct epoch *epoch);

struct slab;
struct piece;

struct retired {
    void *piece;
    size_t size;
    uint64_t epoch;
};

struct memory {
    struct epoch *epoch;
    struct slab *slabs;
    struct piece *lists[PIECE_BYTES_MAX / PIECE_BYTES + 1];
    struct retired *retired;
    size_t retired_count;
    size_t retired_capacity;
    uint64_t slab_bytes;   /* from the system */
    uint64_t used_bytes;   /* in pieces that are allocated, retired ones included */
    uint64_t reused_count; /* pieces that came off a list */
    bool is_backed;        /* blocks go to files, and are not evicted before */
};

void memory_init(struct memory *memory, struct epoch *epoch);
void memory_done(struct memory *memory); /* no reader may be inside */

/* size bytes, aligned to 16, not zeroed; over PIECE_BYTES_MAX they are the system's
 * own, and go back to it; NULL: memory is out.
 */
void *memory_alloc(struct memory *memory, size_t size);
/* Back at once: for what was never published. */
void memory_free(struct memory *memory, void *piece, size_t size);
/* Back when no reader can see it.  piece may be NULL. */
void memory_retire(struct memory *memory, void *piece, size_t size);
/* Give back what no reader sees any more; retiring calls it now and then. */
void memory_reclaim(struct memory *memory);

#endif
