/* SPDX-License-Identifier: Apache-2.0 */
/* memory - where a shard's heads, blocks and views lie. */
#include "store/series/memory.h"

#include "base/cleanup.h"

#include <assert.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#define SLAB_BYTES ((size_t)256 << 10)
#define RECLAIM_EVERY 64 /* retirements */

struct slab {
    struct slab *next;
    size_t used;
    alignas(16) unsigned char bytes[];
};

struct piece {
    struct piece *next;
};

void epoch_init(struct epoch *epoch)
{
    atomic_init(&epoch->now, 1);
    for (unsigned i = 0; i < EPOCH_READERS_MAX; i++)
        atomic_init(&epoch->readers[i].at, 0);
}

/* A reader may enter with an epoch that has just passed: then it is only more careful
 * than need be.  All is sequentially consistent: either the writer's scan sees the
 * reader, or the reader sees the pointer that the writer published before its scan. */
unsigned epoch_enter(struct epoch *epoch)
{
    static _Thread_local unsigned last;
    for (unsigned i = last;; i = (i + 1) % EPOCH_READERS_MAX) {
        uint64_t none = 0;
        uint64_t now = atomic_load(&epoch->now);
        if (atomic_compare_exchange_strong(&epoch->readers[i].at, &none, now)) {
            last = i;
            return i;
        }
        if ((i + 1) % EPOCH_READERS_MAX == last)
            (void)sched_yield();
    }
}

void epoch_leave(struct epoch *epoch, unsigned reader)
{
    atomic_store(&epoch->readers[reader].at, 0);
}

static uint64_t oldest_reader(struct epoch *epoch)
{
    uint64_t oldest = UINT64_MAX;
    for (unsigned i = 0; i < EPOCH_READERS_MAX; i++) {
        uint64_t at = atomic_load(&epoch->readers[i].at);
        if (at != 0 && at < oldest)
            oldest = at;
    }
    return oldest;
}

void epoch_drain(struct epoch *epoch)
{
    static const struct timespec pause = { .tv_nsec = 1000000 };
    uint64_t now = atomic_fetch_add(&epoch->now, 1) + 1;
    while (oldest_reader(epoch) < now)
        (void)nanosleep(&pause, NULL);
}

void memory_init(struct memory *memory, struct epoch *epoch)
{
    *memory = (struct memory){ .epoch = epoch };
}

void memory_done(struct memory *memory)
{
    while (memory->slabs) {
        struct slab *next = memory->slabs->next;
        free(memory->slabs);
        memory->slabs = next;
    }
    for (size_t i = 0; i < memory->retired_count; i++) {
        if (memory->retired[i].size > PIECE_BYTES_MAX)
            free(memory->retired[i].piece);
    }
    free(memory->retired);
    *memory = (struct memory){ .epoch = memory->epoch };
}

static size_t round_up(size_t size)
{
    return (size + PIECE_BYTES - 1) / PIECE_BYTES * PIECE_BYTES;
}

static bool add_slab(struct memory *memory)
{
    struct slab *slab = malloc(SLAB_BYTES);
    if (!slab)
        return false;
    slab->next = memory->slabs;
    slab->used = offsetof(struct slab, bytes);
    memory->slabs = slab;
    memory->slab_bytes += SLAB_BYTES;
    return true;
}

/* What is rare, such as the view of a series with a thousand blocks. */
static void *alloc_large(struct memory *memory, size_t size)
{
    void *piece = malloc(size);
    if (piece) {
        memory->used_bytes += size;
        memory->slab_bytes += size;
    }
    return piece;
}

void *memory_alloc(struct memory *memory, size_t size)
{
    assert(size > 0);
    size = round_up(size);
    if (size > PIECE_BYTES_MAX)
        return alloc_large(memory, size);
    struct piece **list = &memory->lists[size / PIECE_BYTES];
    void *piece = *list;
    if (piece) {
        *list = (*list)->next;
        memory->reused_count++;
    } else {
        struct slab *slab = memory->slabs;
        if ((!slab || SLAB_BYTES - slab->used < size) && !add_slab(memory))
            return NULL;
        piece = (unsigned char *)memory->slabs + memory->slabs->used;
        memory->slabs->used += size;
    }
    memory->used_bytes += size;
    return piece;
}

void memory_free(struct memory *memory, void *piece, size_t size)
{
    if (!piece)
        return;
    size = round_up(size);
    if (size > PIECE_BYTES_MAX) {
        memory->used_bytes -= size;
        memory->slab_bytes -= size;
        free(piece);
        return;
    }
    struct piece *p = piece;
    p->next = memory->lists[size / PIECE_BYTES];
    memory->lists[size / PIECE_BYTES] = p;
    memory->used_bytes -= size;
}

void memory_reclaim(struct memory *memory)
{
    (void)atomic_fetch_add(&memory->epoch->now, 1);
    uint64_t oldest = oldest_reader(memory->epoch);
    size_t left = 0;
    for (size_t i = 0; i < memory->retired_count; i++) {
        struct retired r = memory->retired[i];
        if (r.epoch < oldest)
            memory_free(memory, r.piece, r.size);
        else
            memory->retired[left++] = r;
    }
    memory->retired_count = left;
}

static bool grow_retired(struct memory *memory)
{
    size_t capacity = memory->retired_capacity ? 2 * memory->retired_capacity : 256;
    struct retired *items =
        realloc(memory->retired, capacity * sizeof *memory->retired);
    if (!items)
        return false;
    memory->retired = items;
    memory->retired_capacity = capacity;
    return true;
}

void memory_retire(struct memory *memory, void *piece, size_t size)
{
    if (!piece)
        return;
    /* Without memory for the list the piece is lost to us until the end, not to them.
     */
    if (memory->retired_count == memory->retired_capacity && !grow_retired(memory))
        return;
    memory->retired[memory->retired_count++] =
        (struct retired){ piece, size, atomic_load(&memory->epoch->now) };
    if (memory->retired_count % RECLAIM_EVERY == 0)
        memory_reclaim(memory);
}
