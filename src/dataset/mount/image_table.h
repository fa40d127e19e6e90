/* SPDX-License-Identifier: Apache-2.0 */
/* image_table - which file of the mount is which image; outlives the process that
 * serves.
 *
 * Shared memory: the agent makes it, each process that serves the files in turn has it.
 * Inode 1 is the directory; of slot n inode 2n + 2 is the image, 2n + 3 a link to it,
 * as a tag is. Threads  one process at a time changes it.
 */
#ifndef DATASET_MOUNT_IMAGE_TABLE_H
#define DATASET_MOUNT_IMAGE_TABLE_H

#include "dataset/image/image.h"

#include <stdint.h>

#define IMAGE_SLOTS_MAX 1024U

struct image_slot {
    struct digest name;
    uint64_t size;
    uint64_t lookups; /* that the kernel has not forgotten */
    uint64_t opens;
    bool is_returning; /* its lease is to be given back; with none of them: free */
};

struct image_table {
    bool is_greeted; /* the kernel has begun to send requests */
    struct image_slot slots[IMAGE_SLOTS_MAX];
};

/* Errors: those of mmap. */
int image_table_new(struct image_table **ret);
/* The slot of an image, a free one where it has none yet.  -1: there are too many. */
int image_table_assign(struct image_table *table, const struct digest *name,
                       uint64_t size);
/* -1: no such inode, or none that is in use. */
int image_table_slot(const struct image_table *table, uint64_t inode);

/* Something is open, or a lease is being given back. */
bool image_table_is_busy(const struct image_table *table);

static inline uint64_t image_inode(unsigned slot)
{
    return 2 * (uint64_t)slot + 2;
}

static inline bool inode_is_link(uint64_t inode)
{
    return inode & 1;
}

#endif
