/* SPDX-License-Identifier: Apache-2.0 */
/* inodes - those that a walk has met: how often, and what their content is. */
#include "dataset/image/inodes.h"

#include <inttypes.h>

#define CAPACITY_FIRST 1024U

void inodes_done(struct inodes *inodes)
{
    free(inodes->slots);
    *inodes = (struct inodes){ 0 };
}

/* An image can choose its numbers so that they collide, but they are dense: at most one
 * for each 32 bytes. */
static size_t slot_first(const struct inodes *inodes, uint64_t key)
{
    return (size_t)(key * UINT64_C(0x9E3779B97F4A7C15) >> 20) & (inodes->capacity - 1);
}

static struct inode_met *inode_slot(const struct inodes *inodes, uint64_t key)
{
    size_t at = slot_first(inodes, key);
    while (inodes->slots[at].nid_plus_one && inodes->slots[at].nid_plus_one != key)
        at = (at + 1) & (inodes->capacity - 1);
    return &inodes->slots[at];
}

static int inodes_grow(struct inodes *inodes)
{
    struct inodes larger = { .count = inodes->count };
    larger.capacity = inodes->capacity ? inodes->capacity * 2 : CAPACITY_FIRST;
    larger.slots = calloc(larger.capacity, sizeof larger.slots[0]);
    if (!larger.slots)
        return -ENOMEM;
    for (size_t i = 0; i < inodes->capacity; i++)
        if (inodes->slots[i].nid_plus_one)
            *inode_slot(&larger, inodes->slots[i].nid_plus_one) = inodes->slots[i];
    free(inodes->slots);
    *inodes = larger;
    return 0;
}

struct inode_met *inodes_meet(struct inodes *inodes, uint64_t nid)
{
    if (inodes->count * 2 >= inodes->capacity && inodes_grow(inodes) < 0)
        return NULL;
    struct inode_met *met = inode_slot(inodes, nid + 1);
    if (!met->nid_plus_one) {
        met->nid_plus_one = nid + 1;
        inodes->count++;
    }
    return met;
}

int inodes_end(const struct inodes *inodes, struct err *err)
{
    for (size_t i = 0; i < inodes->capacity; i++) {
        const struct inode_met *met = &inodes->slots[i];
        if (met->nid_plus_one && met->met_count != met->link_count)
            return err_set(err, EBADMSG,
                           "inode %" PRIu64 ": it states %" PRIu32
                           " links, and %" PRIu32 " were found",
                           met->nid_plus_one - 1, met->link_count, met->met_count);
    }
    return 0;
}
