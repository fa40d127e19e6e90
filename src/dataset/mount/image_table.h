/* SPDX-License-Identifier: Apache-2.0 */
/* image_table - which file of the mount is which image; outlives the process that
 * serves.
 *
 * Shared memory: the agent makes it, each process that serves the files in turn has it,
 * and so have the visitors, who read how often an image is open.  A descriptor holds it
 * beyond the agent's own end.
 * Inode 1 is the directory.  A slot is an image's until another one needs it, which it
 * gets where the image is not open; each of its images has inodes that no other one
 * has had: an even one, and the next one for a link to it, as a tag is.
 * Threads  one process at a time changes it; uid is the visitors'.
 */
#ifndef DATASET_MOUNT_IMAGE_TABLE_H
#define DATASET_MOUNT_IMAGE_TABLE_H

#include "dataset/image/image.h"

#include <stdint.h>
#include <sys/types.h>

#define IMAGE_SLOTS_MAX 1024U
#define IMAGE_REQUESTS_MAX 16384U

struct image_slot {
    struct digest name;
    uint64_t generation; /* 0: it has had no image yet */
    uint64_t size;
    uint64_t used; /* when it was looked up, by the table's clock */
    uint64_t opens;
    uint64_t requests; /* in hand of the process that serves; no other one's matter */
    uid_t uid;         /* for whom it was mounted last */
    bool is_returning; /* its lease is to be given back */
};

/* A request of the kernel that was read and has no response. */
struct image_request {
    uint64_t unique; /* 0: none */
    unsigned slot;
    bool is_release; /* of that slot */
};

struct image_table {
    uint64_t layout; /* of the program that made it */
    bool is_bound;   /* see node_mounts: the agent's directory was mounted on itself */
    bool is_greeted; /* the kernel has begun to send requests */
    bool is_serving; /* the process of now has begun to read them */
    uint64_t clock;
    struct image_slot slots[IMAGE_SLOTS_MAX];
    struct image_request requests[IMAGE_REQUESTS_MAX]; /* in any order */
    unsigned next; /* where a free one is looked for */
};

/* *ret_fd is the caller's.  Errors: those of memfd_create and mmap. */
int image_table_new(struct image_table **ret, int *ret_fd);
/* That of an earlier agent.  Errors: -EINVAL (one of another layout, or none). */
int image_table_open(int fd, struct image_table **ret);
/* The slot of an image; where it has none yet that of an image which is not open and
 * was looked up before all others.  -1: all are open, or have requests. */
int image_table_assign(struct image_table *table, const struct digest *name,
                       uint64_t size);
/* -1: no such inode, or no longer: its slot is another image's. */
int image_table_slot(const struct image_table *table, uint64_t inode);
uint64_t image_table_inode(const struct image_table *table, unsigned slot);

/* How often an image is open: once by its mount, once by each former mount of which
 * a user has a copy, and while a command mounts it. */
uint64_t image_table_opens(const struct image_table *table, const struct digest *name);
/* It was mounted for that user. */
void image_table_charge(struct image_table *table, const struct digest *name,
                        uid_t uid);
/* Images that are open, and were mounted for that user; but for this one. */
unsigned image_table_mounts_of(const struct image_table *table, uid_t uid,
                               const struct digest *but);

/* A new process has no requests in hand. */
void image_table_requests_clear(struct image_table *table);
/* What a process had in hand that has ended, and is never responded to: what it
 * releases is no longer open.  False: there is nothing more. */
bool image_table_request_next(struct image_table *table, struct image_request *ret);
/* A request is in hand, or no longer.  False: too many are. */
bool image_table_request_add(struct image_table *table,
                             const struct image_request *request, unsigned *ret_at);
void image_table_request_remove(struct image_table *table, unsigned at);

/* Something is open, or a lease is being given back. */
bool image_table_is_busy(const struct image_table *table);

static inline bool inode_is_link(uint64_t inode)
{
    return inode & 1;
}

#endif
