/* SPDX-License-Identifier: Apache-2.0 */
/* api - the routes registered, and the workers that run them. */
#include "api/api.h"

#include "api/call.h"
#include "api/metric/metric_call.h"
#include "api/metric/metric_routes.h"
#include "api/routes.h"
#include "api/whoami.h"
#include "base/clock.h"

#include <stdlib.h>
#include <unistd.h>

enum { WORKERS_DEFAULT = 3, METRIC_WORKERS_MAX = 9, QUEUE_DEFAULT = 32 };

int api_register(struct api *api, struct net_server *server)
{
    for (size_t i = 0; i < api_route_count; i++) {
        const struct api_route *route = &api_routes[i];
        api->bindings[i] = (struct api_binding){ api, route };
        const struct net_route added = { .method = route->method,
                                         .pattern = route->path,
                                         .roles = route->roles,
                                         .handle = call_handle,
                                         .arg = &api->bindings[i] };
        int rc = route->is_elsewhere ? 0 : net_server_add_route(server, &added);
        if (rc < 0)
            return rc;
    }
    int rc = whoami_register(server);
    if (rc == 0 && api->metric.store)
        rc = metric_routes_register(&api->metric, server);
    if (rc == 0 && api->metric.store)
        rc = prometheus_routes_register(&api->metric, server);
    return rc;
}

static size_t at_most(size_t count, size_t most)
{
    return count < most ? count : most;
}

/* One more than cores, so that the share of a lone sender is all of them. */
static int start_metric_workers(struct api *api, struct err *err)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    size_t count = at_most((size_t)(cores < 1 ? 1 : cores) + 1, METRIC_WORKERS_MAX);
    const struct workers_opts opts = metric_call_workers(&api->metric, count);
    return workers_new(&opts, &api->metric.workers, err);
}

int api_new(const struct api_opts *opts, struct api **ret, struct err *err)
{
    AUTO(api_free) struct api *api = calloc(1, sizeof *api);
    if (!api)
        return -ENOMEM;
    api->opts = *opts;
    api->began_ns = clock_now_ns();
    api->metric = (struct metric_api){ .store = opts->store,
                                       .records = opts->records,
                                       .live = opts->live,
                                       .cells = opts->cells,
                                       .strictness = opts->strictness,
                                       .timeout_ns = opts->timeout_ns,
                                       .queries = opts->queries,
                                       .is_stopping = &api->is_stopping,
                                       .stopped_count = &api->stopped };
    api->bindings = calloc(api_route_count, sizeof *api->bindings);
    if (!api->bindings)
        return -ENOMEM;
    const struct workers_opts rows = call_workers(
        api,
        at_most(opts->worker_count ? opts->worker_count : WORKERS_DEFAULT, WORKERS_MAX),
        opts->queue_max ? opts->queue_max : QUEUE_DEFAULT);
    int rc = workers_new(&rows, &api->workers, err);
    if (rc == 0 && opts->store)
        rc = start_metric_workers(api, err);
    if (rc == 0)
        *ret = TAKE(api);
    return rc;
}

void api_stop(struct api *api)
{
    if (api)
        api->is_stopping = true;
}

void api_free(struct api *api)
{
    if (!api)
        return;
    workers_free(api->metric.workers);
    workers_free(api->workers);
    free(api->bindings);
    free(api);
}
