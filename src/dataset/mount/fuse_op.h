/* SPDX-License-Identifier: Apache-2.0 */
/* fuse_op - a request of the kernel, and the door that it came through; private to the
 * files of fuse_door. */
#ifndef DATASET_MOUNT_FUSE_OP_H
#define DATASET_MOUNT_FUSE_OP_H

#include "dataset/mount/fuse_door.h"
#include "dataset/mount/fuse_wire.h"
#include "dataset/mount/recorder.h"

struct op_piece {
    struct flight_waiter waiter; /* first */
    struct fuse_op *op;
    struct payload *payload;
    uint32_t chunk_size, skip, size;
};

/* A request that is not responded to yet. */
struct fuse_op {
    struct fuse_door *door;
    uint64_t unique, inode, offset;
    uint32_t opcode, size;
    unsigned slot;
    unsigned in_hand; /* where the table has it */
    bool has_slot, is_in_hand;
    struct dataset_waiter lookup;
    struct lease *lease;     /* or whether the reader may have what was looked up */
    struct view_text *view;  /* of a view that is read; NULL: none */
    struct dataset *dataset; /* that was looked up, until it is permitted */
    struct reader reader;
    bool is_link, is_opening;
    struct op_piece *pieces; /* of a read that is active */
    uint32_t piece_count, missing;
    int rc;
    bool is_filling;
    struct fuse_op *previous, *next;
};

struct fuse_ops {
    struct fuse_op *first, *last;
};

/* Of a slot: what becomes of its lease in this process. */
struct door_lease {
    struct fuse_door *door;
    struct lease *lease; /* a renewal, or the end, under way */
    bool is_ending;
    unsigned opening; /* requests whose lease is not there yet */
    int64_t idle_ns;  /* since when nothing has it open, while it is being returned */
};

struct fuse_door {
    struct fuse_door_opts opts;
    /* Responds to a request, and frees it. */
    void (*end)(struct fuse_op *op, int error, const void *data, size_t size);
    struct forwarder_parts parts;
    uv_poll_t poll;
    uv_timer_t timer; /* renews leases, while there are any */
    uv_timer_t idle;  /* ends those of what nothing has open, while there are any */
    bool is_closing;
    unsigned active;              /* reads */
    struct fuse_ops ops, waiting; /* waiting: reads that are not active yet */
    struct dataset *datasets[IMAGE_SLOTS_MAX]; /* NULL: not looked up in this process */
    struct door_lease leases[IMAGE_SLOTS_MAX];
    struct prefetch_reader *readers[IMAGE_SLOTS_MAX]; /* NULL: nothing has read it */
    bool is_started[IMAGE_SLOTS_MAX]; /* it was opened in this process */
    struct recorder recorder;
    uint8_t in[FUSE_REQUEST_MAX];
};

/* ---- fuse_attributes.c ---- */

/* FUSE_GETXATTR of an image. */
void attribute_start(struct fuse_op *op, struct span rest);

#endif
