/* SPDX-License-Identifier: Apache-2.0 */
/* arena - memory that is given back all at once.
 *
 *     chunk ──▶ chunk ──▶ chunk       arena_alloc() cuts pieces off the newest;
 *     [used....][used....][used  ]    arena_reset() keeps the first chunk for next time
 *
 * One arena a request or batch: nothing in it is freed alone.
 * Threads  none inside: an arena belongs to one thread at a time.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "base/cleanup.h"
#include "base/span_type.h"

#include <stddef.h>

struct arena_chunk;

struct arena {
    struct arena_chunk *chunk; /* newest first; NULL while nothing was asked for */
    size_t used_bytes;         /* over all chunks */
    size_t bytes_max;          /* 0: no limit */
};

void arena_init(struct arena *arena, size_t bytes_max);
void arena_done(struct arena *arena);
void arena_reset(struct arena *arena);
DEFINE_AUTO_DONE(struct arena, arena_done);

/* size bytes, zeroed, aligned for anything; NULL when memory or the limit is out. */
void *arena_alloc(struct arena *arena, size_t size);
/* A NUL-terminated copy; NULL likewise. */
char *arena_dup(struct arena *arena, struct span s);

#endif
