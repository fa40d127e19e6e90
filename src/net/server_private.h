/* SPDX-License-Identifier: Apache-2.0 */
/* server_private - what the files of the server share with each other.
 *
 *     accept.c    the accepting thread: listeners, sweeping
 *     pace.c      how fast a peer must be
 *     place.c     which connection may have a place
 *     request.c   libmicrohttpd's callbacks: head, body, answer
 *     framing.c   heads that could be understood in two ways
 *     reply.c     the answers
 *     stream.c    answers made while they are sent, and their compression
 *     identity.c  who a peer is
 *     listen.c    addresses and sockets
 *     rate.c      how much each sender may still ask for
 *     route.c     the table
 *     server.c    options, start, stop
 *     share.c     what one sender may hold of the memory
 */
#ifndef NET_SERVER_PRIVATE_H
#define NET_SERVER_PRIVATE_H

#include "base/number.h"
#include "net/body.h"
#include "net/certificate.h"
#include "net/pace.h"
#include "net/rate.h"
#include "net/server.h"

#include <microhttpd.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <sys/un.h>
#include <time.h>

enum {
    LISTENERS_MAX = 16,
    ROUTES_MAX = 128,
    VARS_MAX = 4,
    QUERIES_MAX = 64,
    HEADERS_MAX = 8,
    PLACE_MAX = INET6_ADDRSTRLEN + 4,
    REQUEST_ARENA_BYTES_MAX = 1024 * 1024,
    /* Of a refused body so much is read and thrown away, so that the answer arrives;
     * a longer one gets the answer at once and the connection closed. */
    DRAIN_BYTES_MAX = 2 * 1024 * 1024,
    /* A response up to this size belongs to its connection and is not charged. */
    RESPONSE_FREE_BYTES = 64 * 1024,
};
/* And so long: after it the connection is shut down without an answer. */
#define DRAIN_NS (3 * NS_PER_S)

/* ---- listeners ---- */

struct listener {
    int fd; /* -1: not open */
    bool is_loopback;
    unsigned port; /* 0: unix */
    socklen_t address_size;
    union {
        struct sockaddr any;
        struct sockaddr_in in4;
        struct sockaddr_in6 in6;
        struct sockaddr_un un;
    } address;
    const char *text; /* as configured */
};

int listener_parse_tcp(const char *text, struct listener *ret, struct err *err);
int listener_parse_unix(const char *path, struct listener *ret, struct err *err);
int listener_open(struct listener *listener, struct err *err);
void listener_close(struct listener *listener);

/* ---- peers: one for each connection ---- */

enum peer_phase {
    PEER_HEAD,    /* connected, the first head is not complete */
    PEER_IDLE,    /* between two requests */
    PEER_BODY,    /* sends a body */
    PEER_REFUSED, /* sends the rest of a body that was refused */
    PEER_WAITING, /* for us: never swept */
    PEER_ANSWER,  /* takes our answer */
    PEER_CLOSING, /* shut down by us */
};

struct peer {
    struct peer *previous, *next; /* under server->peers_lock */
    int fd;
    bool is_local, is_admin, is_scheduler;
    bool is_started; /* libmicrohttpd has it: there is a descriptor to be shut down */
    uid_t uid;
    bool is_tcp_loopback;
    /* A valid token was seen, or none is configured; of the unix socket: is admin or
     * scheduler. */
    _Atomic bool is_known;
    _Atomic uint64_t sender; /* whose token; 0: none yet */
    char place[PLACE_MAX];   /* "192.0.2.1", "2001:db8::/64", "uid 0" */
    uint64_t place_key;      /* of place, for rate.c */
    _Atomic unsigned phase;
    _Atomic int64_t since_ns; /* when this phase began, monotonic */
    _Atomic uint64_t bytes;   /* moved in this phase, or to be moved */
    /* The sweep's own: */
    int64_t unread_ns; /* when bytes were last seen to wait for us */
    struct pace pace;
};

void peer_enter(struct peer *peer, enum peer_phase phase);
/* Into another phase of the same response: since_ns and bytes go on. */
void peer_continue(struct peer *peer, enum peer_phase phase);

/* ---- the server ---- */

struct net_server {
    const struct net_opts *opts;
    struct token_key *key;     /* NULL: none configured */
    struct token_key *jwt_key; /* likewise */
    unsigned jwt_roles;        /* NET_ROLE_* */
    gid_t admin_gid, scheduler_gid;
    bool has_admin_gid, has_scheduler_gid;
    bool has_tls;
    struct strbuf tls_certificate, tls_key;
    struct certificate_warning tls_warning;

    pthread_mutex_t revoked_lock;
    struct hashmap revoked;
    struct timespec revoked_mtime;

    struct token_watch *tokens;
    struct rate *rate;
    net_limited_fn *limited;
    void *limited_arg;

    const char *refusal_prefix; /* NULL: none */
    net_refusal_fn *refusal;
    struct budget_account own_requests, own_responses;
    struct budget_account *requests, *responses;

    struct net_route routes[ROUTES_MAX];
    size_t route_count;

    struct listener listeners[LISTENERS_MAX];
    size_t listener_count;
    struct MHD_Daemon *plain, *tls; /* tls: NULL when there is none */
    struct strbuf description;

    bool has_thread;
    pthread_t thread;
    int wake_fd; /* eventfd: the accepting thread shall end */

    pthread_mutex_t peers_lock;
    struct peer *peers;

    pthread_mutex_t active_lock;
    pthread_cond_t active_none;
    size_t active_count; /* handlers that run, and deferred requests */
    bool is_closed;      /* no handler is called any more */

    struct {
        _Atomic uint64_t requests, status[6], refused_full, swept_slow, body_bytes,
            body_bytes_decoded, rate_refusals, revoked_failures;
    } stats;
};

/* accept.c */
/* The peer has shown a valid token.  Errors: -EAGAIN (its sender has its share of the
 * connections). */
int peer_authenticate(struct net_server *server, struct peer *peer, uint64_t sender);
int accept_start(struct net_server *server, struct err *err);
void accept_stop(struct net_server *server);
void peer_notify(void *arg, struct MHD_Connection *connection, void **socket_context,
                 enum MHD_ConnectionNotificationCode code);

/* identity.c: Errors: -EPERM (who are you?), -EACCES (you may not), -EUSERS (too many
 * wrong tokens from there: this one was not looked at). */
int identity_find(struct net_request *request, struct err *err);
void identity_read_credentials(const struct net_server *server, struct peer *peer);
/* Read the revocation list again when the file has changed. */
int revoked_refresh(struct net_server *server, struct err *err);

/* share.c: why the request has no memory, where rc is about its own hold; false: it is
 * about something else. */
bool share_reply_refused(struct net_request *request, int rc);
/* A response that had begun was cut off: rc says why there was no memory for it. */
void share_tell_cut(const struct net_request *request, int rc);
/* The sender is to slow down. */
void net_request_limited(struct net_request *request, const char *reason,
                         const char *key);

/* framing.c: what is wrong with the head's framing; NULL: nothing. */
const char *framing_find(struct MHD_Connection *connection, const char *version);

/* route.c: the route, or NULL with 404, or 405 and the methods in allow. */
const struct net_route *route_find(struct net_request *request, const char *method,
                                   unsigned *ret_status, struct strbuf *allow);
/* Percent-decode into the arena.  Errors: -EINVAL, -EMSGSIZE. */
int route_decode(struct arena *arena, struct span text, bool is_query,
                 struct span *ret);

#define RETRY_AFTER_S "5"

/* reply.c: charge a body over RESPONSE_FREE_BYTES, cut to its size, until the request
 * has ended.  Errors: those of budget_hold_set(). */
int reply_charge(struct net_request *request, struct strbuf *body);
/* There was no memory for the response: rc says why. */
void reply_refuse(struct net_request *request, int rc);
/* Of known length; body's memory is taken over.  NULL: memory is out. */
struct MHD_Response *reply_whole(struct net_request *request, struct strbuf *body);
/* The answer is complete, or begins. */
void reply_hand_over(struct net_request *request, struct MHD_Response *response,
                     unsigned status, const char *content_type);

/* request.c */
struct net_pair {
    struct span name, value;
};

struct net_request {
    struct net_server *server;
    struct MHD_Connection *connection;
    struct peer *peer;
    const struct net_route *route;
    struct arena arena;
    const char *method;
    struct span raw_path; /* as sent, without the query */
    struct span path;
    struct net_pair vars[VARS_MAX];
    size_t var_count;
    struct net_pair *queries;
    size_t query_count;
    struct net_identity identity;
    uint64_t rate_key;    /* whose bucket it is charged to ... */
    double rate_fraction; /* ... and how much of what it asks for */
    struct token token;

    struct body *body;
    bool has_state; /* route->body->begin succeeded */
    void *state;
    uint64_t body_bytes;
    size_t charge_handler;
    struct budget_hold hold, response_hold;
    bool is_draining; /* the answer is known: the rest of the body is thrown away */
    uint64_t drained_bytes;

    int64_t half_closed_ns; /* when the peer was first seen to send no more; 0: not */
    bool is_handled;
    bool is_deferred;
    struct net_pair headers[HEADERS_MAX];
    size_t header_count;
    struct MHD_Response *response; /* set: answered */
    unsigned status;
};

enum MHD_Result request_access(void *arg, struct MHD_Connection *connection,
                               const char *url, const char *method, const char *version,
                               const char *data, size_t *size, void **state);
void request_completed(void *arg, struct MHD_Connection *connection, void **state,
                       enum MHD_RequestTerminationCode code);
/* May a handler, or another thread, work for a request?  If so, request_ended() is due.
 */
bool request_may_begin(struct net_server *server);
/* A handler has returned without deferring, or a deferred request was answered. */
void request_ended(struct net_server *server);
size_t request_unescape_nothing(void *arg, struct MHD_Connection *connection,
                                char *text);

#endif
