/* SPDX-License-Identifier: Apache-2.0 */
/* body - what a peer sends, decoded piece by piece. */

#include "net/body.h"

#include "base/span.h"

#include <strings.h>
#include <zlib.h>
#include <zstd.h>

enum {
    PIECE_BYTES = 32 * 1024,
    FREE_BYTES = 1024 * 1024, /* small texts may compress as well as they like */
    ZSTD_WINDOW_LOG_MAX = 23,
    GZIP_WINDOW_BITS = 15 + 16, /* a gzip header, and nothing else */
    GZIP_MEMORY_BYTES = 44 * 1024,
};

struct body {
    enum body_coding coding;
    uint64_t size_max, ratio_max;
    uint64_t taken_bytes, decoded_bytes;
    size_t fixed_bytes;
    bool is_between_frames; /* the end is legal here */
    ZSTD_DStream *zstd;
    z_stream gzip;
    bool has_gzip;
    char piece[PIECE_BYTES];
};

int body_coding_parse(struct span text, enum body_coding *ret)
{
    static const struct {
        const char *name;
        enum body_coding coding;
    } codings[] = { { "identity", BODY_IDENTITY },
                    { "gzip", BODY_GZIP },
                    { "x-gzip", BODY_GZIP },
                    { "zstd", BODY_ZSTD } };
    text = span_trim(text);
    if (text.size == 0) {
        *ret = BODY_IDENTITY;
        return 0;
    }
    for (size_t i = 0; i < COUNT_OF(codings); i++) {
        if (text.size == strlen(codings[i].name) &&
            strncasecmp(text.data, codings[i].name, text.size) == 0) {
            *ret = codings[i].coding;
            return 0;
        }
    }
    return -EPROTONOSUPPORT;
}

void body_free(struct body *body)
{
    if (!body)
        return;
    (void)ZSTD_freeDStream(body->zstd);
    if (body->has_gzip)
        (void)inflateEnd(&body->gzip);
    free(body);
}

int body_new(enum body_coding coding, uint64_t size_max, uint64_t ratio_max,
             struct body **ret)
{
    /* The piece is only written where something is decoded. */
    AUTO(body_free) struct body *b = malloc(sizeof *b);
    if (!b)
        return -ENOMEM;
    memset(b, 0, offsetof(struct body, piece));
    b->coding = coding;
    b->size_max = size_max;
    b->ratio_max = ratio_max;
    b->is_between_frames = coding == BODY_IDENTITY;
    if (coding == BODY_ZSTD) {
        b->zstd = ZSTD_createDStream();
        if (!b->zstd || ZSTD_isError(ZSTD_DCtx_setParameter(
                            b->zstd, ZSTD_d_windowLogMax, ZSTD_WINDOW_LOG_MAX)))
            return -ENOMEM;
    }
    if (coding == BODY_GZIP) {
        if (inflateInit2(&b->gzip, GZIP_WINDOW_BITS) != Z_OK)
            return -ENOMEM;
        b->has_gzip = true;
    }
    b->fixed_bytes = body_memory_bytes(b);
    *ret = TAKE(b);
    return 0;
}

static int emit(struct body *b, const void *data, size_t size, body_put_fn *put,
                void *arg, struct err *err)
{
    b->decoded_bytes += size;
    if (b->decoded_bytes > b->size_max)
        return err_set(err, EMSGSIZE, "the body is over %llu bytes%s",
                       (unsigned long long)b->size_max,
                       b->coding == BODY_IDENTITY ? "" : " when decoded");
    if (b->coding != BODY_IDENTITY && b->decoded_bytes > FREE_BYTES &&
        b->decoded_bytes / b->ratio_max > b->taken_bytes)
        return err_set(err, EMSGSIZE, "the body is compressed more than %llu times",
                       (unsigned long long)b->ratio_max);
    return size ? put(arg, data, size, err) : 0;
}

static int feed_zstd(struct body *b, const void *data, size_t size, body_put_fn *put,
                     void *arg, struct err *err)
{
    ZSTD_inBuffer in = { data, size, 0 };
    bool is_full = false;
    while (in.pos < in.size || is_full) {
        ZSTD_outBuffer out = { b->piece, sizeof b->piece, 0 };
        size_t rc = ZSTD_decompressStream(b->zstd, &out, &in);
        if (ZSTD_isError(rc))
            return err_set(err, EBADMSG, "zstd: %s", ZSTD_getErrorName(rc));
        b->is_between_frames = rc == 0;
        int put_rc = emit(b, b->piece, out.pos, put, arg, err);
        if (put_rc < 0)
            return put_rc;
        /* A full piece may have left more inside the decoder. */
        is_full = out.pos == out.size && rc != 0;
    }
    return 0;
}

static int feed_gzip(struct body *b, const void *data, size_t size, body_put_fn *put,
                     void *arg, struct err *err)
{
    b->gzip.next_in = (z_const Bytef *)(uintptr_t)data;
    b->gzip.avail_in = (uInt)size;
    bool is_full = false;
    while (b->gzip.avail_in || is_full) {
        if (b->is_between_frames && inflateReset(&b->gzip) != Z_OK)
            return -ENOMEM;
        b->gzip.next_out = (Bytef *)b->piece;
        b->gzip.avail_out = sizeof b->piece;
        int rc = inflate(&b->gzip, Z_NO_FLUSH);
        if (rc != Z_OK && rc != Z_STREAM_END && rc != Z_BUF_ERROR)
            return err_set(err, EBADMSG, "gzip: %s",
                           b->gzip.msg ? b->gzip.msg : "broken");
        b->is_between_frames = rc == Z_STREAM_END;
        int put_rc =
            emit(b, b->piece, sizeof b->piece - b->gzip.avail_out, put, arg, err);
        if (put_rc < 0)
            return put_rc;
        is_full = b->gzip.avail_out == 0 && rc == Z_OK;
    }
    return 0;
}

int body_feed(struct body *b, const void *data, size_t size, body_put_fn *put,
              void *arg, struct err *err)
{
    b->taken_bytes += size;
    if (b->taken_bytes > b->size_max)
        return err_set(err, EMSGSIZE, "the body is over %llu bytes",
                       (unsigned long long)b->size_max);
    switch (b->coding) {
    case BODY_ZSTD:
        return feed_zstd(b, data, size, put, arg, err);
    case BODY_GZIP:
        return feed_gzip(b, data, size, put, arg, err);
    case BODY_IDENTITY:
        break;
    }
    return emit(b, data, size, put, arg, err);
}

int body_finish(const struct body *b, struct err *err)
{
    if (!b->is_between_frames)
        return err_set(err, EBADMSG, "the compressed body is cut off");
    return 0;
}

uint64_t body_decoded_bytes(const struct body *b)
{
    return b->decoded_bytes;
}

size_t body_fixed_bytes(const struct body *b)
{
    return b->fixed_bytes;
}

size_t body_memory_bytes(const struct body *b)
{
    size_t own = sizeof *b;
    if (b->coding == BODY_ZSTD)
        own += ZSTD_sizeof_DStream(b->zstd);
    return b->coding == BODY_GZIP ? own + GZIP_MEMORY_BYTES : own;
}
