/* SPDX-License-Identifier: Apache-2.0 */
/* block_memory - coded blocks that lie in a shard's memory.
 *
 * Threads  as struct memory: the caller holds the shard's mutex.
 */
#ifndef STORE_SERIES_BLOCK_MEMORY_H
#define STORE_SERIES_BLOCK_MEMORY_H

#include "blocks/blocks.h"
#include "store/series/memory.h"

/* Code count samples (1 .. CODEC_VALUES_MAX), in order of time; step_ns 0: each keeps
 * its time.  The block is the memory's, to block_memory_retire().
 * Errors: NULL (memory is out). */
struct block *block_memory_new(struct memory *memory, int64_t step_ns,
                               const int64_t *times, const double *values,
                               size_t count);
/* Free it when no reader can see it; one that lies in a file is left alone.  block may
 * be NULL. */
void block_memory_retire(struct memory *memory, struct block *block);

#endif
