/* SPDX-License-Identifier: Apache-2.0 */
/* request - one request, from its head to the end of its response.
 *
 * libmicrohttpd calls request_access several times: when the head is complete, for each
 * piece of the body, when the body has ended, and once more after a deferred request
 * was responded to.
 */
#include "net/request.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "net/audit.h"
#include "net/framing.h"
#include "net/head.h"
#include "net/identity.h"
#include "net/reply.h"
#include "net/route.h"
#include "net/share.h"

#include <stdio.h>

/* An agent listens to no longer pause. */
#define WAIT_MAX_S 3600

/* ---- what a handler may use ---- */

const struct net_identity *net_request_identity(const struct net_request *r)
{
    return &r->identity;
}

uint64_t net_request_sender(const struct net_request *request)
{
    return request->rate_key;
}

const char *net_request_origin(const struct net_request *request)
{
    return request->peer->origin;
}

void *net_request_state(const struct net_request *r)
{
    return r->state;
}

struct arena *net_request_arena(struct net_request *r)
{
    return &r->arena;
}

static int charge(struct net_request *r)
{
    struct net_server *server = r->server;
    size_t total = r->charge_handler + (r->body ? body_memory_bytes(r->body) : 0);
    if (!r->hold.account)
        net_request_hold(r, server->requests, &r->hold);
    r->hold.fixed_bytes = r->body ? body_fixed_bytes(r->body) : 0;
    return budget_hold_set(&r->hold, total) < 0 ? -EAGAIN : 0;
}

int net_request_charge(struct net_request *r, size_t bytes)
{
    size_t before = r->charge_handler;
    r->charge_handler = bytes;
    int rc = charge(r);
    if (rc < 0)
        r->charge_handler = before;
    return rc;
}

/* ---- the head ---- */

static struct net_request *request_new(struct net_server *server,
                                       struct MHD_Connection *connection,
                                       const char *url, const char *method)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    if (!info || !info->socket_context)
        return NULL;
    struct net_request *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    *r = (struct net_request){
        .server = server,
        .connection = connection,
        .peer = info->socket_context,
        .method = method,
        .raw_path = span_of(url),
    };
    arena_init(&r->arena, REQUEST_ARENA_BYTES_MAX);
    server->stats.requests++;
    return r;
}

static bool find_route(struct net_request *r, const char *method)
{
    AUTO(strbuf_done) struct strbuf allow = STRBUF_INIT;
    unsigned status;
    r->route = route_find(r, method, &status, &allow);
    if (r->route)
        return true;
    if (status != 405) {
        net_reply_problem(r, status, "there is nothing at this path");
        return false;
    }
    struct err err = { 0 };
    net_reply_header(r, "Allow", strbuf_text(&allow));
    (void)err_set(&err, EINVAL, "this path accepts %s", strbuf_text(&allow));
    net_reply_problem(r, status, err.text);
    return false;
}

/* 429, and when to come again. */
static void slow_down(struct net_request *r, int64_t wait_ns, const char *reason)
{
    char seconds[24], detail[120], sends[60], key[60];
    int64_t wait_s = wait_ns / NS_PER_S + 1;
    (void)snprintf(seconds, sizeof seconds, "%lld",
                   (long long)(wait_s > WAIT_MAX_S ? WAIT_MAX_S : wait_s));
    (void)snprintf(detail, sizeof detail,
                   "more %s than one sender may have: come again in %s s", reason,
                   seconds);
    (void)snprintf(sends, sizeof sends, "sends too many %s", reason);
    (void)snprintf(key, sizeof key, "rate_%s in [net]", reason);
    r->server->stats.rate_refusals++;
    share_report_limited(r, sends, key);
    net_reply_header(r, "Retry-After", seconds);
    net_reply_problem(r, 429, detail);
}

/* Who it is, and whether that sender may ask yet.  identity_rc: what is to be said of
 * its token, where the route wants one. */
static bool is_within_rate(struct net_request *r, int *identity_rc, struct err *err)
{
    static const struct {
        enum rate_kind kind;
        const char *name;
    } kinds[] = { { RATE_REQUESTS, "requests" }, { RATE_BYTES, "bytes" } };
    struct rate *rate = r->server->rate;
    int64_t now_ns = clock_monotonic_ns();
    *identity_rc = identity_find(r, err);
    if (*identity_rc == -EUSERS) {
        slow_down(r, rate_wait_ns(rate, r->peer->origin_key, RATE_FAILURES, now_ns),
                  "failures");
        return false;
    }
    if (*identity_rc == -EAGAIN) {
        net_reply_error(r, -EAGAIN, err);
        return false;
    }
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        int64_t wait_ns = rate_wait_ns(rate, r->rate_key, kinds[i].kind, now_ns);
        if (wait_ns > 0) {
            slow_down(r, wait_ns, kinds[i].name);
            return false;
        }
    }
    rate_charge(rate, r->rate_key, RATE_REQUESTS, r->rate_fraction, now_ns);
    return true;
}

static int refuse_role(const struct access_client *client, unsigned roles,
                       struct err *err)
{
    AUTO(strbuf_done) struct strbuf who = STRBUF_INIT;
    access_roles_list(roles, &who);
    if (strbuf_error(&who) < 0)
        return -ENOMEM;
    return err_set(err, EACCES, "the role %s may not do this (these may: %s)",
                   access_roles_name(client->roles), strbuf_text(&who));
}

static bool may_pass(struct net_request *r, int rc, struct err *known)
{
    struct err err = *known;
    const struct access_object route = { .roles = r->route->roles };
    const struct access_client *client = &r->identity.client;
    if (route.roles == 0) /* a bad token does not matter then either */
        return true;
    if (rc == 0 && access_decide(client, ACCESS_CALL, &route) != ACCESS_PERMITTED)
        rc = refuse_role(client, route.roles, &err);
    if (rc < 0)
        net_reply_error(r, rc, &err);
    return rc == 0;
}

static int find_coding(const struct net_request *r, enum body_coding *ret)
{
    struct span text = net_request_header(r, "Content-Encoding");
    *ret = BODY_IDENTITY;
    if (r->route->has_snappy && span_is(text, "snappy"))
        return 0;
    return body_coding_parse(text, ret);
}

static int refuse_content_type(const struct net_request *r, struct err *err)
{
    AUTO(strbuf_done) struct strbuf types = STRBUF_INIT;
    for (const char *const *type = r->route->content_types; *type; type++)
        strbuf_addf(&types, "%s%s", types.size > 0 ? ", " : "", *type);
    return err_set(err, EPROTONOSUPPORT,
                   "the content type is not accepted here (choose %s)",
                   strbuf_text(&types));
}

static bool start_body(struct net_request *r, uint64_t length)
{
    const struct net_opts *opts = r->server->opts;
    struct err err = { 0 };
    enum body_coding coding;
    int rc = 0;
    if (!r->route->body) {
        if (length)
            net_reply_problem(r, 400, "this route accepts no body");
        return length == 0;
    }
    if (!head_has_content_type(r))
        rc = refuse_content_type(r, &err);
    else if (find_coding(r, &coding) < 0)
        rc = err_set(&err, EPROTONOSUPPORT,
                     "invalid content encoding (choose identity, gzip, zstd%s)",
                     r->route->has_snappy ? ", snappy" : "");
    else if (length != UINT64_MAX && length > opts->body_bytes_max)
        rc = err_set(&err, EMSGSIZE, "the body is over %llu bytes",
                     (unsigned long long)opts->body_bytes_max);
    else
        rc = body_new(coding, opts->body_bytes_max, opts->ratio_max, &r->body);
    if (rc == 0 && charge(r) < 0)
        rc = err_set(&err, EAGAIN, "too many bodies at once: try again");
    if (rc == 0)
        rc = r->route->body->begin(r->route->arg, r, &r->state, &err);
    r->has_state = rc == 0;
    if (rc < 0)
        net_reply_error(r, rc, &err);
    return rc == 0;
}

static enum MHD_Result send_net_response(struct net_request *r)
{
    if (!r->response)
        return MHD_NO; /* memory is out: close */
    _Atomic uint64_t *statuses = r->server->stats.status;
    statuses[r->status / 100 < 6 ? r->status / 100 : 0]++;
    audit_report(r);
    peer_enter(r->peer, PEER_RESPONSE);
    return MHD_queue_response(r->connection, r->status, r->response);
}

/* Where its body ends is not known, so that nothing after it on the connection is a
 * request. */
static enum MHD_Result refuse_framing(struct net_request *r, const char *reason)
{
    net_reply_header(r, "Connection", "close");
    net_reply_problem(r, 400, reason);
    return send_net_response(r);
}

static enum MHD_Result take_head(struct net_request *r, const char *method,
                                 const char *version)
{
    const char *reason = framing_find(r->connection, version);
    if (reason)
        return refuse_framing(r, reason);
    uint64_t length = head_body_length(r);
    struct err err = { 0 };
    int identity_rc;
    bool is_good = is_within_rate(r, &identity_rc, &err) && find_route(r, method) &&
                   may_pass(r, identity_rc, &err);
    if (is_good && head_decode(r) < 0) {
        net_reply_problem(r, 400, "a path or query that can't be decoded, or too long");
        is_good = false;
    }
    if (is_good)
        is_good = start_body(r, length);
    enum peer_phase phase = is_good ? PEER_BODY : PEER_REFUSED;
    peer_enter(r->peer, length ? phase : PEER_WAITING);
    if (is_good || length == 0)
        return MHD_YES;
    /* Refused, and a body is coming. */
    bool waits_for_us = net_request_header(r, "Expect").data != NULL;
    if (length > DRAIN_BYTES_MAX || waits_for_us)
        return send_net_response(r);
    r->is_draining = true;
    return MHD_YES;
}

/* ---- the body ---- */

static int put_piece(void *arg, const void *data, size_t size, struct err *err)
{
    struct net_request *r = arg;
    return r->route->body->data(r->state, r, data, size, err);
}

static void refuse_body(struct net_request *r, int rc, const struct err *err)
{
    net_reply_error(r, rc, err);
    r->is_draining = true;
    peer_enter(r->peer, PEER_REFUSED);
}

static enum MHD_Result take_piece(struct net_request *r, const char *data, size_t size)
{
    struct err err = { 0 };
    r->peer->bytes += size;
    r->body_bytes += size;
    r->server->stats.body_bytes += size;
    if (r->is_draining) {
        r->drained_bytes += size;
        return r->drained_bytes > DRAIN_BYTES_MAX ? MHD_NO : MHD_YES;
    }
    rate_charge(r->server->rate, r->rate_key, RATE_BYTES,
                (double)size * r->rate_fraction, clock_monotonic_ns());
    uint64_t decoded_before = body_decoded_bytes(r->body);
    int rc = body_feed(r->body, data, size, put_piece, r, &err);
    r->server->stats.body_bytes_decoded += body_decoded_bytes(r->body) - decoded_before;
    if (rc == 0 && charge(r) < 0)
        rc = err_set(&err, EAGAIN, "too many bodies at once: try again");
    if (rc < 0)
        refuse_body(r, rc, &err);
    return MHD_YES;
}

/* The request is complete: the handler's turn. */
static void handle(struct net_request *r)
{
    struct err err = { 0 };
    r->is_handled = true;
    peer_enter(r->peer, PEER_WAITING);
    int rc = r->body ? body_finish(r->body, &err) : 0;
    if (rc < 0) {
        net_reply_error(r, rc, &err);
        return;
    }
    if (r->body) { /* the decoder's memory is not needed while the response is made */
        body_free(TAKE(r->body));
        (void)charge(r);
    }
    if (!active_begin(&r->server->active)) {
        net_reply_problem(r, 503, "stopping");
        return;
    }
    r->route->handle(r->route->arg, r);
    if (!r->is_deferred)
        active_end(&r->server->active);
}

enum MHD_Result request_access(void *arg, struct MHD_Connection *connection,
                               const char *url, const char *method, const char *version,
                               const char *data, size_t *size, void **state)
{
    struct net_request *r = *state;
    if (!r) {
        r = request_new(arg, connection, url, method);
        if (!r)
            return MHD_NO;
        *state = r;
        return take_head(r, method, version);
    }
    if (*size) {
        size_t piece = *size;
        *size = 0;
        return take_piece(r, data, piece);
    }
    if (!r->response && !r->is_handled) {
        handle(r);
        /* From here on another thread may write to a deferred request. */
        if (r->is_deferred)
            return MHD_YES;
    }
    return send_net_response(r);
}

void request_completed(void *arg, struct MHD_Connection *connection, void **state,
                       enum MHD_RequestTerminationCode code)
{
    (void)arg;
    (void)connection;
    (void)code;
    struct net_request *r = *state;
    if (!r)
        return;
    *state = NULL;
    if (r->has_state)
        r->route->body->free(r->state);
    if (r->response)
        MHD_destroy_response(r->response);
    body_free(r->body);
    budget_hold_done(&r->hold);
    budget_hold_done(&r->response_hold);
    peer_enter(r->peer, PEER_IDLE);
    arena_done(&r->arena);
    free(r);
}
