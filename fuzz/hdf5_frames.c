/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_hdf5_frames - what a process that reads HDF5, taken over by its file, may send.
 *
 * The first byte says what was requested, and whether the grid has a shape already.
 */
#include "source/lmt/hdf5_frames.h"

#include "fuzz/fuzz.h"

#include <errno.h>
#include <math.h>

#define FROM INT64_C(1000)
#define ROWS 50

struct stream {
    const uint8_t *data;
    size_t size;
};

static int stream_read(void *arg, void *data, size_t size)
{
    struct stream *s = arg;
    if (size > s->size)
        return -EPIPE;
    memcpy(data, s->data, size);
    s->data += size;
    s->size -= size;
    return 0;
}

static void check_grid(struct hdf5_pipe *pipe, bool has_shape)
{
    AUTO(lmt_grid_done) struct lmt_grid grid = { 0 };
    struct err err = { 0 };
    lmt_grid_init(&grid, FROM, FROM + 10 * ROWS);
    if (has_shape)
        fuzz_check(lmt_grid_shape(&grid, 10, FROM, NULL) == 0);
    int rc = hdf5_frames_read_grid(pipe, &grid, &err);
    fuzz_check(rc <= 0 && (rc != -EPROTO || err.text[0] != '\0'));
    fuzz_check(grid.row_count * grid.column_count <= LMT_CELLS_MAX);
    for (size_t i = 0; i < grid.row_count * grid.column_count; i++)
        fuzz_check(!isinf(grid.values[i]));
    for (size_t i = 0; i < grid.column_count; i++)
        fuzz_check(grid.columns[i] != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t buffer[HDF5_FRAME_BYTES_MAX];
    if (size < 1)
        return 0;
    struct stream stream = { data + 1, size - 1 };
    struct hdf5_pipe pipe = { .read = stream_read, .arg = &stream, .buffer = buffer };
    struct err err = { 0 };
    enum hdf5_layout layout;
    int64_t from_s, to_s, step_s;
    switch (data[0] % 5) {
    case 0:
        if (hdf5_frames_read_opened(&pipe, &layout, &err) == 0)
            fuzz_check(layout == HDF5_TOKIO || layout == HDF5_H5LMT);
        return 0;
    case 1:
        if (hdf5_frames_read_times(&pipe, &from_s, &to_s, &err) == 0)
            fuzz_check(from_s < to_s);
        return 0;
    case 2:
        if (hdf5_frames_read_step(&pipe, &step_s, &err) == 0)
            fuzz_check(step_s >= 0);
        return 0;
    default:
        check_grid(&pipe, data[0] % 5 == 4);
        return 0;
    }
}
