/* SPDX-License-Identifier: Apache-2.0 */
/* prometheus_routes - the routes below /api/v1, where clients of Prometheus look:
 * responses are made in api/prometheus, here they run on the workers of the metric
 * store.
 */
#include "api/metric/metric_body.h"
#include "api/metric/metric_call.h"
#include "api/metric/metric_routes.h"
#include "api/prometheus/prometheus.h"
#include "api/rows_readers.h"
#include "base/clock.h"
#include "base/span.h"

static int read_url(struct net_request *request, struct arena *arena, struct form *ret)
{
    struct span name, value;
    size_t count = 0;
    while (net_request_query_at(request, count, &name, &value))
        count++;
    struct form_field *fields = arena_alloc(arena, (count + 1) * sizeof *fields);
    if (!fields)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        (void)net_request_query_at(request, i, &fields[i].name, &fields[i].value);
    *ret = (struct form){ fields, count };
    return 0;
}

/* ---- the database, for counters of jobs ---- */

struct rows_use {
    struct metric_api *api;
    struct query_ctx ctx;
    bool is_open;
};

static int open_rows(void *arg, const struct query_ctx **ret, struct err *err)
{
    struct rows_use *use = arg;
    struct rows_readers *r = use->api->readers;
    if (!r)
        return -ENOMEM;
    struct err away = { 0 };
    int rc = use->is_open ? 0 : rows_readers_open(r, use->api->records, &away);
    use->ctx = (struct query_ctx){ .live = use->api->live, .cells = use->api->cells };
    *ret = &use->ctx;
    if (rc == -ENOMEM)
        return rc;
    /* While the database is away, memory still knows who does what right now. */
    if (rc < 0 && (!use->api->live || live_latest_ms(use->api->live) == T_NONE))
        return err_set(err, EAGAIN, "%s", away.text);
    if (rc < 0)
        return 0;
    use->ctx.history = &r->history;
    if (use->is_open)
        return 0;
    use->is_open = true;
    records_reader_watch(r->readers.rows, metric_call_watch, use->api->call);
    records_reader_watch(r->readers.series, metric_call_watch, use->api->call);
    return 0;
}

/* A reading that was stopped or failed leaves readers that are of no use. */
static void end_rows(struct rows_use *use, unsigned status)
{
    struct rows_readers *r = use->api->readers;
    if (!use->is_open)
        return;
    if (status >= 500) {
        rows_readers_close(r);
        return;
    }
    records_reader_watch(r->readers.rows, NULL, NULL);
    records_reader_watch(r->readers.series, NULL, NULL);
}

static unsigned respond(struct metric_api *api, struct net_request *request,
                        enum prometheus_endpoint endpoint, struct strbuf *out)
{
    struct arena *arena = net_request_arena(request);
    struct err err = { 0 };
    struct rows_use rows = { .api = api };
    struct prometheus_request wanted = {
        .endpoint = endpoint,
        .label = net_request_var(request, "name"),
        .source = { .store = { .store = api->store,
                               .watch = metric_call_watch,
                               .watch_arg = api->call,
                               .hold = metric_call_hold(api->call) },
                    .jobs = { .open = open_rows,
                              .open_arg = &rows,
                              .watch = metric_call_watch,
                              .watch_arg = api->call,
                              .hold = metric_call_hold(api->call),
                              .now_ms = clock_now_ms() } },
        .now_ms = clock_now_ms(),
    };
    int rc = read_url(request, arena, &wanted.question.url);
    if (rc == 0)
        rc = form_parse(metric_body(request), arena, &wanted.question.form, &err);
    if (rc < 0)
        return prometheus_error(rc, err.text[0] ? err.text : strerror(-rc), out);
    unsigned status = prometheus_respond(&wanted, out);
    end_rows(&rows, status);
    return status;
}

static void run_endpoint(struct metric_api *api, struct net_request *request,
                         enum prometheus_endpoint endpoint)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    unsigned status = respond(api, request, endpoint, &out);
    if (status == 503 && metric_call_watch(api->call) < 0)
        *api->stopped_count += 1;
    net_reply_json(request, status, &out);
}

#define ENDPOINT(name, endpoint)                                      \
    static void handle_##name(void *arg, struct net_request *request) \
    {                                                                 \
        run_endpoint(arg, request, endpoint);                         \
    }                                                                 \
    static void queue_##name(void *arg, struct net_request *request)  \
    {                                                                 \
        metric_call_begin(arg, request, handle_##name);               \
    }
ENDPOINT(query, PROMETHEUS_QUERY)
ENDPOINT(query_range, PROMETHEUS_QUERY_RANGE)
ENDPOINT(labels, PROMETHEUS_LABELS)
ENDPOINT(label_values, PROMETHEUS_LABEL_VALUES)
ENDPOINT(series, PROMETHEUS_SERIES)
ENDPOINT(metadata, PROMETHEUS_METADATA)
ENDPOINT(format_query, PROMETHEUS_FORMAT_QUERY)
ENDPOINT(build_info, PROMETHEUS_BUILD_INFO)
ENDPOINT(no_rules, PROMETHEUS_NO_RULES)
ENDPOINT(no_alerts, PROMETHEUS_NO_ALERTS)
ENDPOINT(no_exemplars, PROMETHEUS_NO_EXEMPLARS)
ENDPOINT(no_targets, PROMETHEUS_NO_TARGETS)

static const struct {
    const char *path;
    net_handler_fn *handle;
    bool has_post;
} endpoints[] = {
    { "/api/v1/query", queue_query, true },
    { "/api/v1/query_range", queue_query_range, true },
    { "/api/v1/labels", queue_labels, true },
    { "/api/v1/label/{name}/values", queue_label_values, false },
    { "/api/v1/series", queue_series, true },
    { "/api/v1/metadata", queue_metadata, false },
    { "/api/v1/format_query", queue_format_query, true },
    { "/api/v1/query_exemplars", queue_no_exemplars, true },
    { "/api/v1/status/buildinfo", queue_build_info, false },
    { "/api/v1/rules", queue_no_rules, false },
    { "/api/v1/alerts", queue_no_alerts, false },
    { "/api/v1/targets", queue_no_targets, false },
};

int prometheus_routes_register(struct metric_api *metric, struct net_server *server)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < COUNT_OF(endpoints); i++) {
        struct net_route route = { .method = "GET",
                                   .pattern = endpoints[i].path,
                                   .roles = NET_ROLE_READER,
                                   .handle = endpoints[i].handle,
                                   .arg = metric };
        rc = net_server_add_route(server, &route);
        if (rc < 0 || !endpoints[i].has_post)
            continue;
        route.method = "POST";
        route.body = &metric_whole_body;
        rc = net_server_add_route(server, &route);
    }
    return rc;
}
