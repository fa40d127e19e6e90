/* SPDX-License-Identifier: Apache-2.0 */
/* block_memory - coded blocks that lie in a shard's memory. */
#include "store/series/block_memory.h"

#include <string.h>

struct block *block_memory_new(struct memory *memory, int64_t step_ns,
                               const int64_t *times, const double *values, size_t count)
{
    struct block_buffer buffer;
    const struct block *coded = block_encode(&buffer, step_ns, times, values, count);
    size_t size = block_size(coded);
    struct block *block = memory_alloc(memory, size);
    if (block)
        memcpy(block, coded, size);
    return block;
}

void block_memory_retire(struct memory *memory, struct block *block)
{
    if (block && !block->is_filed)
        memory_retire(memory, block, block_size(block));
}
