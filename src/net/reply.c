/* SPDX-License-Identifier: Apache-2.0 */
/* reply - the responses to requests. */
#include "net/reply.h"

#include "base/clock.h"
#include "base/json_writer.h"
#include "base/number.h"
#include "base/span.h"
#include "net/share.h"
#include "net/status.h"

#include <assert.h>
#include <poll.h>

#define HALF_CLOSED_NS (5 * NS_PER_S)

void net_reply_header(struct net_request *r, const char *name, const char *value)
{
    char *name_copy = arena_dup(&r->arena, span_of(name));
    char *value_copy = arena_dup(&r->arena, span_of(value));
    if (!name_copy || !value_copy || r->header_count == HEADERS_MAX)
        return;
    r->headers[r->header_count++] = (struct net_pair){
        .name = { name_copy, strlen(name_copy) },
        .value = { value_copy, strlen(value_copy) },
    };
}

static bool has_header(const struct net_request *r, const char *name)
{
    for (size_t i = 0; i < r->header_count; i++)
        if (span_is(r->headers[i].name, name))
            return true;
    return false;
}

static void add_headers(struct net_request *r, struct MHD_Response *response,
                        const char *content_type)
{
    if (content_type)
        (void)MHD_add_response_header(response, "Content-Type", content_type);
    (void)MHD_add_response_header(response, "Cache-Control", "no-store");
    (void)MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    for (size_t i = 0; i < r->header_count; i++)
        (void)MHD_add_response_header(response, r->headers[i].name.data,
                                      r->headers[i].value.data);
}

/* The response is complete; a deferred request goes back to its HTTP thread, and may be
 * gone when this returns. */
static void hand_over(struct net_request *r, struct MHD_Response *response,
                      unsigned status)
{
    struct net_server *server = r->server;
    struct MHD_Connection *connection = r->connection;
    assert(!r->response);
    r->status = status;
    r->response = response;
    if (!r->is_deferred)
        return;
    MHD_resume_connection(connection);
    active_end(&server->active);
}

void reply_hand_over(struct net_request *r, struct MHD_Response *response,
                     unsigned status, const char *content_type)
{
    if (response)
        add_headers(r, response, content_type);
    hand_over(r, response, status);
}

int reply_charge(struct net_request *r, struct strbuf *body)
{
    if (!body || body->capacity <= RESPONSE_FREE_BYTES)
        return 0;
    char *shrunk = realloc(body->data, body->size + 1);
    if (shrunk) {
        body->data = shrunk;
        body->capacity = body->size + 1;
    }
    if (!r->response_hold.account)
        net_request_hold(r, r->server->responses, &r->response_hold);
    return budget_hold_set(&r->response_hold, body->capacity + RESPONSE_FREE_BYTES);
}

void reply_refuse(struct net_request *r, int rc)
{
    net_reply_over_budget(r, "responses", rc);
}

/* ---- whole bodies ---- */

/* A long one is handed to the connection piece by piece, so that it is seen how much of
 * it the peer has read. */
struct whole {
    struct strbuf body;
    struct peer *peer;
};

static ssize_t read_whole(void *arg, uint64_t position, char *to, size_t size)
{
    struct whole *whole = arg;
    size_t left = position < whole->body.size ? whole->body.size - position : 0;
    if (left == 0)
        return MHD_CONTENT_READER_END_OF_STREAM;
    size = left < size ? left : size;
    memcpy(to, whole->body.data + position, size);
    whole->peer->bytes += size;
    return (ssize_t)size;
}

static void whole_free(void *arg)
{
    struct whole *whole = arg;
    strbuf_done(&whole->body);
    free(whole);
}

struct MHD_Response *reply_whole(struct net_request *r, struct strbuf *body)
{
    struct MHD_Response *response;
    if (body->size <= RESPONSE_FREE_BYTES) {
        response = MHD_create_response_from_buffer(body->size, body->data,
                                                   MHD_RESPMEM_MUST_FREE);
        if (response)
            *body = (struct strbuf)STRBUF_INIT;
        return response;
    }
    struct whole *whole = calloc(1, sizeof *whole);
    if (!whole)
        return NULL;
    *whole = (struct whole){ *body, r->peer };
    response = MHD_create_response_from_callback(body->size, RESPONSE_FREE_BYTES,
                                                 read_whole, whole, whole_free);
    if (response)
        *body = (struct strbuf)STRBUF_INIT;
    else
        free(whole);
    return response;
}

void net_reply(struct net_request *r, unsigned status, const char *content_type,
               struct strbuf *body)
{
    struct MHD_Response *response = NULL;
    int rc = reply_charge(r, body);
    if (rc < 0) {
        strbuf_done(body);
        reply_refuse(r, rc);
        return;
    }
    if (body && strbuf_error(body) == 0 && body->size) {
        response = reply_whole(r, body);
    } else {
        /* Where memory for the body was out there is a response without one. */
        if (body && strbuf_error(body) < 0)
            status = 503;
        response = MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
    }
    reply_hand_over(r, response, status, content_type);
}

void net_reply_json(struct net_request *r, unsigned status, struct strbuf *body)
{
    net_reply(r, status, "application/json", body);
}

void net_server_refuse_below(struct net_server *server, const char *prefix,
                             net_refusal_fn *fn)
{
    server->refusal_prefix = prefix;
    server->refusal = fn;
}

static void add_refusal_headers(struct net_request *r, unsigned status)
{
    if (status == 401)
        net_reply_header(r, "WWW-Authenticate", "Bearer");
    if (status == 503 && !has_header(r, "Retry-After"))
        net_reply_header(r, "Retry-After", RETRY_AFTER_S);
}

/* In another server's words; false: it has none. */
static bool reply_refusal(struct net_request *r, unsigned status)
{
    AUTO(strbuf_done) struct strbuf body = STRBUF_INIT;
    const struct net_server *server = r->server;
    if (!server->refusal || !r->raw_path.data ||
        !span_starts(r->raw_path, server->refusal_prefix))
        return false;
    bool has_token = net_request_header(r, "Authorization").data != NULL;
    const char *text = server->refusal(status, has_token);
    if (!text)
        return false;
    strbuf_adds(&body, text);
    add_refusal_headers(r, status);
    net_reply(r, status, "text/plain; charset=utf-8", &body);
    return true;
}

void net_reply_problem(struct net_request *r, unsigned status, const char *detail)
{
    AUTO(strbuf_done) struct strbuf body = STRBUF_INIT;
    struct json_writer w;
    if (reply_refusal(r, status))
        return;
    json_writer_init(&w, &body);
    json_object(&w);
    json_key(&w, "type");
    json_text(&w, "about:blank");
    json_key(&w, "title");
    json_text(&w, status_title(status));
    json_key(&w, "status");
    json_u64(&w, status);
    if (detail && detail[0]) {
        json_key(&w, "detail");
        json_text(&w, detail);
    }
    json_object_end(&w);
    add_refusal_headers(r, status);
    net_reply(r, status, "application/problem+json", &body);
}

void net_reply_over_budget(struct net_request *r, const char *account, int rc)
{
    struct share_refusal refusal = share_refuse(r, account, rc);
    if (refusal.is_limited)
        net_reply_header(r, "Retry-After", RETRY_AFTER_S);
    net_reply_problem(r, refusal.status, refusal.detail);
}

void net_reply_error(struct net_request *r, int rc, const struct err *err)
{
    int refused = share_refused(r, rc);
    if (refused)
        net_reply_over_budget(r, "requests", refused);
    else
        net_reply_problem(r, (unsigned)err_http_status(rc), err ? err->text : NULL);
}

/* Who has shut down its sending side may still wait for us, for a while; who has begun
 * to read is known by what is sent to it. */
bool net_request_is_gone(struct net_request *r)
{
    struct pollfd fd = { .fd = r->peer->fd, .events = POLLRDHUP };
    if (poll(&fd, 1, 0) <= 0)
        return false;
    if (fd.revents & (POLLHUP | POLLERR))
        return true;
    if (r->response || !(fd.revents & POLLRDHUP))
        return false;
    int64_t now_ns = clock_monotonic_ns();
    if (!r->half_closed_ns)
        r->half_closed_ns = now_ns;
    return now_ns - r->half_closed_ns >= HALF_CLOSED_NS;
}

void net_request_defer(struct net_request *r)
{
    assert(!r->response && !r->is_deferred);
    r->is_deferred = true;
    MHD_suspend_connection(r->connection);
}
