/* SPDX-License-Identifier: Apache-2.0 */
/* inodes - those that a walk has met: how often, and what their content is. */
#ifndef DATASET_IMAGE_INODES_H
#define DATASET_IMAGE_INODES_H

#include "base/cleanup.h"
#include "base/err.h"
#include "dataset/image/digest.h"

#include <stdint.h>

struct inode_met {
    uint64_t nid_plus_one; /* 0: an empty slot */
    uint32_t link_count;   /* what the inode has */
    uint32_t met_count;    /* names that lead to it */
    struct digest digest;
    uint64_t bytes;
};

struct inodes {
    struct inode_met *slots;
    size_t capacity; /* a power of two */
    size_t count;
};

void inodes_done(struct inodes *inodes);
DEFINE_AUTO_DONE(struct inodes, inodes_done);

/* The slot of nid, new where met_count is 0; valid until the next call.  NULL: memory
 * is out. */
struct inode_met *inodes_meet(struct inodes *inodes, uint64_t nid);
/* Every inode has as many names as it states.  Errors: -EBADMSG. */
int inodes_end(const struct inodes *inodes, struct err *err);

#endif
