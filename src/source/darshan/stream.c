/* SPDX-License-Identifier: Apache-2.0 */
/* stream - the plain bytes of a region, in order. */
#include "source/darshan/stream.h"

#include "base/clock.h"

#include <bzlib.h>
#include <zlib.h>

#define BUFFER_BYTES ((size_t)65536)

struct darshan_stream {
    const struct darshan_input *in;
    enum darshan_compression compression;
    uint64_t next;      /* where in the file the next compressed bytes are */
    uint64_t left;      /* compressed bytes of the region not yet read */
    bool is_cut;        /* the header promised more than the file has */
    bool is_ended;      /* nothing more will come into plain */
    bool in_member;     /* a member has begun and not ended */
    bool was_full;      /* the decompressor may hold more without new input */
    bool has_engine;    /* z or bz is to be given back */
    int trouble;        /* why it ended; 0: as it should */
    uint64_t offset;    /* plain bytes handed out */
    uint64_t bytes_max; /* plain bytes that may come */
    uint64_t made;      /* plain bytes that came */
    size_t begin, end;  /* what of plain was not yet handed out */
    size_t packed_begin, packed_end;
    z_stream z;
    bz_stream bz;
    uint8_t packed[BUFFER_BYTES];
    uint8_t plain[BUFFER_BYTES];
};

int darshan_stream_new(const struct darshan_input *in,
                       enum darshan_compression compression,
                       struct darshan_region region, uint64_t bytes_max,
                       struct darshan_stream **ret)
{
    struct darshan_stream *s = malloc(sizeof *s);
    if (!s)
        return -ENOMEM;
    memset(s, 0, offsetof(struct darshan_stream, packed));
    s->in = in;
    s->compression = compression;
    s->bytes_max = bytes_max;
    s->next = region.offset;
    s->left = region.size;
    uint64_t there = region.offset < in->size ? in->size - region.offset : 0;
    if (s->left > there) {
        s->left = there;
        s->is_cut = true;
    }
    *ret = s;
    return 0;
}

static void engine_end(struct darshan_stream *s)
{
    if (!s->has_engine)
        return;
    if (s->compression == DARSHAN_ZLIB)
        (void)inflateEnd(&s->z);
    else
        (void)BZ2_bzDecompressEnd(&s->bz);
    s->has_engine = false;
}

void darshan_stream_free(struct darshan_stream *s)
{
    if (!s)
        return;
    engine_end(s);
    free(s);
}

static void stop(struct darshan_stream *s, int trouble)
{
    s->is_ended = true;
    s->trouble = trouble;
}

/* More compressed bytes into packed; false when there are none. */
static bool refill(struct darshan_stream *s)
{
    size_t want = s->left < BUFFER_BYTES ? (size_t)s->left : BUFFER_BYTES;
    size_t got = 0;
    int rc = darshan_input_read(s->in, s->next, s->packed, want, &got);
    if (rc < 0) {
        stop(s, rc);
        return false;
    }
    if (got == 0) {
        bool is_short = s->is_cut || s->in_member || s->left > 0;
        stop(s, is_short ? -ENODATA : 0);
        return false;
    }
    s->next += got;
    s->left -= got;
    s->packed_begin = 0;
    s->packed_end = got;
    return true;
}

static int zlib_step(struct darshan_stream *s, size_t *ret_used, size_t *ret_made)
{
    if (!s->in_member) {
        int rc = s->has_engine ? inflateReset(&s->z) : inflateInit(&s->z);
        if (rc != Z_OK)
            return -ENOMEM;
        s->has_engine = true;
        s->in_member = true;
    }
    uInt in = (uInt)(s->packed_end - s->packed_begin);
    s->z.next_in = s->packed + s->packed_begin;
    s->z.avail_in = in;
    s->z.next_out = s->plain;
    s->z.avail_out = (uInt)BUFFER_BYTES;
    int rc = inflate(&s->z, Z_NO_FLUSH);
    *ret_used = in - s->z.avail_in;
    *ret_made = BUFFER_BYTES - s->z.avail_out;
    if (rc == Z_STREAM_END)
        s->in_member = false;
    else if (rc == Z_MEM_ERROR)
        return -ENOMEM;
    else if (rc != Z_OK && rc != Z_BUF_ERROR)
        return -EBADMSG;
    return 0;
}

static int bzip2_step(struct darshan_stream *s, size_t *ret_used, size_t *ret_made)
{
    if (!s->in_member) {
        engine_end(s);
        memset(&s->bz, 0, sizeof s->bz);
        if (BZ2_bzDecompressInit(&s->bz, 0, 0) != BZ_OK)
            return -ENOMEM;
        s->has_engine = true;
        s->in_member = true;
    }
    unsigned in = (unsigned)(s->packed_end - s->packed_begin);
    s->bz.next_in = (char *)s->packed + s->packed_begin;
    s->bz.avail_in = in;
    s->bz.next_out = (char *)s->plain;
    s->bz.avail_out = (unsigned)BUFFER_BYTES;
    int rc = BZ2_bzDecompress(&s->bz);
    *ret_used = in - s->bz.avail_in;
    *ret_made = BUFFER_BYTES - s->bz.avail_out;
    if (rc == BZ_STREAM_END)
        s->in_member = false;
    else if (rc == BZ_MEM_ERROR)
        return -ENOMEM;
    else if (rc != BZ_OK)
        return -EBADMSG;
    return 0;
}

static void plain_step(struct darshan_stream *s, size_t *ret_used, size_t *ret_made)
{
    size_t size = s->packed_end - s->packed_begin;
    memcpy(s->plain, s->packed + s->packed_begin, size);
    *ret_used = size;
    *ret_made = size;
}

/* Fill plain, which is empty; false at the end. */
static bool advance(struct darshan_stream *s)
{
    while (!s->is_ended) {
        size_t used = 0;
        size_t made = 0;
        int rc = 0;
        if (s->in->until_ns && clock_monotonic_ns() >= s->in->until_ns) {
            stop(s, -ETIMEDOUT);
            return false;
        }
        bool holds_more = s->in_member && s->was_full;
        if (s->packed_begin == s->packed_end && !holds_more && !refill(s))
            return false;
        if (s->compression == DARSHAN_ZLIB)
            rc = zlib_step(s, &used, &made);
        else if (s->compression == DARSHAN_BZIP2)
            rc = bzip2_step(s, &used, &made);
        else
            plain_step(s, &used, &made);
        s->packed_begin += used;
        s->was_full = made == BUFFER_BYTES;
        if (rc < 0)
            stop(s, rc);
        else if (used == 0 && made == 0 && s->packed_begin < s->packed_end)
            stop(s, -EBADMSG); /* neither eats nor gives: it would go on for ever */
        s->begin = 0;
        s->end = made;
        s->made += made;
        if (s->made > s->bytes_max) {
            uint64_t over = s->made - s->bytes_max;
            s->end = over < made ? made - (size_t)over : 0;
            stop(s, -EFBIG);
        }
        if (s->end > 0)
            return true;
    }
    return false;
}

/* What is at hand, at most size bytes of it; 0 only at the end. */
static size_t at_hand(struct darshan_stream *s, size_t size)
{
    if (s->begin == s->end && !advance(s))
        return 0;
    size_t n = s->end - s->begin;
    return n < size ? n : size;
}

size_t darshan_stream_read(struct darshan_stream *s, void *out, size_t size)
{
    size_t got = 0;
    while (got < size) {
        size_t n = at_hand(s, size - got);
        if (n == 0)
            break;
        memcpy((char *)out + got, s->plain + s->begin, n);
        s->begin += n;
        got += n;
    }
    s->offset += got;
    return got;
}

uint64_t darshan_stream_skip(struct darshan_stream *s, uint64_t size)
{
    uint64_t got = 0;
    while (got < size) {
        uint64_t left = size - got;
        size_t n = at_hand(s, left < SIZE_MAX ? (size_t)left : SIZE_MAX);
        if (n == 0)
            break;
        s->begin += n;
        got += n;
    }
    s->offset += got;
    return got;
}

size_t darshan_stream_append(struct darshan_stream *s, struct strbuf *out, size_t size)
{
    size_t got = 0;
    while (got < size && strbuf_error(out) == 0) {
        size_t n = at_hand(s, size - got);
        if (n == 0)
            break;
        strbuf_add(out, s->plain + s->begin, n);
        s->begin += n;
        got += n;
    }
    s->offset += got;
    return got;
}

bool darshan_stream_text(struct darshan_stream *s, struct strbuf *out, size_t size_max)
{
    size_t got = 0;
    while (got <= size_max && strbuf_error(out) == 0) {
        size_t n = at_hand(s, size_max + 1 - got);
        if (n == 0)
            return false;
        const uint8_t *from = s->plain + s->begin;
        const uint8_t *nul = memchr(from, 0, n);
        size_t size = nul ? (size_t)(nul - from) : n;
        strbuf_add(out, from, size);
        s->begin += size + (nul ? 1 : 0);
        s->offset += size + (nul ? 1 : 0);
        if (nul)
            return true;
        got += size;
    }
    return false;
}

int darshan_stream_trouble(const struct darshan_stream *s)
{
    return s->trouble;
}

const char *darshan_trouble_text(int trouble)
{
    switch (trouble) {
    case -ENODATA:
        return "cut short";
    case -EBADMSG:
        return "damaged";
    case -EFBIG:
        return "larger than the limit";
    case -ENOMEM:
        return "out of memory";
    case -ETIMEDOUT:
        return "not read in time";
    default:
        return strerror(-trouble);
    }
}

uint64_t darshan_stream_offset(const struct darshan_stream *s)
{
    return s->offset;
}
