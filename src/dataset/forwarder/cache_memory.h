/* SPDX-License-Identifier: Apache-2.0 */
/* cache_memory - chunks in memory, by their digests, up to so many bytes.
 *
 *     put ─▶ small (a tenth) ─▶ read again: main     main ─▶ read again: behind main
 *              └──▶ not: ghost, the digest alone ─▶ put again: main
 *
 * S3-FIFO: what is read once, as by a copy of a whole image, leaves through small and
 * displaces nothing that is read often.
 * Threads  none inside.
 */
#ifndef DATASET_FORWARDER_CACHE_MEMORY_H
#define DATASET_FORWARDER_CACHE_MEMORY_H

#include "dataset/forwarder/payload.h"

struct cache_memory;

/* What a chunk needs beside its bytes: the entry, its place in the table, the head of
 * its payload, what malloc() adds.  It counts. */
#define CACHE_MEMORY_ENTRY_BYTES 256U

int cache_memory_new(uint64_t bytes_max, struct cache_memory **ret);
void cache_memory_free(struct cache_memory *cache);
DEFINE_AUTO(struct cache_memory, cache_memory_free);

/* NULL: it is not there.  Without a reference: valid until the next put. */
struct payload *cache_memory_get(struct cache_memory *cache,
                                 const struct digest *digest);
/* The same, and it does not count as read. */
struct payload *cache_memory_peek(struct cache_memory *cache,
                                  const struct digest *digest);
/* By its digest, instead of one that is there.  Where memory is out it is not stored.
 */
void cache_memory_put(struct cache_memory *cache, struct payload *payload);
void cache_memory_remove(struct cache_memory *cache, const struct digest *digest);
uint64_t cache_memory_bytes(const struct cache_memory *cache);

#endif
