/* SPDX-License-Identifier: Apache-2.0 */
/* server_private - what the files of the server share with each other.
 *
 *     server ─▶ accept ─▶ slot, credentials, revoked ─▶ peer
 *       └─▶ request ─▶ identity ─▶ head ─▶ route
 *             └─▶ reply, stream ─▶ share, head, active
 *
 * Arrows go one way: a file calls those to its right, never back.
 */
#ifndef NET_SERVER_PRIVATE_H
#define NET_SERVER_PRIVATE_H

#include "base/number.h"
#include "net/active.h"
#include "net/body.h"
#include "net/certificate.h"
#include "net/credentials.h"
#include "net/listen.h"
#include "net/rate.h"
#include "net/revoked.h"
#include "net/server.h"

#include <microhttpd.h>
#include <stdatomic.h>

enum {
    ROUTES_MAX = 128,
    VARS_MAX = 4,
    QUERIES_MAX = 64,
    HEADERS_MAX = 8,
    REQUEST_ARENA_BYTES_MAX = 1024 * 1024,
    /* Of a refused body so much is read and thrown away, so that the response arrives;
     * a longer one gets the response at once and the connection closed. */
    DRAIN_BYTES_MAX = 2 * 1024 * 1024,
    /* A response up to this size belongs to its connection and is not charged. */
    RESPONSE_FREE_BYTES = 64 * 1024,
};
/* And so long: after it the connection is shut down without a response. */
#define DRAIN_NS (3 * NS_PER_S)

/* ---- the server ---- */

struct net_server {
    const struct net_opts *opts;
    struct token_key *key;     /* NULL: none configured */
    struct token_key *jwt_key; /* likewise */
    unsigned jwt_roles;        /* NET_ROLE_* */
    bool believes_claims;      /* roles that a JWT states are granted */
    struct credential_groups groups;
    struct access_rules *rules;
    struct sessions *sessions; /* NULL: no person signs in here */
    bool has_tls;
    struct strbuf tls_certificate, tls_key;
    struct certificate_warning tls_warning;

    struct revoked revoked;
    struct token_watch *tokens;
    struct rate *rate;
    net_limited_fn *limited;
    void *limited_arg;
    net_audit_fn *audit;
    void *audit_arg;

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

    struct peers peers;
    struct active active; /* handlers that run, and deferred requests */

    struct {
        _Atomic uint64_t requests, status[6], refused_full, swept_slow, body_bytes,
            body_bytes_decoded, rate_refusals, revoked_failures;
    } stats;
};

/* ---- one request ---- */

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
    bool is_draining; /* the response is known: the rest of the body is thrown away */
    uint64_t drained_bytes;

    int64_t half_closed_ns; /* when the peer was first seen to send no more; 0: not */
    bool is_handled;
    bool is_deferred;
    struct net_pair headers[HEADERS_MAX];
    size_t header_count;
    struct MHD_Response *response; /* set: responded */
    unsigned status;
};

#define RETRY_AFTER_S "5"

#endif
