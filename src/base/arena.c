/* SPDX-License-Identifier: Apache-2.0 */
/* arena - memory that is given back all at once. */
#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES ((size_t)64 * 1024)
#define ALIGN_BYTES 16

struct arena_chunk {
    struct arena_chunk *older;
    size_t size;
    size_t used;
    _Alignas(ALIGN_BYTES) char data[];
};

void arena_init(struct arena *arena, size_t bytes_max)
{
    *arena = (struct arena){ .bytes_max = bytes_max };
}

void arena_done(struct arena *arena)
{
    while (arena->chunk) {
        struct arena_chunk *older = arena->chunk->older;
        free(arena->chunk);
        arena->chunk = older;
    }
    arena->used_bytes = 0;
}

void arena_reset(struct arena *arena)
{
    while (arena->chunk && arena->chunk->older) {
        struct arena_chunk *older = arena->chunk->older;
        free(arena->chunk);
        arena->chunk = older;
    }
    if (arena->chunk)
        arena->chunk->used = 0;
    arena->used_bytes = 0;
}

static struct arena_chunk *chunk_new(size_t need, struct arena_chunk *older)
{
    size_t size = need > CHUNK_BYTES ? need : CHUNK_BYTES;
    struct arena_chunk *chunk = malloc(sizeof *chunk + size);
    if (!chunk)
        return NULL;
    chunk->older = older;
    chunk->size = size;
    chunk->used = 0;
    return chunk;
}

void *arena_alloc(struct arena *arena, size_t size)
{
    if (size > SIZE_MAX / 2)
        return NULL;
    size_t need = (size + ALIGN_BYTES - 1) & ~(size_t)(ALIGN_BYTES - 1);
    if (arena->bytes_max && need > arena->bytes_max - arena->used_bytes)
        return NULL;
    if (!arena->chunk || arena->chunk->size - arena->chunk->used < need) {
        struct arena_chunk *chunk = chunk_new(need, arena->chunk);
        if (!chunk)
            return NULL;
        arena->chunk = chunk;
    }
    void *p = arena->chunk->data + arena->chunk->used;
    arena->chunk->used += need;
    arena->used_bytes += need;
    return memset(p, 0, need);
}

char *arena_dup(struct arena *arena, struct span s)
{
    char *copy = arena_alloc(arena, s.size + 1);
    if (copy && s.size)
        memcpy(copy, s.data, s.size);
    return copy;
}
