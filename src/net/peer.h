/* SPDX-License-Identifier: Apache-2.0 */
/* peer - one connection: who is at its other end, and what it is doing.
 *
 *     HEAD ─▶ BODY ─▶ WAITING ─▶ RESPONSE ─▶ IDLE ─▶ (the next head)
 *       └──▶ REFUSED (the rest of its body is thrown away)     any ─▶ CLOSING
 *
 * Threads  phase, since_ns and bytes are written by the connection's HTTP thread and
 *          read by the sweep; the list is under its lock.
 */
#ifndef NET_PEER_H
#define NET_PEER_H

#include "net/pace.h"

#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

enum { ORIGIN_MAX = INET6_ADDRSTRLEN + 4 };

enum peer_phase {
    PEER_HEAD,     /* connected, the first head is not complete */
    PEER_IDLE,     /* between two requests */
    PEER_BODY,     /* sends a body */
    PEER_REFUSED,  /* sends the rest of a body that was refused */
    PEER_WAITING,  /* for us: never swept */
    PEER_RESPONSE, /* reads our response */
    PEER_CLOSING,  /* shut down by us */
};

struct peer {
    struct peer *previous, *next; /* under the lock of struct peers */
    int fd;
    bool is_local, is_admin, is_scheduler;
    bool is_started; /* libmicrohttpd owns it: there is a descriptor to be shut down */
    uid_t uid;
    bool is_tcp_loopback;
    /* A valid token was seen, or none is configured; of the unix socket: is admin or
     * scheduler. */
    _Atomic bool is_known;
    _Atomic uint64_t sender; /* whose token; 0: none yet */
    char origin[ORIGIN_MAX]; /* "192.0.2.1", "2001:db8::/64", "uid 0" */
    uint64_t origin_key;     /* of origin, for rate.c */
    _Atomic unsigned phase;
    _Atomic int64_t since_ns; /* when this phase began, monotonic */
    _Atomic uint64_t bytes;   /* moved in this phase, or to be moved */
    /* The sweep's own: */
    int64_t unread_ns; /* when bytes were last seen to wait for us */
    struct pace pace;
};

/* All connections, the newest first. */
struct peers {
    pthread_mutex_t lock;
    struct peer *first;
};

void peers_init(struct peers *peers);
void peers_done(struct peers *peers);

/* On the list until peers_unlink(), or until another one with its descriptor is linked:
 * then libmicrohttpd has closed it without ever starting it, and it is freed. */
void peers_link(struct peers *peers, struct peer *peer);
void peers_unlink(struct peers *peers, struct peer *peer);
/* The peer with this descriptor, from now on started; NULL: there is none. */
struct peer *peers_start(struct peers *peers, int fd);
/* Is a handler at work for one, or a response on its way? */
bool peers_are_busy(struct peers *peers);

struct peer_counts {
    uint64_t tcp, tcp_unauthenticated, local;
};
void peers_count(struct peers *peers, struct peer_counts *ret);

void peer_enter(struct peer *peer, enum peer_phase phase);
/* Into another phase of the same response: since_ns and bytes go on. */
void peer_continue(struct peer *peer, enum peer_phase phase);
/* Ends the connection; its HTTP thread frees it.  Call with the lock of peers held, so
 * that the descriptor is still the peer's own. */
void peer_shut_down(struct peer *peer);

#endif
