/* SPDX-License-Identifier: Apache-2.0 */
/* io_sums - what all nodes of a cluster did in a step, out of what each says of itself.
 *
 *     node  step 1  step 2             sums of step 2
 *     n1      100     250     ┐
 *     n2      400     420     ├──▶  170, of 2 nodes; 1 node not known
 *     n3        9       3     ┘            (n3 was reset, or mounted anew)
 *
 * Counters are never summed themselves: one node that begins anew would take the sum of
 * all with it.
 *
 * Threads  none inside.
 */
#ifndef SOURCE_GPFS_IO_SUMS_H
#define SOURCE_GPFS_IO_SUMS_H

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/hashmap.h"
#include "source/gpfs/mmpmon.h"

#define IO_SUMS_NODES_MAX ((size_t)65536)      /* nodes times file systems */
#define IO_SUMS_ROUNDS_MISSED_MAX 720          /* after these a node is not missed */
#define IO_SUMS_FILESYSTEMS_MAX ((size_t)1024) /* clusters times file systems */

/* The sums of one file system. */
struct io_sum {
    const char *cluster; /* that owns it */
    const char *fs;
    uint64_t nodes;   /* whose part is in the sums */
    uint64_t unknown; /* first seen, begun anew, or not heard of in this step */
    uint64_t counts[_GPFS_COUNT_COUNT];
};

struct io_sums {
    struct arena arena;
    struct hashmap nodes; /* cluster, file system and node -> struct io_node */
    struct hashmap index; /* cluster and file system -> position + 1 */
    struct io_sum *sums;
    size_t count;
    uint64_t round;
};

void io_sums_init(struct io_sums *sums);
void io_sums_done(struct io_sums *sums);
DEFINE_AUTO_DONE(struct io_sums, io_sums_done);

/* Begin a step: sums are 0 again. */
void io_sums_begin(struct io_sums *sums);
/* Take what one node says of one file system in this step; said twice, the first holds.
 * Errors: -EFBIG (over the limits), -ENOMEM. */
int io_sums_add(struct io_sums *sums, const struct gpfs_io *io);
/* End a step: nodes that were not heard of are counted as unknown. */
void io_sums_end(struct io_sums *sums);

#endif
