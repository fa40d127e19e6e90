/* SPDX-License-Identifier: Apache-2.0 */
/* link - a connection between two nodes: frames over TCP with TLS, or a unix socket. */
#include "session/link.h"

#include "base/span.h"
#include "session/address.h"
#include "session/message.h"
#include "wire/wire.h"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <xxhash.h>

#define READ_BYTES 65536
#define UNACKNOWLEDGED_MAX 1024 /* frames */
/* Before the peer has sent the half of what may wait, and with that waits itself:
 * whatever its own queue_bytes_max is. */
#define ACKNOWLEDGE_FRAMES (UNACKNOWLEDGED_MAX / 4)
#define ACKNOWLEDGE_BYTES (SESSION_QUEUE_BYTES_MIN / 4)

struct sent_frame {
    uint64_t sequence;
    size_t bytes;
};

struct session_link {
    union {
        uv_handle_t handle;
        uv_stream_t stream;
        uv_tcp_t tcp;
        uv_pipe_t pipe;
    };
    uv_connect_t connecting;
    uv_getaddrinfo_t *resolving; /* NULL: not now; has link as its data */
    const struct link_events *events;
    void *owner;
    struct session_tls *tls;
    struct session_tls_end *end;
    bool is_open, is_closing, was_full;
    bool is_accepted;
    size_t limit, queue_bytes_max;
    char *read_buffer;
    struct strbuf plain; /* received, not yet a whole frame */
    uint64_t received, sent;
    size_t unseen_bytes, unseen_frames; /* received since a frame was sent */
    struct sent_frame *unacknowledged;  /* a ring by sequence */
    uint64_t acknowledged;
    size_t waiting_bytes; /* of them */
};

struct write_request {
    uv_write_t request;
    struct strbuf bytes;
};

/* ---- the end ---- */

static void on_handle_closed(uv_handle_t *handle)
{
    struct session_link *link = handle->data;
    session_tls_close(link->end);
    strbuf_done(&link->plain);
    free(link->read_buffer);
    free(link->unacknowledged);
    free(link);
}

/* Nothing is read through data, which may be anything. */
struct session_link *link_of_handle(const uv_handle_t *handle)
{
    bool is_stream = handle->type == UV_TCP || handle->type == UV_NAMED_PIPE;
    bool is_link = is_stream && handle->data &&
                   (uintptr_t)handle->data + offsetof(struct session_link, handle) ==
                       (uintptr_t)handle;
    return is_link ? handle->data : NULL;
}

void link_close(struct session_link *link)
{
    if (link->is_closing)
        return;
    link->is_closing = true;
    link->owner = NULL;
    if (link->resolving) {
        link->resolving->data = NULL; /* it may come later */
        (void)uv_cancel((uv_req_t *)link->resolving);
    }
    uv_close(&link->handle, on_handle_closed);
}

static void link_fail(struct session_link *link, const char *reason)
{
    void *owner = link->owner;
    if (link->is_closing)
        return;
    link_close(link);
    if (owner)
        link->events->closed(owner, reason);
}

/* ---- writing ---- */

static void on_written(uv_write_t *request, int status)
{
    struct write_request *w = (struct write_request *)request;
    struct session_link *link = request->data;
    strbuf_done(&w->bytes);
    free(w);
    if (status < 0 && status != UV_ECANCELED)
        link_fail(link, uv_strerror(status));
}

/* Empties bytes.  What the socket does not accept at once is queued by libuv. */
static int write_bytes(struct session_link *link, struct strbuf *bytes)
{
    if (bytes->size == 0)
        return 0;
    struct write_request *w = calloc(1, sizeof *w);
    if (!w)
        return -ENOMEM;
    w->bytes = *bytes;
    *bytes = (struct strbuf)STRBUF_INIT;
    w->request.data = link;
    uv_buf_t buffer = uv_buf_init(w->bytes.data, (unsigned)w->bytes.size);
    int rc = uv_write(&w->request, &link->stream, &buffer, 1, on_written);
    if (rc < 0) {
        strbuf_done(&w->bytes);
        free(w);
    }
    return rc;
}

static void count_sent(struct session_link *link, size_t bytes)
{
    link->unacknowledged[link->sent % UNACKNOWLEDGED_MAX] =
        (struct sent_frame){ link->sent, bytes };
    link->waiting_bytes += bytes;
}

bool link_is_ready(const struct session_link *link)
{
    return !link->is_closing && link->is_open &&
           link->waiting_bytes < link->queue_bytes_max / 2 &&
           link->sent - link->acknowledged < UNACKNOWLEDGED_MAX / 2;
}

int link_send(struct session_link *link, uint8_t type, struct span body)
{
    AUTO(strbuf_done) struct strbuf frame = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf wire = STRBUF_INIT;
    if (link->is_closing || !link->is_open)
        return -EPIPE;
    if (body.size > SESSION_BODY_MAX)
        return -EMSGSIZE; /* the peer would end the connection */
    if (link->waiting_bytes + body.size > link->queue_bytes_max ||
        link->sent - link->acknowledged >= UNACKNOWLEDGED_MAX - 1) {
        link->was_full = true;
        return -ENOBUFS;
    }
    if (!link->unacknowledged)
        link->unacknowledged = calloc(UNACKNOWLEDGED_MAX, sizeof *link->unacknowledged);
    if (!link->unacknowledged)
        return -ENOMEM;
    const struct session_frame head = { .type = type,
                                        .sequence = link->sent + 1,
                                        .acknowledged = link->received,
                                        .body = body };
    session_frame_print(&head, link->tls ? SESSION_FRAME_BY_TLS : SESSION_FRAME_HASHED,
                        &frame);
    int rc = strbuf_error(&frame);
    size_t bytes = frame.size;
    if (rc == 0 && link->tls)
        rc = session_tls_write(link->end, strbuf_span(&frame), &wire);
    if (rc == 0)
        rc = write_bytes(link, link->tls ? &wire : &frame);
    if (rc < 0)
        return rc;
    link->sent++;
    link->unseen_bytes = link->unseen_frames = 0;
    count_sent(link, bytes);
    return 0;
}

/* ---- reading ---- */

static int acknowledge(struct session_link *link, uint64_t sequence)
{
    if (sequence > link->sent || sequence < link->acknowledged)
        return -EBADMSG;
    while (link->acknowledged < sequence) {
        link->acknowledged++;
        link->waiting_bytes -=
            link->unacknowledged[link->acknowledged % UNACKNOWLEDGED_MAX].bytes;
    }
    return 0;
}

static void report_drained(struct session_link *link)
{
    if (!link->was_full || !link_is_ready(link))
        return;
    link->was_full = false;
    link->events->drained(link->owner);
}

static int receive_frame(struct session_link *link, const struct session_frame *frame)
{
    if (frame->sequence != link->received + 1 ||
        acknowledge(link, frame->acknowledged) < 0)
        return -EBADMSG;
    link->received++;
    link->unseen_frames++;
    if (link->owner)
        link->events->frame(link->owner, frame->type, frame->body);
    return 0;
}

/* All whole frames of what was received.  The owner may close the link meanwhile. */
static void read_frames(struct session_link *link)
{
    struct err err = { .text = "its frames are out of order" };
    size_t done = 0, used = 0;
    int rc = 0;
    while (!link->is_closing && rc == 0) {
        struct session_frame frame;
        struct span rest = span_skip(strbuf_span(&link->plain), done);
        rc = session_frame_read(rest, link->limit,
                                link->tls ? SESSION_FRAME_BY_TLS : SESSION_FRAME_HASHED,
                                &frame, &used, &err);
        if (rc == 0) {
            done += used;
            rc = receive_frame(link, &frame);
        }
    }
    if (rc < 0)
        link_fail(link, err.text);
    if (link->is_closing)
        return;
    memmove(link->plain.data, link->plain.data + done, link->plain.size - done);
    link->plain.size -= done;
    if (link->plain.size == 0 && link->plain.capacity > READ_BYTES)
        strbuf_done(&link->plain);
    report_drained(link);
    if (link->unseen_bytes >= ACKNOWLEDGE_BYTES ||
        link->unseen_frames >= ACKNOWLEDGE_FRAMES)
        link->events->acknowledge(link->owner);
}

static void report_open(struct session_link *link)
{
    link->is_open = true;
    if (link->owner)
        link->events->opened(link->owner);
}

static void receive_bytes(struct session_link *link, struct span data)
{
    AUTO(strbuf_done) struct strbuf wire = STRBUF_INIT;
    struct err err = { 0 };
    int rc = 0;
    link->unseen_bytes += data.size;
    if (link->tls && !link->end)
        rc = session_tls_open(link->tls, TLS_ACCEPTS, &link->end);
    if (rc < 0) {
        link_fail(link, strerror(-rc));
        return;
    }
    if (link->tls)
        rc = session_tls_feed(link->end, data, &link->plain, &wire, &err);
    else
        strbuf_add_span(&link->plain, data);
    int written = write_bytes(link, &wire);
    if (rc == 0)
        rc = strbuf_error(&link->plain) < 0 ? -ENOMEM : written;
    if (rc < 0) {
        link_fail(link, err.text[0] ? err.text : strerror(-rc));
        return;
    }
    if (link->tls && !link->is_open && session_tls_is_open(link->end))
        report_open(link);
    if (!link->is_closing && link->plain.size)
        read_frames(link);
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *ret)
{
    struct session_link *link = handle->data;
    (void)suggested;
    if (!link->read_buffer)
        link->read_buffer = malloc(READ_BYTES);
    *ret = uv_buf_init(link->read_buffer, link->read_buffer ? READ_BYTES : 0);
}

static void on_read(uv_stream_t *stream, ssize_t size, const uv_buf_t *buffer)
{
    struct session_link *link = stream->data;
    if (size > 0)
        receive_bytes(link, (struct span){ buffer->base, (size_t)size });
    else if (size < 0)
        link_fail(link,
                  size == UV_EOF ? "it closed the connection" : uv_strerror((int)size));
    if (!link->is_closing && size > 0 && link->plain.size == 0) {
        free(link->read_buffer); /* many links are idle between triggers */
        link->read_buffer = NULL;
    }
}

/* ---- the beginning ---- */

static int link_begin(struct session_link *link)
{
    int rc = uv_read_start(&link->stream, on_alloc, on_read);
    if (rc < 0)
        return rc;
    if (!link->tls) {
        report_open(link);
        return 0;
    }
    if (link->is_accepted)
        return 0; /* who sends nothing needs no TLS */
    rc = session_tls_open(link->tls, TLS_CONNECTS, &link->end);
    if (rc == 0)
        receive_bytes(link, SPAN(""));
    return rc;
}

static int link_new(const struct link_opts *opts, struct session_link **ret)
{
    struct session_link *link = calloc(1, sizeof *link);
    if (!link)
        return -ENOMEM;
    link->events = opts->events;
    link->tls = opts->tls;
    link->limit = SESSION_HELLO_MAX;
    link->queue_bytes_max = opts->queue_bytes_max;
    int rc = opts->tls ? uv_tcp_init(opts->loop, &link->tcp)
                       : uv_pipe_init(opts->loop, &link->pipe, 0);
    if (rc < 0) {
        free(link);
        return rc;
    }
    link->handle.data = link;
    *ret = link;
    return 0;
}

bool link_is_proven(const struct session_link *link)
{
    return !link->tls || (link->end && session_tls_has_key(link->end));
}

int link_exporter(struct session_link *link, uint8_t ret[static TLS_EXPORTER_BYTES])
{
    if (!link->tls)
        return -EOPNOTSUPP;
    return link->end && link->is_open ? session_tls_exporter(link->end, ret) : -EPIPE;
}

/* A listener of both families has the peers of IPv4 in 64 bits that all of them share.
 */
uint64_t link_source_of(const struct sockaddr_storage *peer)
{
    const struct in6_addr *address = &((const struct sockaddr_in6 *)peer)->sin6_addr;
    uint32_t ipv4;
    if (peer->ss_family != AF_INET6)
        return ((const struct sockaddr_in *)peer)->sin_addr.s_addr;
    if (!IN6_IS_ADDR_V4MAPPED(address))
        return XXH3_64bits(address, 8);
    memcpy(&ipv4, &address->s6_addr[12], sizeof ipv4);
    return ipv4;
}

uint64_t link_source(const struct session_link *link)
{
    struct sockaddr_storage peer = { 0 };
    int size = sizeof peer;
    if (!link->tls ||
        uv_tcp_getpeername(&link->tcp, (struct sockaddr *)&peer, &size) < 0)
        return 0;
    return link_source_of(&peer);
}

void link_set_owner(struct session_link *link, void *owner)
{
    link->owner = owner;
}

void link_set_limit(struct session_link *link, size_t body_bytes_max)
{
    link->limit = body_bytes_max;
}

static void on_connected(uv_connect_t *request, int status)
{
    struct session_link *link = request->data;
    if (link->is_closing)
        return;
    if (status == 0)
        status = link_begin(link);
    if (status < 0)
        link_fail(link, uv_strerror(status));
}

static void on_resolved(uv_getaddrinfo_t *request, int status, struct addrinfo *found)
{
    struct session_link *link = request->data;
    free(request);
    if (link)
        link->resolving = NULL;
    if (link && status == 0)
        status =
            uv_tcp_connect(&link->connecting, &link->tcp, found->ai_addr, on_connected);
    if (link && status < 0)
        link_fail(link, uv_strerror(status));
    uv_freeaddrinfo(found);
}

/* A resolver may wait for a server of names that is away: a thread of libuv does. */
static int resolve_address(struct session_link *link, uv_loop_t *loop,
                           const char *address)
{
    struct address_parts parts;
    const struct addrinfo hints = { .ai_socktype = SOCK_STREAM,
                                    .ai_flags = AI_NUMERICSERV };
    int rc = address_split(address, &parts);
    uv_getaddrinfo_t *request = rc == 0 ? calloc(1, sizeof *request) : NULL;
    if (!request)
        return rc < 0 ? rc : -ENOMEM;
    request->data = link;
    rc = uv_getaddrinfo(loop, request, on_resolved, parts.host, parts.port, &hints);
    if (rc < 0)
        free(request);
    else
        link->resolving = request;
    return rc;
}

int link_connect(const struct link_opts *opts, const char *address, void *owner,
                 struct session_link **ret)
{
    struct session_link *link = NULL;
    const char *path = address_path(address);
    int rc = link_new(opts, &link);
    if (rc < 0)
        return rc;
    link->connecting.data = link;
    link->owner = owner;
    if (path)
        uv_pipe_connect(&link->connecting, &link->pipe, path, on_connected);
    else
        rc = resolve_address(link, opts->loop, address);
    if (rc < 0) {
        link_close(link);
        return rc;
    }
    *ret = link;
    return 0;
}

/* A unix socket has no key: its peer runs as this user, or as root. */
static int check_peer(const struct session_link *link)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    uv_os_fd_t fd;
    if (uv_fileno(&link->handle, &fd) < 0 ||
        getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0)
        return -EACCES;
    return peer.uid == geteuid() || peer.uid == 0 ? 0 : -EACCES;
}

int link_accept(const struct link_opts *opts, uv_stream_t *listener,
                struct session_link **ret)
{
    struct session_link *link = NULL;
    int rc = link_new(opts, &link);
    if (rc < 0)
        return rc;
    link->is_accepted = true;
    rc = uv_accept(listener, &link->stream);
    if (rc == 0 && !opts->tls)
        rc = check_peer(link);
    if (rc == 0)
        rc = link_begin(link);
    if (rc < 0) {
        link_close(link);
        return rc;
    }
    *ret = link;
    return 0;
}
