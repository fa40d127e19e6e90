/* SPDX-License-Identifier: Apache-2.0 */
/* metric_routes - the routes of the metric store. */
#include "api/metric/metric_routes.h"

#include "api/metric/metric_body.h"
#include "api/metric/metric_call.h"

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
    { "GET", "/api/query", NET_ROLE_READER, queue_query, &metric_whole_body,
      EVERY_MODE },
    { "POST", "/api/query", NET_ROLE_READER, queue_query, &metric_whole_body,
      TOLERANT_ONLY },
    { "POST", "/api/free", NET_ROLE_ADMIN, metric_free_handle, &metric_whole_body,
      EVERY_MODE },
    { "GET", "/api/debug", NET_ROLE_READER, queue_debug, NULL, EVERY_MODE },
    { "GET", "/api/healthcheck", NET_ROLE_READER, queue_health, &metric_whole_body,
      EVERY_MODE },
    { "POST", "/api/healthcheck", NET_ROLE_READER, queue_health, &metric_whole_body,
      TOLERANT_ONLY },
    { "GET", "/v1/metrics", NET_ROLE_READER, queue_list, NULL, EVERY_MODE },
    { "GET", "/v1/series", NET_ROLE_READER, queue_series, NULL, EVERY_MODE },
    { "GET", "/v1/query", NET_ROLE_READER | NET_ROLE_USER, queue_v1_query, NULL,
      EVERY_MODE },
    { "POST", "/v1/store/exempt", NET_ROLE_ADMIN, metric_exempt_handle, NULL,
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
