/* SPDX-License-Identifier: Apache-2.0 */
/* link - a connection between two nodes: frames over TCP with TLS, or a unix socket.
 *
 *     uv_stream ─▶ (TLS) ─▶ bytes ─▶ frames, sequence checked ─▶ frame
 *     send ─▶ frame ─▶ (TLS) ─▶ uv_write;  counted until the peer acknowledges it
 *
 * What was sent and is not acknowledged is bounded: a peer that reads nothing, or reads
 * and does nothing, is slow, and a link to it is not ready.
 * Threads  all on the loop's.
 */
#ifndef SESSION_LINK_H
#define SESSION_LINK_H

#include "base/err.h"
#include "base/span_type.h"
#include "session/tls.h"

#include <uv.h>

struct session_link;

struct link_events {
    void (*opened)(void *owner); /* connected: frames may be sent */
    void (*frame)(void *owner, uint8_t type, struct span body);
    void (*closed)(void *owner, const char *reason); /* the last call */
    void (*drained)(void *owner);                    /* ready again after it was not */
    /* The peer has sent much, and had no frame that acknowledges it. */
    void (*acknowledge)(void *owner);
};

struct link_opts {
    uv_loop_t *loop;
    struct session_tls *tls; /* NULL: unix sockets */
    const struct link_events *events;
    size_t queue_bytes_max;
};

/* address: "HOST:PORT" or "unix:PATH".  Errors: -EINVAL, -ENOMEM, errno of connect. */
int link_connect(const struct link_opts *opts, const char *address, void *owner,
                 struct session_link **ret);
/* From a listener's connection callback.  link_set_owner() follows.  Errors: errno of
 * accept, -EACCES (a unix socket of another user). */
int link_accept(const struct link_opts *opts, uv_stream_t *listener,
                struct session_link **ret);
void link_set_owner(struct session_link *link, void *owner);
/* Of which link it is the handle; NULL: it is of something else. */
struct session_link *link_of_handle(const uv_handle_t *handle);
/* No call follows; what is queued is dropped but for what fits the socket now. */
void link_close(struct session_link *link);
/* Errors: -ENOBUFS (the bound), -EMSGSIZE (over SESSION_BODY_MAX), -EPIPE, -ENOMEM. */
int link_send(struct session_link *link, uint8_t type, struct span body);
bool link_is_ready(const struct session_link *link);
/* Whether its peer has shown the session's key, or runs as a user who may connect. */
bool link_is_proven(const struct session_link *link);
/* Where its peer is, without the port: the same for all connections of one host, or of
 * one /64 of IPv6.  An IPv4 peer of a listener of both families is one of IPv4. */
uint64_t link_source(const struct session_link *link);
uint64_t link_source_of(const struct sockaddr_storage *peer);
/* Bytes that both ends have and no other connection has.  Errors: -EOPNOTSUPP (a unix
 * socket), -EPIPE. */
int link_exporter(struct session_link *link, uint8_t ret[static TLS_EXPORTER_BYTES]);
/* Frames up to this length are read from now on. */
void link_set_limit(struct session_link *link, size_t body_bytes_max);

#endif
