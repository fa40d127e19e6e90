/* SPDX-License-Identifier: Apache-2.0 */
/* server - HTTP for the daemons: listeners, a route table, bodies as streams, limits.
 *
 *     net_server_new ─▶ net_server_add_route ... ─▶ net_server_start ─▶ net_server_free
 *
 * A handler is called on an HTTP thread once the body is complete.  It responds with
 * one of net_reply*(), or calls net_request_defer() and lets any other thread respond
 * later: no HTTP thread ever waits for a database.  A body is given to the route's
 * net_body in decoded pieces (zstd and gzip undone) while it arrives.
 *
 * Who may do what (doc/decisions/0030):
 *     unix socket   root, the daemon's own user and members of socket_group are admin;
 *                   members of scheduler_group scheduler and reader; everybody else who
 *                   can open it is reader, or a user by its uid; a proxy is whom it
 *                   names (access/access_rules.h)
 *     TCP           the role of the bearer token; without a configured key, loopback
 *                   only, and everybody there is reader
 * A listener on another address without a key, or without TLS and without
 * "plaintext = yes", is refused at start.
 *
 * Threads  one that accepts and sweeps out slow peers, opts.threads for HTTP.
 * Limits   every one of them is in struct net_opts.
 */
#ifndef NET_SERVER_H
#define NET_SERVER_H

#include "access/access.h"
#include "base/arena.h"
#include "base/config.h"
#include "base/err.h"
#include "base/strbuf.h"
#include "base/system/budget.h"
#include "net/token/token.h"

#include <sys/types.h>

/* ---- options: the section [net] ---- */

/* Where a server listens that names no address. */
#define NET_LISTEN_DEFAULT "127.0.0.1:8091"

struct net_opts {
    struct config_list listen; /* "127.0.0.1:8091", "[::1]:8091", "0.0.0.0:8091" */
    const char *socket;        /* path of the unix socket; "" or NULL: none */
    /* Mode 0600, and who is neither root nor this process's user gets 403: of programs
     * of a user's own, in no configuration. */
    bool socket_is_private;
    const char *socket_group;     /* whose members are admin; "" or NULL: none */
    const char *scheduler_group;  /* whose members are scheduler; missing: none */
    const char *key;              /* file of the public key that signed the tokens */
    const char *jwt_public_key;   /* base64 of 32 bytes: ClusterCockpit's tokens */
    struct config_list jwt_roles; /* permissions granted by one; "claims": its own */
    const char *token_cookie;     /* of browsers, for GET; "" or NULL: none is read */
    const char *revoked; /* file of revoked token ids; read again when changed */
    const char *tls_certificate, *tls_key; /* PEM files, both or none */
    bool plaintext;                        /* listen beyond loopback without TLS */
    uint64_t threads;                      /* 0: one a core, at most 8 */
    uint64_t connections_max;        /* of all TCP listeners; see place.h for shares */
    uint64_t socket_connections_max; /* of the unix socket */
    uint64_t body_bytes_max;         /* of one body, compressed and decoded alike */
    uint64_t body_budget_bytes;     /* of all requests together: net_request_charge() */
    uint64_t response_budget_bytes; /* of all responses that are not sent yet */
    /* Where these two are counted; NULL: in accounts of the server's own. */
    struct budget_account *requests, *responses;
    uint64_t ratio_max;       /* decoded bytes per compressed byte, beyond 1 MiB */
    int64_t head_timeout_ns;  /* from the connection's start to a complete head */
    int64_t idle_timeout_ns;  /* between two requests, and of a reader that stops */
    int64_t body_grace_ns;    /* a body may be slow for so long ... */
    uint64_t body_rate_min;   /* ... at a time; it must move so many bytes a second, as
                               * must who reads a response */
    int64_t response_time_ns; /* from its beginning to the last byte; 0: no limit */
    /* Of each sender, in a second and at once; a rate of 0: no limit.  Senders are told
     * apart by their token's host, else their token, else by uid or address (an IPv6
     * /64). */
    uint64_t rate_requests, rate_requests_burst;
    uint64_t rate_bytes, rate_bytes_burst; /* of bodies, as sent */
    uint64_t rate_gateway;     /* times as much, for a sender that carries many hosts */
    uint64_t rate_failures;    /* tokens that are not believed, a minute and address */
    struct access_opts access; /* the section [access] */
};

extern const struct config_section net_config_section;

/* The defaults of the table, for programs without a configuration. */
void net_opts_default(struct net_opts *opts);

/* ---- the server ---- */

/* What a connection may take, its small responses included. */
#define NET_CONNECTION_BYTES (UINT64_C(128) * 1024)

struct net_server;
struct net_request; /* one request, from its head to the end of its response */

/* opts and what it points to must outlive the server.
 * Errors: -EINVAL (an address, a listener that would be open to all), -EACCES (a key
 * file), -ENOMEM; each with a line in err. */
int net_server_new(const struct net_opts *opts, struct net_server **ret,
                   struct err *err);
/* Bind, listen, start the threads.  Errors: what bind says (-EADDRINUSE), -EIO. */
int net_server_start(struct net_server *server, struct err *err);
/* Take no new connection, wait until every deferred request was responded to (so stop
 * the responding threads after this began, or have nothing deferred), close, free. */
void net_server_free(struct net_server *server);
/* Be notified of every sender that comes over a limit, on an HTTP thread or a worker:
 * so fn must not wait.  reason: what it does ("sends too many requests"); outcome: what
 * came of it ("gets 429 (slow down)", "had a response cut off"); key: the
 * setting that limits it ("rate_requests in [net]").  Before net_server_start. */
typedef void net_limited_fn(void *arg, const char *sender, const char *reason,
                            const char *outcome, const char *key);
void net_server_on_limited(struct net_server *server, net_limited_fn *fn, void *arg);
DEFINE_AUTO(struct net_server, net_server_free);

/* A request of an authenticated client for a route that is for admins alone, and what
 * came of it: 403 for others; or a sign-in.  Texts are valid during the call. */
struct net_audit {
    const char *method, *route; /* the route's pattern */
    struct span query;          /* "name=value&...", decoded: any bytes */
    unsigned status;
    const char *role;
    struct span user;   /* size 0: not known */
    const char *token;  /* its id; "": none was shown */
    const char *origin; /* "192.0.2.1", "uid 0" */
    bool is_bounded;    /* no client can cause many: of refusals, too, each is logged */
    bool is_outage;     /* something is away, for every client: seldom logged */
};
/* fn is called on HTTP threads, and must not wait.  Before net_server_start. */
typedef void net_audit_fn(void *arg, const struct net_audit *audit);
void net_server_on_audit(struct net_server *server, net_audit_fn *fn, void *arg);
/* POST /api/free: 200; role=admin user=null token="8c5a..." from="uid 0" query="to=1"
 *
 * Values are JSON: one line, whatever a client put into a parameter. */
void net_audit_print(const struct net_audit *audit, struct strbuf *out);

/* What is refused below prefix ("/api/") is refused in the words of the server that
 * clients know there: fn gives the body, as plain text, or NULL for a problem after
 * all. Before net_server_start; prefix stays.  has_token: the request shows one. */
typedef const char *net_refusal_fn(unsigned status, bool has_token);
void net_server_refuse_below(struct net_server *server, const char *prefix,
                             net_refusal_fn *fn);

/* The port of listener index, useful after ":0"; 0 when there is none. */
unsigned net_server_port(const struct net_server *server, size_t index);
/* One line for the log: where it listens, what it asks of peers. */
const char *net_server_describe(const struct net_server *server);
/* One line for the log about a certificate that has expired, or soon will; "": none. */
const char *net_server_warning(const struct net_server *server);

/* Persons who sign in here have a cookie with a session (net/token/session.h), which is
 * read in GET and HEAD.  It outlives the server.  Before net_server_start.
 * Errors: -EINVAL (a listener shows all to every client anyway: err has the remedy). */
int net_server_accept_sessions(struct net_server *server, struct sessions *sessions,
                               struct err *err);

/* The tokens that were shown to it; as long as the server. */
struct token_watch;
struct token_watch *net_server_tokens(struct net_server *server);

struct net_stats {
    uint64_t connections, connections_max; /* TCP, open now */
    uint64_t connections_unauthenticated;  /* of these; half of them at most */
    uint64_t connections_socket, connections_socket_max;
    uint64_t requests;     /* since start, as all below */
    uint64_t status[6];    /* responses 1xx .. 5xx by first digit */
    uint64_t refused_full; /* connections closed because there were too many */
    uint64_t swept_slow;   /* connections closed because they were too slow */
    uint64_t body_bytes;   /* as received */
    uint64_t body_bytes_decoded;
    uint64_t budget_bytes; /* of requests, charged now */
    uint64_t budget_refusals;
    uint64_t response_bytes; /* of responses, charged now */
    uint64_t response_refusals;
    uint64_t rate_refusals; /* responses 429 for a rate */
    uint64_t rate_senders, rate_senders_max, rate_forgotten; /* of the table of rates */
    uint64_t revoked_failures; /* the list could not be read again: the old one holds */
};
void net_server_stats(const struct net_server *server, struct net_stats *ret);

/* ---- routes ---- */

/* How a route takes a body.  All run on one HTTP thread, in order. */
struct net_body {
    /* The head is complete and allowed.  *ret_state is the route's own.  A negative
     * return refuses the request with that error. */
    int (*begin)(void *arg, struct net_request *request, void **ret_state,
                 struct err *err);
    /* A decoded piece.  A negative return refuses the request; what follows of the
     * body is read and thrown away. */
    int (*data)(void *state, struct net_request *request, const void *data, size_t size,
                struct err *err);
    /* Always called once after a successful begin, after the response was sent or the
     * peer went away, on an HTTP thread. */
    void (*free)(void *state);
};

typedef void net_handler_fn(void *arg, struct net_request *request);

struct net_route {
    const char *method;  /* "GET" (also serves HEAD), "POST" */
    const char *pattern; /* "/v1/jobs/{id}": a brace is one whole segment */
    unsigned roles;      /* NET_ROLE_* that may; admin may always; 0: all */
    net_handler_fn *handle;
    const struct net_body *body;      /* NULL: a body is refused */
    const char *const *content_types; /* NULL-terminated; NULL: any */
    bool has_snappy; /* a Content-Encoding of snappy is legal, and is the route's own to
                        decode: its pieces come as they were sent */
    bool is_audited; /* by administrators, too, where others may */
    void *arg;
};

/* Before net_server_start.  The route is copied, its texts are not.  Errors: -ENOMEM.
 */
int net_server_add_route(struct net_server *server, const struct net_route *route);
/* Those that were added, in their order; the server's. */
const struct net_route *net_server_routes(const struct net_server *server,
                                          size_t *ret_count);

/* ---- inside a handler ---- */

struct net_identity {
    bool is_local; /* by the unix socket: uid is known */
    uid_t uid;
    const struct token *token;   /* NULL: none was shown */
    struct access_client client; /* its roles, and whose jobs it sees */
};

const struct net_identity *net_request_identity(const struct net_request *request);
const char *net_request_method(const struct net_request *request);
struct span net_request_path(const struct net_request *request); /* decoded */
/* Data NULL when there is none.  Path variables and queries are percent-decoded. */
struct span net_request_var(const struct net_request *request, const char *name);
struct span net_request_query(const struct net_request *request, const char *name);
struct span net_request_header(const struct net_request *request, const char *name);
/* The last of several with that name: what a proxy adds is behind its client's. */
struct span net_request_header_last(const struct net_request *request,
                                    const char *name);
/* Every query parameter in order, for lists and for refusing unknown ones: false at the
 * end. */
bool net_request_query_at(const struct net_request *request, size_t index,
                          struct span *ret_name, struct span *ret_value);
/* The value of a cookie that is there once; data NULL: it is not. */
struct span net_request_cookie(const struct net_request *request, const char *name);
/* The cookie of sessions on this connection.  Where the browser's own is encrypted it
 * begins with "__Host-", so that no other host of the site can set it. */
const char *net_request_session_cookie(const struct net_request *request);
/* Encrypted, or never on a wire: a password may come by it.  is_encrypted: by TLS, of
 * the server or of the proxy in front of the unix socket. */
bool net_request_is_private(const struct net_request *request, bool *ret_is_encrypted);
/* Does a browser state that another site's page caused it? */
bool net_request_is_foreign(const struct net_request *request);
/* The configuration's proxy, which states addresses and users of others. */
bool net_request_is_proxied(const struct net_request *request);
/* What persons are granted, for who signs in; the server's. */
const struct access_rules *net_request_rules(const struct net_request *request);
/* What came of a request for a route that is not for admins alone, to where audits go.
 */
void net_request_audit(const struct net_request *request,
                       const struct net_audit *audit);
/* What net_body.begin made. */
void *net_request_state(const struct net_request *request);
/* Memory that lives as long as the request; at most 1 MiB. */
struct arena *net_request_arena(struct net_request *request);
/* bytes is what this request holds in memory from now on: it counts against
 * opts.body_budget_bytes, and its sender's share of that, until the request has ended.
 * Errors: -EAGAIN, for both; a handler refuses with it, and who has its share is
 * refused with 429. */
int net_request_charge(struct net_request *request, size_t bytes);

/* ---- responding: exactly once ---- */

/* Before the response.  Name and value are copied.  A few at most. */
void net_reply_header(struct net_request *request, const char *name, const char *value);
/* Takes over body's memory and leaves it empty.  body may be NULL.  A body over 64 KiB
 * is charged until it is sent; over the budget the response becomes a 503. */
void net_reply(struct net_request *request, unsigned status, const char *content_type,
               struct strbuf *body);
void net_reply_json(struct net_request *request, unsigned status, struct strbuf *body);
/* application/problem+json, the status by err_http_status(rc); 503 has a Retry-After
 * of 5 s unless net_reply_header() named one.
 */
void net_reply_error(struct net_request *request, int rc, const struct err *err);
/* A status that no errno stands for. */
void net_reply_problem(struct net_request *request, unsigned status,
                       const char *detail);

/* The account "requests", "responses" or "queries" refused a hold with rc: 429 to a
 * sender that has its share (net_limited_fn is called), 400 or 413 to what never fits,
 * 503 where the account is full. */
void net_reply_over_budget(struct net_request *request, const char *account, int rc);

/* A response that is made while it is sent, so that none is too long for memory. */
enum net_stream_coding {
    NET_STREAM_PLAIN,
    NET_STREAM_NEGOTIATED, /* zstd or gzip where the peer accepts them */
};

struct net_piece; /* of a streamed response, due to be made */

struct net_stream {
    /* Append the next piece to out: some tens of KiB; nothing: that was all.  A
     * negative return cuts the response off so that the peer can tell. */
    int (*next)(void *state, struct strbuf *out);
    void (*free)(void *state);
    void *state;
    enum net_stream_coding coding;
    /* NULL: next is called on HTTP threads.  Else the first piece is made by who
     * replies, and for each further one this is called on an HTTP thread: it has some
     * other thread call net_piece_make(), once. */
    void (*submit)(void *state, struct net_piece *piece);
};

/* Takes over stream->state: next and free are called also after the handler has
 * returned, one at a time.
 * Errors, with submit only: what the first next said; then state was freed, and nothing
 * has been replied. */
int net_reply_stream(struct net_request *request, unsigned status,
                     const char *content_type, const struct net_stream *stream);
/* Calls next, and sends what it made.  The stream may have been freed when this
 * returns. */
void net_piece_make(struct net_piece *piece);

/* Who asks, as rates are held for: equal for the same sender, as long as the server
 * runs. */
uint64_t net_request_sender(const struct net_request *request);
/* A hold of this request's sender on an account: with its share, a quarter (of requests
 * also the largest body); the admin on the unix socket has no share, and what is
 * reserved. */
void net_request_hold(const struct net_request *request, struct budget_account *account,
                      struct budget_hold *ret);
/* For the log: its token's host, else its token's id, else where it comes from. */
const char *net_request_name(const struct net_request *request);
/* Where it comes from: "192.0.2.1", "2001:db8::/64", "uid 0". */
const char *net_request_origin(const struct net_request *request);

/* The response comes later: from now on any one thread may use the request, until it
 * calls one of net_reply*().  Only inside a handler, and its last use there.  The peer
 * may be gone by then; a response is still due. */
void net_request_defer(struct net_request *request);
/* Has the peer closed its connection?  Of a deferred request, by the thread that
 * responds.  A TCP peer that closed without a reset looks like one that only has
 * nothing more to send: it is gone when this has been seen for 5 s and no response has
 * begun. */
bool net_request_is_gone(struct net_request *request);

#endif
