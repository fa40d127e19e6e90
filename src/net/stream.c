/* SPDX-License-Identifier: Apache-2.0 */
/* stream - responses made while they are sent, and their compression. */
#include "base/span.h"
#include "net/reply.h"
#include "net/share.h"

#include <zlib.h>
#include <zstd.h>

enum {
    PIECE_BYTES = 64 * 1024,
    BUFFER_BYTES = 2 * PIECE_BYTES,
    ZSTD_LEVEL = 3,
    GZIP_LEVEL = 1,
    GZIP_WINDOW = 15 + 16, /* 32 KiB, with the head of gzip */
    GZIP_MEMORY_BYTES = 268 * 1024,
    /* The level's own window of 2 MiB makes a coder of 3.5 MiB. */
    ZSTD_WINDOW_LOG = 17,
    ZSTD_MEMORY_BYTES = 1700 * 1024, /* measured: 1697185, once it has begun */
};

enum coding {
    CODING_PLAIN,
    CODING_GZIP,
    CODING_ZSTD,
};

struct net_piece {
    struct net_stream stream;
    struct net_server *server;
    struct MHD_Connection *connection;
    struct net_request *request; /* may have gone where the stream is freed */
    int rc;                      /* of the piece that another thread made */
    struct budget_hold hold;
    struct peer *peer;
    enum coding coding;
    bool is_over; /* next has nothing more, and the coder was emptied */
    struct strbuf plain;
    struct strbuf pending; /* made and not sent: from sent on */
    size_t sent;
    z_stream gzip;
    ZSTD_CStream *zstd;
};

static void streaming_free(void *arg)
{
    struct net_piece *s = arg;
    if (s->stream.free)
        s->stream.free(s->stream.state);
    if (s->coding == CODING_GZIP)
        (void)deflateEnd(&s->gzip);
    (void)ZSTD_freeCStream(s->zstd);
    budget_hold_done(&s->hold);
    strbuf_done(&s->plain);
    strbuf_done(&s->pending);
    free(s);
}

/* ---- compression ---- */

static int pack_gzip(struct net_piece *s, int flush)
{
    s->gzip.next_in = (unsigned char *)s->plain.data;
    s->gzip.avail_in = (unsigned)s->plain.size;
    do {
        if (strbuf_reserve(&s->pending, PIECE_BYTES) < 0)
            return -ENOMEM;
        s->gzip.next_out = (unsigned char *)s->pending.data + s->pending.size;
        s->gzip.avail_out = PIECE_BYTES;
        if (deflate(&s->gzip, flush) == Z_STREAM_ERROR)
            return -EIO;
        s->pending.size += PIECE_BYTES - s->gzip.avail_out;
    } while (s->gzip.avail_out == 0);
    return 0;
}

static int pack_zstd(struct net_piece *s, ZSTD_EndDirective end)
{
    ZSTD_inBuffer in = { s->plain.data, s->plain.size, 0 };
    size_t left;
    do {
        if (strbuf_reserve(&s->pending, PIECE_BYTES) < 0)
            return -ENOMEM;
        ZSTD_outBuffer out = { s->pending.data + s->pending.size, PIECE_BYTES, 0 };
        left = ZSTD_compressStream2(s->zstd, &out, &in, end);
        if (ZSTD_isError(left))
            return -EIO;
        s->pending.size += out.pos;
    } while (in.pos < in.size || (end == ZSTD_e_end && left > 0));
    return 0;
}

/* ---- pieces ---- */

static uint64_t buffer_bytes(const struct strbuf *buffer)
{
    return buffer->capacity > BUFFER_BYTES ? buffer->capacity : BUFFER_BYTES;
}

/* What it holds: buffers, as large as they become, the coder, libmicrohttpd's block. */
static int charge(struct net_piece *s)
{
    uint64_t bytes = PIECE_BYTES + buffer_bytes(&s->pending);
    bytes += s->coding == CODING_PLAIN ? 0 : buffer_bytes(&s->plain);
    bytes += s->zstd ? ZSTD_sizeof_CStream(s->zstd) : 0;
    bytes += s->coding == CODING_GZIP ? GZIP_MEMORY_BYTES : 0;
    int rc = budget_hold_set(&s->hold, bytes);
    if (rc < 0 && s->hold.is_begun)
        share_report_cut(s->request, rc);
    return rc;
}

/* Fill pending, or find that it is over. */
static int make_piece(struct net_piece *s)
{
    bool is_plain = s->coding == CODING_PLAIN;
    struct strbuf *out = is_plain ? &s->pending : &s->plain;
    strbuf_clear(&s->pending);
    strbuf_clear(&s->plain);
    s->sent = 0;
    int rc = s->stream.next(s->stream.state, out);
    size_t size = out->size;
    s->is_over = size == 0;
    /* A short one may be all; to know it now saves the way to another thread. */
    if (rc == 0 && s->stream.submit && size > 0 && size < PIECE_BYTES / 2) {
        rc = s->stream.next(s->stream.state, out);
        s->is_over = out->size == size;
    }
    if (rc == 0)
        rc = strbuf_error(out);
    if (rc < 0)
        return rc;
    if (s->coding == CODING_GZIP)
        rc = pack_gzip(s, s->is_over ? Z_FINISH : Z_NO_FLUSH);
    if (s->coding == CODING_ZSTD)
        rc = pack_zstd(s, s->is_over ? ZSTD_e_end : ZSTD_e_continue);
    return rc;
}

void net_piece_make(struct net_piece *s)
{
    struct net_server *server = s->server;
    struct MHD_Connection *connection = s->connection;
    do {
        s->rc = make_piece(s);
        if (s->rc == 0)
            s->rc = charge(s);
    } while (s->rc == 0 && s->pending.size == 0 && !s->is_over);
    MHD_resume_connection(connection);
    active_end(&server->active);
}

/* Nothing to be sent until another thread has made it. */
static ssize_t submit_piece(struct net_piece *s)
{
    if (s->rc < 0 || !active_begin(&s->server->active))
        return MHD_CONTENT_READER_END_WITH_ERROR;
    peer_continue(s->peer, PEER_WAITING);
    MHD_suspend_connection(s->connection);
    s->stream.submit(s->stream.state, s);
    return 0;
}

static ssize_t read_piece(void *arg, uint64_t position, char *to, size_t size)
{
    struct net_piece *s = arg;
    (void)position;
    while (s->sent == s->pending.size && !s->is_over) {
        if (s->stream.submit)
            return submit_piece(s);
        if (make_piece(s) < 0 || charge(s) < 0)
            return MHD_CONTENT_READER_END_WITH_ERROR;
    }
    size_t left = s->pending.size - s->sent;
    if (left == 0)
        return MHD_CONTENT_READER_END_OF_STREAM;
    size = left < size ? left : size;
    memcpy(to, s->pending.data + s->sent, size);
    s->sent += size;
    s->peer->bytes += size;
    peer_continue(s->peer, PEER_RESPONSE);
    return (ssize_t)size;
}

/* ---- beginning ---- */

static bool accepts(struct span header, const char *wanted)
{
    struct span item;
    while (header.size) {
        (void)span_cut(&header, ',', &item);
        struct span name, parameters = item;
        (void)span_cut(&parameters, ';', &name);
        parameters = span_trim(parameters);
        if (span_is(span_trim(name), wanted))
            return !span_is(parameters, "q=0") && !span_starts(parameters, "q=0.0");
    }
    return false;
}

static enum coding negotiate(const struct net_request *r)
{
    struct span header = net_request_header(r, "Accept-Encoding");
    if (!header.data)
        return CODING_PLAIN;
    if (accepts(header, "zstd"))
        return CODING_ZSTD;
    return accepts(header, "gzip") ? CODING_GZIP : CODING_PLAIN;
}

/* Without memory for a coder the response goes as it is, and coders leave room for
 * further responses. */
static void start_coder(struct net_piece *s, enum coding coding)
{
    uint64_t bytes = coding == CODING_ZSTD ? ZSTD_MEMORY_BYTES : GZIP_MEMORY_BYTES;
    if (coding == CODING_PLAIN ||
        budget_hold_add_optional(&s->hold, BUFFER_BYTES + bytes) < 0)
        return;
    if (coding == CODING_ZSTD) {
        s->zstd = ZSTD_createCStream();
        if (s->zstd && !ZSTD_isError(ZSTD_initCStream(s->zstd, ZSTD_LEVEL)) &&
            !ZSTD_isError(
                ZSTD_CCtx_setParameter(s->zstd, ZSTD_c_windowLog, ZSTD_WINDOW_LOG)))
            s->coding = coding;
    }
    if (coding == CODING_GZIP &&
        deflateInit2(&s->gzip, GZIP_LEVEL, Z_DEFLATED, GZIP_WINDOW, 8,
                     Z_DEFAULT_STRATEGY) == Z_OK)
        s->coding = coding;
}

static int make_first(struct net_piece *s)
{
    int rc = 0;
    while (rc == 0 && s->pending.size == 0 && !s->is_over)
        rc = make_piece(s);
    return rc;
}

static void add_coding_headers(struct net_request *r, const struct net_piece *s)
{
    if (s->stream.coding == NET_STREAM_NEGOTIATED)
        net_reply_header(r, "Vary", "Accept-Encoding");
    if (s->coding != CODING_PLAIN)
        net_reply_header(r, "Content-Encoding",
                         s->coding == CODING_ZSTD ? "zstd" : "gzip");
}

int net_reply_stream(struct net_request *r, unsigned status, const char *content_type,
                     const struct net_stream *stream)
{
    struct net_piece *s = calloc(1, sizeof *s);
    if (!s) {
        stream->free(stream->state);
        net_reply_problem(r, 503, "out of memory");
        return 0;
    }
    s->stream = *stream;
    s->server = r->server;
    s->connection = r->connection;
    s->request = r;
    s->peer = r->peer;
    net_request_hold(r, r->server->responses, &s->hold);
    if (stream->coding == NET_STREAM_NEGOTIATED)
        start_coder(s, negotiate(r));
    int rc = stream->submit ? make_first(s) : 0;
    if (rc < 0) {
        streaming_free(s);
        return rc;
    }
    /* Where all of it is there: a response of known length, without a stream. */
    bool is_whole = s->is_over && s->pending.size > 0;
    rc = is_whole ? reply_charge(r, &s->pending) : charge(s);
    if (rc < 0) {
        streaming_free(s);
        reply_refuse(r, rc);
        return 0;
    }
    struct MHD_Response *response;
    s->hold.is_begun = true;
    if (is_whole)
        response = reply_whole(r, &s->pending);
    else
        response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, PIECE_BYTES,
                                                     read_piece, s, streaming_free);
    if (response)
        add_coding_headers(r, s);
    if (is_whole || !response)
        streaming_free(s);
    reply_hand_over(r, response, status, content_type);
    return 0;
}
