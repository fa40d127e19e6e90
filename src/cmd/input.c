/* SPDX-License-Identifier: Apache-2.0 */
/* input - a file that is read from front to back, whether compressed or not. */
#include "cmd/input.h"

#include "base/span.h"

#include <fcntl.h>
#include <zlib.h>
#include <zstd.h>

#define PIECE_BYTES (128u << 10)
/* zlib: the largest window, and only the gzip header. */
#define GZIP_WINDOW (15 + 16)

enum form {
    FORM_PLAIN,
    FORM_GZIP,
    FORM_ZSTD,
};

struct input {
    const char *path;
    int fd;
    enum form form;
    bool is_started;    /* the first bytes were looked at */
    bool is_over;       /* read() said so */
    bool is_frame_open; /* compressed data that is not complete */
    size_t from, size;  /* what is left of raw */
    z_stream gzip;
    ZSTD_DStream *zstd;
    char raw[PIECE_BYTES];
    char out[PIECE_BYTES];
};

int input_open(const char *path, struct input **ret, struct err *err)
{
    AUTO(input_close) struct input *input = calloc(1, sizeof *input);
    if (!input)
        return err_set(err, ENOMEM, "out of memory");
    input->path = path;
    input->fd = STDIN_FILENO;
    if (strcmp(path, "-") != 0)
        input->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (input->fd < 0)
        return err_set(err, errno, "open '%s': %s", path, strerror(errno));
    *ret = TAKE(input);
    return 0;
}

void input_close(struct input *input)
{
    if (!input)
        return;
    if (input->fd > STDIN_FILENO)
        (void)close(input->fd);
    if (input->form == FORM_GZIP)
        (void)inflateEnd(&input->gzip);
    (void)ZSTD_freeDStream(input->zstd);
    free(input);
}

/* More of the file into raw, behind what is there. */
static int fill(struct input *input, struct err *err)
{
    memmove(input->raw, input->raw + input->from, input->size);
    input->from = 0;
    ssize_t n;
    do
        n = read(input->fd, input->raw + input->size, PIECE_BYTES - input->size);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return err_set(err, errno, "read '%s': %s", input->path, strerror(errno));
    input->is_over = n == 0;
    input->size += (size_t)n;
    return 0;
}

static int start(struct input *input, struct err *err)
{
    while (input->size < 4 && !input->is_over) {
        int rc = fill(input, err);
        if (rc < 0)
            return rc;
    }
    input->is_started = true;
    struct span head = { input->raw, input->size };
    if (span_starts(head, "\x1f\x8b")) {
        if (inflateInit2(&input->gzip, GZIP_WINDOW) != Z_OK)
            return err_set(err, ENOMEM, "out of memory");
        input->form = FORM_GZIP;
        input->is_frame_open = true;
    } else if (span_starts(head, "\x28\xb5\x2f\xfd")) {
        input->zstd = ZSTD_createDStream();
        if (!input->zstd)
            return err_set(err, ENOMEM, "out of memory");
        input->form = FORM_ZSTD;
        input->is_frame_open = true;
    }
    return 0;
}

static int bad_data(const struct input *input, struct err *err)
{
    return err_set(err, EBADMSG, "'%s': the compressed data are damaged", input->path);
}

/* Both: take from raw, give to out; *ret_size may be 0 while more input is needed. */
static int unpack_gzip(struct input *input, size_t *ret_size, struct err *err)
{
    z_stream *z = &input->gzip;
    /* A file may hold several members, one behind the other. */
    if (!input->is_frame_open && inflateReset(z) != Z_OK)
        return bad_data(input, err);
    z->next_in = (unsigned char *)input->raw + input->from;
    z->avail_in = (unsigned)input->size;
    z->next_out = (unsigned char *)input->out;
    z->avail_out = PIECE_BYTES;
    int rc = inflate(z, Z_NO_FLUSH);
    if (rc != Z_OK && rc != Z_STREAM_END && rc != Z_BUF_ERROR)
        return bad_data(input, err);
    input->is_frame_open = rc != Z_STREAM_END;
    input->from += input->size - z->avail_in;
    input->size = z->avail_in;
    *ret_size = PIECE_BYTES - z->avail_out;
    return 0;
}

static int unpack_zstd(struct input *input, size_t *ret_size, struct err *err)
{
    ZSTD_inBuffer in = { input->raw + input->from, input->size, 0 };
    ZSTD_outBuffer out = { input->out, PIECE_BYTES, 0 };
    size_t rc = ZSTD_decompressStream(input->zstd, &out, &in);
    if (ZSTD_isError(rc))
        return bad_data(input, err);
    input->is_frame_open = rc != 0;
    input->from += in.pos;
    input->size -= in.pos;
    *ret_size = out.pos;
    return 0;
}

static int unpack(struct input *input, size_t *ret_size, struct err *err)
{
    for (;;) {
        int rc = 0;
        if (input->size == 0 && !input->is_over)
            rc = fill(input, err);
        if (rc < 0 || (input->size == 0 && !input->is_frame_open))
            return rc;
        rc = input->form == FORM_GZIP ? unpack_gzip(input, ret_size, err)
                                      : unpack_zstd(input, ret_size, err);
        if (rc < 0 || *ret_size > 0)
            return rc;
        if (input->is_over && input->is_frame_open)
            return err_set(err, EBADMSG, "'%s': the compressed data are cut off",
                           input->path);
    }
}

int input_read(struct input *input, const char **ret_data, size_t *ret_size,
               struct err *err)
{
    size_t size = 0;
    int rc = input->is_started ? 0 : start(input, err);
    if (rc < 0)
        return rc;
    if (input->form != FORM_PLAIN) {
        rc = unpack(input, &size, err);
        if (rc < 0)
            return rc;
        *ret_data = input->out;
        *ret_size = size;
        return 0;
    }
    if (input->size == 0 && !input->is_over)
        rc = fill(input, err);
    if (rc < 0)
        return rc;
    *ret_data = input->raw + input->from;
    *ret_size = input->size;
    input->from += input->size;
    input->size = 0;
    return 0;
}

int input_read_all(const char *path, size_t size_max, struct strbuf *buf,
                   struct err *err)
{
    AUTO(input_close) struct input *input = NULL;
    size_t before = buf->size;
    int rc = input_open(path, &input, err);
    while (rc == 0) {
        const char *data;
        size_t size;
        rc = input_read(input, &data, &size, err);
        if (rc < 0 || size == 0)
            break;
        if (size > size_max - (buf->size - before))
            return err_set(err, EMSGSIZE, "'%s': over %zu bytes", path, size_max);
        strbuf_add(buf, data, size);
        if (strbuf_error(buf) < 0)
            return err_set(err, ENOMEM, "out of memory");
    }
    return rc;
}
