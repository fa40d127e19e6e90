/* SPDX-License-Identifier: Apache-2.0 */
/* hdf5_frames - what the process that reads HDF5 and its parent say to each other.
 *
 *     parent                                 child
 *     request ─────────────────────────────▶
 *             ◀───────────────────────────── OPENED | TIMES | STEP | ERROR
 *             ◀───────────────────────────── UNCONFINED, in place of OPENED
 *             ◀── SHAPE  NAMES..  ROWS..  END   of a grid
 *
 *     frame   [kind u32][size u32][size bytes of payload, at most HDF5_FRAME_BYTES_MAX]
 *
 * Both ends are one program on one machine: numbers stand in its byte order.  The
 * parent takes the child for hostile: it may have read a file that makes it say
 * anything.  A length, a count, an order or a value that cannot be is an error, and
 * nothing is allocated by the child's word but within the limits of a grid.
 */
#ifndef SOURCE_LMT_HDF5_FRAMES_H
#define SOURCE_LMT_HDF5_FRAMES_H

#include "source/lmt/grid.h"
#include "source/lmt/measure.h"

#include <stdbool.h>

#define HDF5_FRAME_BYTES_MAX ((size_t)1 << 20)

enum hdf5_op {
    HDF5_OP_TIMES,
    HDF5_OP_STEP,
    HDF5_OP_READ,
};

struct hdf5_request {
    uint32_t op;
    uint32_t measure;
    /* HDF5_OP_READ: the grid as the parent has it, without its columns */
    int64_t from_s, to_s, start_s, step_s;
    uint64_t row_count;
};

/* One end of it.  Both functions carry exactly size bytes, or return an error. */
struct hdf5_pipe {
    int (*read)(void *arg, void *data, size_t size);
    int (*write)(void *arg, const void *data, size_t size);
    void *arg;
    uint8_t *buffer;  /* HDF5_FRAME_BYTES_MAX */
    bool is_in_order; /* an error was the child's own: the next request may follow */
};

/* Errors of the functions that read: -EPROTO (what cannot be, with a word), what
 * pipe->read() says (without one), and the child's own error with its words; only then
 * is_in_order is set. */

enum hdf5_layout { HDF5_TOKIO, HDF5_H5LMT };
int hdf5_frames_write_opened(const struct hdf5_pipe *pipe, enum hdf5_layout layout);
/* The child could not give up what it must not have, for this reason, and reads
 * nothing. That says nothing of the file. */
int hdf5_frames_write_unconfined(const struct hdf5_pipe *pipe, const struct err *err);
/* Errors, besides: -EPERM with the words of hdf5_frames_write_unconfined(), in order.
 */
int hdf5_frames_read_opened(struct hdf5_pipe *pipe, enum hdf5_layout *ret,
                            struct err *err);

int hdf5_frames_write_times(const struct hdf5_pipe *pipe, int64_t from_s, int64_t to_s);
int hdf5_frames_read_times(struct hdf5_pipe *pipe, int64_t *ret_from_s,
                           int64_t *ret_to_s, struct err *err);

int hdf5_frames_write_step(const struct hdf5_pipe *pipe, int64_t step_s);
int hdf5_frames_read_step(struct hdf5_pipe *pipe, int64_t *ret_step_s, struct err *err);

/* rc < 0; -ENOENT has no words. */
int hdf5_frames_write_error(const struct hdf5_pipe *pipe, int rc,
                            const struct err *err);

int hdf5_frames_write_grid(const struct hdf5_pipe *pipe, const struct lmt_grid *grid);
/* Into grid, which has its window and perhaps shape, columns and values of other files.
 * Errors, besides: -ENOMEM, -EFBIG; then the grid may be filled in part. */
int hdf5_frames_read_grid(struct hdf5_pipe *pipe, struct lmt_grid *grid,
                          struct err *err);

#endif
