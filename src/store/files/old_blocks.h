/* SPDX-License-Identifier: Apache-2.0 */
/* old_blocks - the blocks of a series that were evicted from memory, out of files.
 *
 * Threads  none inside; a reader stands between enter and leave as long as it has one.
 */
#ifndef STORE_FILES_OLD_BLOCKS_H
#define STORE_FILES_OLD_BLOCKS_H

#include "base/cleanup.h"
#include "blocks/blocks.h"

struct store_files;

struct old_block {
    const struct block *block; /* NULL while it is in an archive only */
    int64_t start_ns, end_ns;
    uint64_t checkpoint; /* that wrote it first */
    uint32_t entry;      /* of the archive; 0 in a block file */
    uint32_t file;
    bool is_archived;
};

struct old_blocks {
    size_t count, capacity;
    struct old_block *blocks; /* in order of time; none overlap */
    uint64_t unreadable;
    size_t buffer_count, buffer_capacity;
    void **buffers; /* what was unpacked */
};

#define OLD_BLOCKS_INIT \
    {                   \
        0               \
    }

void old_blocks_done(struct old_blocks *old);
DEFINE_AUTO_DONE(struct old_blocks, old_blocks_done);

struct old_range {
    int64_t from_ns, to_ns; /* blocks that have a part of this */
    int64_t before_ns;      /* and end before */
};

/* Errors: -ENOMEM. */
int old_blocks_find(struct old_blocks *old, const struct store_files *files,
                    uint32_t number, struct old_range range);

#endif
