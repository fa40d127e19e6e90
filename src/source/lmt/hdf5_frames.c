/* SPDX-License-Identifier: Apache-2.0 */
/* hdf5_frames - what the process that reads HDF5 and its parent say to each other. */
#include "source/lmt/hdf5_frames.h"

#include "base/strbuf.h"

#include <math.h>

#define NAME_BYTES_MAX ((size_t)4096)
#define NAMES_BYTES_MAX ((size_t)64 << 20)

enum kind {
    FRAME_ERROR,
    FRAME_OPENED,
    FRAME_TIMES,
    FRAME_STEP,
    FRAME_SHAPE,
    FRAME_NAMES, /* whole ones, each with its NUL */
    FRAME_ROWS,
    FRAME_END,
    FRAME_UNCONFINED, /* in place of FRAME_OPENED: words of what failed */
};

struct frame_head {
    uint32_t kind;
    uint32_t size;
};

struct shape {
    int64_t start_s, step_s;
    uint64_t row_count, column_count;
};

struct rows_head {
    uint64_t first, count;
};

/* ---- the child's end ---- */

static int write_frame(const struct hdf5_pipe *pipe, enum kind kind,
                       const void *payload, size_t size)
{
    const struct frame_head head = { kind, (uint32_t)size };
    int rc = pipe->write(pipe->arg, &head, sizeof head);
    return rc == 0 && size ? pipe->write(pipe->arg, payload, size) : rc;
}

int hdf5_frames_write_opened(const struct hdf5_pipe *pipe, enum hdf5_layout layout)
{
    const uint32_t value = layout;
    return write_frame(pipe, FRAME_OPENED, &value, sizeof value);
}

int hdf5_frames_write_times(const struct hdf5_pipe *pipe, int64_t from_s, int64_t to_s)
{
    const int64_t times[2] = { from_s, to_s };
    return write_frame(pipe, FRAME_TIMES, times, sizeof times);
}

int hdf5_frames_write_step(const struct hdf5_pipe *pipe, int64_t step_s)
{
    return write_frame(pipe, FRAME_STEP, &step_s, sizeof step_s);
}

int hdf5_frames_write_error(const struct hdf5_pipe *pipe, int rc, const struct err *err)
{
    char payload[sizeof(int32_t) + sizeof err->text];
    const int32_t number = -rc;
    size_t size = strnlen(err->text, sizeof err->text);
    memcpy(payload, &number, sizeof number);
    memcpy(payload + sizeof number, err->text, size);
    return write_frame(pipe, FRAME_ERROR, payload, sizeof number + size);
}

int hdf5_frames_write_unconfined(const struct hdf5_pipe *pipe, const struct err *err)
{
    return write_frame(pipe, FRAME_UNCONFINED, err->text,
                       strnlen(err->text, sizeof err->text));
}

static int write_names(const struct hdf5_pipe *pipe, const struct lmt_grid *grid)
{
    size_t used = 0;
    for (size_t i = 0; i < grid->column_count; i++) {
        size_t size = strlen(grid->columns[i]) + 1;
        if (size > NAME_BYTES_MAX)
            return -EFBIG;
        if (used + size > HDF5_FRAME_BYTES_MAX) {
            int rc = write_frame(pipe, FRAME_NAMES, pipe->buffer, used);
            if (rc < 0)
                return rc;
            used = 0;
        }
        memcpy(pipe->buffer + used, grid->columns[i], size);
        used += size;
    }
    return write_frame(pipe, FRAME_NAMES, pipe->buffer, used);
}

static bool is_missing(const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isnan(values[i]))
            return false;
    return true;
}

static int write_rows(const struct hdf5_pipe *pipe, const struct lmt_grid *grid)
{
    const size_t wide = grid->column_count;
    const size_t rows_max =
        (HDF5_FRAME_BYTES_MAX - sizeof(struct rows_head)) / (wide * sizeof(double));
    for (size_t first = 0; first < grid->row_count; first += rows_max) {
        size_t left = grid->row_count - first;
        struct rows_head rows = { first, left < rows_max ? left : rows_max };
        size_t bytes = rows.count * wide * sizeof(double);
        const double *values = grid->values + first * wide;
        if (is_missing(values, rows.count * wide))
            continue;
        const struct frame_head head = { FRAME_ROWS, (uint32_t)(sizeof rows + bytes) };
        int rc = pipe->write(pipe->arg, &head, sizeof head);
        if (rc == 0)
            rc = pipe->write(pipe->arg, &rows, sizeof rows);
        if (rc == 0)
            rc = pipe->write(pipe->arg, values, bytes);
        if (rc < 0)
            return rc;
    }
    return 0;
}

int hdf5_frames_write_grid(const struct hdf5_pipe *pipe, const struct lmt_grid *grid)
{
    const struct shape shape = { grid->start_s, grid->step_s, grid->row_count,
                                 grid->column_count };
    int rc = write_frame(pipe, FRAME_SHAPE, &shape, sizeof shape);
    if (rc == 0)
        rc = write_names(pipe, grid);
    if (rc == 0)
        rc = write_rows(pipe, grid);
    return rc < 0 ? rc : write_frame(pipe, FRAME_END, NULL, 0);
}

/* ---- the parent's end ---- */

static int bad(struct err *err, const char *what)
{
    return err_set(err, EPROTO,
                   "the process that reads it reported %s, which cannot be", what);
}

/* The child's own error; what it may say is a few of errno's. */
static int child_error(const uint8_t *payload, size_t size, struct err *err)
{
    static const int known[] = { ENOENT, EBADMSG, EINVAL, EFBIG, ENOMEM, EIO };
    int32_t number;
    if (size < sizeof number)
        return bad(err, "an error without a number");
    memcpy(&number, payload, sizeof number);
    const char *text = (const char *)payload + sizeof number;
    int text_size = (int)strnlen(text, size - sizeof number);
    for (size_t i = 0; i < COUNT_OF(known); i++)
        if (number == known[i])
            return number == ENOENT && text_size == 0
                       ? -ENOENT
                       : err_set(err, number, "%.*s",
                                 text_size ? text_size : (int)sizeof "failed" - 1,
                                 text_size ? text : "failed");
    return bad(err, "an unknown error");
}

/* The next frame, with its payload in pipe->buffer. */
static int read_any(struct hdf5_pipe *pipe, struct frame_head *ret, struct err *err)
{
    struct frame_head head;
    int rc = pipe->read(pipe->arg, &head, sizeof head);
    if (rc < 0)
        return rc;
    if (head.size > HDF5_FRAME_BYTES_MAX)
        return bad(err, "a frame of that size");
    if (head.size && (rc = pipe->read(pipe->arg, pipe->buffer, head.size)) < 0)
        return rc;
    if (head.kind == FRAME_ERROR) {
        rc = child_error(pipe->buffer, head.size, err);
        pipe->is_in_order = rc != -EPROTO;
        return rc;
    }
    *ret = head;
    return 0;
}

static int frame_take(const struct hdf5_pipe *pipe, const struct frame_head *head,
                      enum kind kind, void *payload, size_t size, struct err *err)
{
    if (head->kind != (uint32_t)kind || head->size != size)
        return bad(err, "something else than was requested");
    memcpy(payload, pipe->buffer, size);
    return 0;
}

static int read_frame(struct hdf5_pipe *pipe, enum kind kind, void *payload,
                      size_t size, struct err *err)
{
    struct frame_head head = { 0 };
    int rc = read_any(pipe, &head, err);
    return rc < 0 ? rc : frame_take(pipe, &head, kind, payload, size, err);
}

int hdf5_frames_read_opened(struct hdf5_pipe *pipe, enum hdf5_layout *ret,
                            struct err *err)
{
    struct frame_head head = { 0 };
    uint32_t value = 0;
    int rc = read_any(pipe, &head, err);
    if (rc < 0)
        return rc;
    if (head.kind == FRAME_UNCONFINED) {
        pipe->is_in_order = true;
        return err_set(err, EPERM, "%.*s",
                       (int)strnlen((const char *)pipe->buffer, head.size),
                       (const char *)pipe->buffer);
    }
    rc = frame_take(pipe, &head, FRAME_OPENED, &value, sizeof value, err);
    if (rc < 0)
        return rc;
    if (value != HDF5_TOKIO && value != HDF5_H5LMT)
        return bad(err, "an unknown layout");
    *ret = (enum hdf5_layout)value;
    return 0;
}

int hdf5_frames_read_times(struct hdf5_pipe *pipe, int64_t *ret_from_s,
                           int64_t *ret_to_s, struct err *err)
{
    const int64_t far_s = INT64_MAX / 2;
    int64_t times[2] = { 0 };
    int rc = read_frame(pipe, FRAME_TIMES, times, sizeof times, err);
    if (rc < 0)
        return rc;
    if (times[0] >= times[1] || times[0] < -far_s || times[1] > far_s)
        return bad(err, "such times");
    *ret_from_s = times[0];
    *ret_to_s = times[1];
    return 0;
}

int hdf5_frames_read_step(struct hdf5_pipe *pipe, int64_t *ret_step_s, struct err *err)
{
    int64_t step_s = 0;
    int rc = read_frame(pipe, FRAME_STEP, &step_s, sizeof step_s, err);
    if (rc < 0)
        return rc;
    if (step_s < 0)
        return bad(err, "such a step");
    *ret_step_s = step_s;
    return 0;
}

static int read_shape(struct hdf5_pipe *pipe, struct lmt_grid *grid,
                      size_t *ret_columns, struct err *err)
{
    struct shape shape = { 0 };
    int rc = read_frame(pipe, FRAME_SHAPE, &shape, sizeof shape, err);
    if (rc == 0)
        rc = lmt_grid_shape(grid, shape.step_s, shape.start_s, err);
    if (rc < 0)
        return rc;
    if (shape.start_s != grid->start_s || shape.row_count != grid->row_count ||
        shape.column_count == 0 || shape.column_count > LMT_COLUMNS_MAX)
        return bad(err, "another window");
    *ret_columns = (size_t)shape.column_count;
    return 0;
}

/* The names of one frame behind those in bytes, their sizes into sizes. */
static int add_names(struct hdf5_pipe *pipe, size_t size, size_t columns,
                     struct strbuf *bytes, size_t *sizes, size_t *count)
{
    const char *text = (const char *)pipe->buffer;
    if (size == 0 || bytes->size + size > NAMES_BYTES_MAX)
        return -EBADMSG;
    while (size) {
        size_t name = strnlen(text, size);
        if (name == size || name >= NAME_BYTES_MAX || *count == columns)
            return -EBADMSG;
        strbuf_add(bytes, text, name);
        sizes[(*count)++] = name;
        text += name + 1;
        size -= name + 1;
    }
    return strbuf_error(bytes);
}

static int read_names(struct hdf5_pipe *pipe, struct lmt_grid *grid, size_t columns,
                      size_t *map, struct err *err)
{
    AUTO(strbuf_done) struct strbuf bytes = STRBUF_INIT;
    AUTO_FREE size_t *sizes = calloc(columns, sizeof *sizes);
    AUTO_FREE struct span *names = calloc(columns, sizeof *names);
    size_t count = 0;
    if (!sizes || !names)
        return err_set(err, ENOMEM, "out of memory");
    while (count < columns) {
        struct frame_head head = { 0 };
        int rc = read_any(pipe, &head, err);
        if (rc < 0)
            return rc;
        if (head.kind != FRAME_NAMES)
            return bad(err, "fewer names than columns");
        rc = add_names(pipe, head.size, columns, &bytes, sizes, &count);
        if (rc < 0)
            return rc == -ENOMEM ? err_set(err, ENOMEM, "out of memory")
                                 : bad(err, "such names");
    }
    const char *at = strbuf_text(&bytes);
    for (size_t i = 0; i < columns; i++) {
        names[i] = (struct span){ at, sizes[i] };
        at += sizes[i];
    }
    return lmt_grid_columns(grid, names, columns, map, err);
}

static int take_rows(struct hdf5_pipe *pipe, size_t size, struct lmt_grid *grid,
                     size_t columns, const size_t *map, uint64_t *next)
{
    struct rows_head rows;
    if (size < sizeof rows)
        return -EBADMSG;
    memcpy(&rows, pipe->buffer, sizeof rows);
    if (rows.first < *next || rows.first >= grid->row_count || rows.count == 0 ||
        rows.count > grid->row_count - rows.first ||
        rows.count > HDF5_FRAME_BYTES_MAX / columns / sizeof(double) ||
        size != sizeof rows + rows.count * columns * sizeof(double))
        return -EBADMSG;
    const uint8_t *at = pipe->buffer + sizeof rows;
    for (uint64_t row = rows.first; row < rows.first + rows.count; row++)
        for (size_t column = 0; column < columns; column++, at += sizeof(double)) {
            double value;
            memcpy(&value, at, sizeof value);
            if (isinf(value))
                return -EBADMSG;
            if (!isnan(value))
                *lmt_grid_at(grid, (size_t)row, map[column]) = value;
        }
    *next = rows.first + rows.count;
    return 0;
}

int hdf5_frames_read_grid(struct hdf5_pipe *pipe, struct lmt_grid *grid,
                          struct err *err)
{
    size_t columns = 0;
    int rc = read_shape(pipe, grid, &columns, err);
    if (rc < 0)
        return rc;
    AUTO_FREE size_t *map = calloc(columns, sizeof *map);
    if (!map)
        return err_set(err, ENOMEM, "out of memory");
    rc = read_names(pipe, grid, columns, map, err);
    uint64_t next = 0;
    while (rc == 0) {
        struct frame_head head = { 0 };
        rc = read_any(pipe, &head, err);
        if (rc < 0)
            return rc;
        if (head.kind == FRAME_END && head.size == 0)
            return 0;
        if (head.kind != FRAME_ROWS ||
            take_rows(pipe, head.size, grid, columns, map, &next) < 0)
            return bad(err, "such rows");
    }
    return rc;
}
