/* SPDX-License-Identifier: Apache-2.0 */
/* metric_routes - the routes of the metric store, their bodies, their errors. */
#include "api/metric_routes.h"

#include "api/metric_call.h"

#include <stdlib.h>

/* ---- bodies, taken whole: they are small ---- */

static int body_begin(void *arg, struct net_request *request, void **ret_state,
                      struct err *err)
{
    (void)arg, (void)request, (void)err;
    struct strbuf *body = calloc(1, sizeof *body);
    if (!body)
        return -ENOMEM;
    *ret_state = body;
    return 0;
}

static int body_data(void *state, struct net_request *request, const void *data,
                     size_t size, struct err *err)
{
    struct strbuf *body = state;
    strbuf_add(body, data, size);
    if (strbuf_error(body) < 0)
        return -ENOMEM;
    if (net_request_charge(request, body->capacity) < 0)
        return err_set(err, EAGAIN, "too many bodies at once: try again");
    return 0;
}

static void body_free_state(void *state)
{
    strbuf_done(state);
    free(state);
}

static const struct net_body whole_body = { body_begin, body_data, body_free_state };

struct span metric_body(const struct net_request *request)
{
    const struct strbuf *body = net_request_state(request);
    return body ? strbuf_span(body) : SPAN("");
}

/* ---- errors ---- */

void metric_add_text(struct strbuf *out, struct span text)
{
    struct json_writer w;
    json_writer_init(&w, out);
    json_span(&w, text);
}

static const char *status_text(int status)
{
    switch (status) {
    case 400:
        return "Bad Request";
    case 503:
        return "Service Unavailable";
    case 504:
        return "Gateway Timeout";
    default:
        return "Internal Server Error";
    }
}

void metric_reply_error(struct net_request *request, int rc, const struct err *err)
{
    AUTO(strbuf_done) struct strbuf body = STRBUF_INIT;
    int status = 400; /* whatever the client did wrong */
    if (rc == -ENOMEM || rc == -EAGAIN || rc == -ESHUTDOWN)
        status = 503;
    else if (rc == -ETIMEDOUT)
        status = 504;
    const char *text = err && err->text[0] ? err->text : strerror(-rc);
    if (status == 503)
        net_reply_header(request, "Retry-After", "5");
    strbuf_addf(&body, "{\"status\":\"%s\",\"error\":", status_text(status));
    json_add_html_safe(&body, span_of(text));
    strbuf_adds(&body, "}\n");
    net_reply_json(request, (unsigned)status, &body);
}

/* ---- the table ---- */

/* In strict mode the peer's clients find what they would find there: a POST is none of
 * the methods of a query. */
enum { EVERY_MODE, TOLERANT_ONLY };

/* What reads the store for as long as it likes. */
#define ON_WORKERS(name)                                             \
    static void queue_##name(void *arg, struct net_request *request) \
    {                                                                \
        metric_call_begin(arg, request, metric_##name##_handle);     \
    }
ON_WORKERS(query)
ON_WORKERS(debug)
ON_WORKERS(health)
ON_WORKERS(list)
ON_WORKERS(series)
ON_WORKERS(v1_query)

static const struct {
    const char *method, *path;
    unsigned roles;
    net_handler_fn *handle;
    const struct net_body *body;
    int mode;
} routes[] = {
    { "GET", "/api/query", NET_ROLE_READER, queue_query, &whole_body, EVERY_MODE },
    { "POST", "/api/query", NET_ROLE_READER, queue_query, &whole_body, TOLERANT_ONLY },
    { "POST", "/api/free", NET_ROLE_ADMIN, metric_free_handle, &whole_body,
      EVERY_MODE },
    { "GET", "/api/debug", NET_ROLE_READER, queue_debug, NULL, EVERY_MODE },
    { "GET", "/api/healthcheck", NET_ROLE_READER, queue_health, &whole_body,
      EVERY_MODE },
    { "POST", "/api/healthcheck", NET_ROLE_READER, queue_health, &whole_body,
      TOLERANT_ONLY },
    { "GET", "/v1/metrics", NET_ROLE_READER, queue_list, NULL, EVERY_MODE },
    { "GET", "/v1/series", NET_ROLE_READER, queue_series, NULL, EVERY_MODE },
    { "GET", "/v1/query", NET_ROLE_READER, queue_v1_query, NULL, EVERY_MODE },
    { "POST", "/v1/store/spare", NET_ROLE_ADMIN, metric_spare_handle, NULL,
      EVERY_MODE },
};

/* The words of the peer's server, on its ground. */
static const char *refusal_text(unsigned status, bool has_token)
{
    switch (status) {
    case 401: /* of a token that is not believed it is said why */
        return has_token ? NULL : "Use JWT Authentication\n";
    case 404:
        return "404 page not found\n";
    case 405:
        return "Method Not Allowed\n";
    default:
        return NULL;
    }
}

static int add_route(struct metric_api *metric, struct net_server *server, size_t i,
                     const char *path)
{
    const struct net_route route = {
        .method = routes[i].method,
        .pattern = path,
        .roles = routes[i].roles,
        .handle = routes[i].handle,
        .body = routes[i].body,
        .arg = metric,
    };
    return net_server_add_route(server, &route);
}

int metric_routes_register(struct metric_api *metric, struct net_server *server)
{
    static const char *const slashed[COUNT_OF(routes)] = {
        "/api/query/", "/api/query/",       "/api/free/",
        "/api/debug/", "/api/healthcheck/", "/api/healthcheck/",
    };
    int rc = 0;
    net_server_refuse_below(server, "/api/", refusal_text);
    for (size_t i = 0; rc == 0 && i < COUNT_OF(routes); i++) {
        if (routes[i].mode == TOLERANT_ONLY && metric->strictness == METRIC_STRICT)
            continue;
        rc = add_route(metric, server, i, routes[i].path);
        if (rc == 0 && slashed[i])
            rc = add_route(metric, server, i, slashed[i]);
    }
    return rc;
}
