/* SPDX-License-Identifier: Apache-2.0 */
/* metric_health - /api/healthcheck, as cc-metric-store responds.
 *
 * Only the age of the newest sample of each series at or below the host counts, however
 * many are missing before it.  One stale series degrades its metric, whatever the
 * others have; a metric of which there is no series, or none that is declared, is
 * missing.
 */
#include "api/metric/metric_body.h"
#include "api/metric/metric_call.h"
#include "api/metric/metric_request.h"
#include "api/metric/metric_routes.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "model/model.h"

#include <stdlib.h>

/* cc-metric-store's: a series is stale when more steps have passed since its end. */
#define STALE_STEPS 5

enum health {
    HEALTH_MISSING,
    HEALTH_WELL,
    HEALTH_DEGRADED,
};

/* In whole seconds, as the peer counts: a series ends half a step, rounded up, after
 * its newest sample. */
static enum health series_health(const struct level_series *s,
                                 const struct metric *metric, int64_t now_ns)
{
    int64_t last_ns = series_last_ns(&s->series), step_ns = series_grid_ns(&s->series);
    if (last_ns == INT64_MIN)
        return HEALTH_MISSING;
    if (step_ns == 0)
        step_ns = step_of_grid(metric->step_ns);
    int64_t step_s = step_ns ? step_ns / NS_PER_S : 60;
    int64_t end_s = last_ns / NS_PER_S + step_s - step_s / 2;
    return now_ns / NS_PER_S - end_s > STALE_STEPS * step_s ? HEALTH_DEGRADED
                                                            : HEALTH_WELL;
}

/* Over the host and all below it. */
static enum health metric_health(struct metric_store *store, struct level *host,
                                 struct span name, int64_t now_ns)
{
    const struct metric *metric = metric_find(metric_store_metrics(store), name);
    enum health health = HEALTH_MISSING;
    const struct level_tree *tree = metric_store_tree(store, host->shard);
    for (struct level *level = host; metric && level; level = level_next(level, host)) {
        const struct level_series *s = level_series_find(tree, level, metric->id);
        enum health own = s ? series_health(s, metric, now_ns) : HEALTH_MISSING;
        health = own > health ? own : health;
    }
    return health;
}

static void add_name(struct strbuf *list, struct span name)
{
    if (list->size > 0)
        strbuf_addc(list, ',');
    json_add_html_safe(list, name);
}

static void write_host(struct metric_store *store, const struct health_request *request,
                       struct level *host, struct strbuf *out)
{
    AUTO(strbuf_done) struct strbuf degraded = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf missing = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf metrics = STRBUF_INIT;
    int64_t now_ns = clock_now_ns();
    size_t well = 0, count = request->metrics.count;
    for (size_t i = 0; i < count; i++) {
        struct span name = request->metrics.items[i];
        enum health health = metric_health(store, host, name, now_ns);
        well += health == HEALTH_WELL;
        if (health != HEALTH_WELL)
            add_name(health == HEALTH_DEGRADED ? &degraded : &missing, name);
    }
    const char *state = "partial";
    if (well == count)
        state = "full";
    else if (well == 0)
        state = "failed";
    strbuf_addf(&metrics, "{\"degraded\":[%s],\"missing\":[%s]}",
                strbuf_text(&degraded), strbuf_text(&missing));
    strbuf_addf(out, "{\"State\":\"%s\",\"HealthMetrics\":", state);
    json_add_html_safe(out, strbuf_span(&metrics));
    strbuf_addc(out, '}');
}

static int compare_spans(const void *a, const void *b)
{
    const struct span *x = a, *y = b;
    size_t size = x->size < y->size ? x->size : y->size;
    int order = memcmp(x->data, y->data, size);
    return order ? order : (x->size > y->size) - (x->size < y->size);
}

/* By name, each once: so the peer's map comes out. */
static int write_hosts(const struct metric_api *api,
                       const struct health_request *request, struct strbuf *out)
{
    struct metric_store *store = api->store;
    AUTO_FREE struct span *nodes = calloc(request->nodes.count + 1, sizeof *nodes);
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    if (!nodes)
        return -ENOMEM;
    for (size_t i = 0; i < request->nodes.count; i++)
        nodes[i] = request->nodes.items[i];
    qsort(nodes, request->nodes.count, sizeof *nodes, compare_spans);
    strbuf_addc(out, '{');
    for (size_t i = 0; i < request->nodes.count; i++) {
        if (i > 0 && span_eq(nodes[i], nodes[i - 1]))
            continue;
        int rc = metric_call_watch(api->call);
        if (rc < 0)
            return rc;
        struct component c = { .cluster = request->cluster, .host = nodes[i] };
        strbuf_clear(&path);
        component_print(&path, &c);
        if (strbuf_error(&path))
            return -ENOMEM;
        bool is_named = request->cluster.size > 0 && nodes[i].size > 0;
        struct level *host =
            is_named ? metric_store_level(store, strbuf_span(&path)) : NULL;
        if (i > 0)
            strbuf_addc(out, ',');
        json_add_html_safe(out, nodes[i]);
        strbuf_addc(out, ':');
        if (host)
            write_host(store, request, host, out);
        else
            strbuf_adds(out, "{\"State\":\"failed\",\"HealthMetrics\":\"\"}");
    }
    strbuf_adds(out, "}\n");
    return strbuf_error(out);
}

void metric_health_handle(void *arg, struct net_request *request)
{
    struct metric_api *api = arg;
    AUTO(health_request_done) struct health_request wanted = { 0 };
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct err err = { 0 };
    int rc = health_request_parse(metric_body(request), metric_call_hold(api->call),
                                  &wanted, &err);
    if (rc == -EBADMSG && api->strictness == METRIC_STRICT)
        metric_request_peer_words(metric_body(request), &err);
    if (rc == -EBADMSG)
        (void)err_prefix(&err, rc, "parsing request body failed");
    if (rc == 0) {
        unsigned reader = metric_store_enter(api->store);
        rc = write_hosts(api, &wanted, &out);
        metric_store_leave(api->store, reader);
    }
    if (rc < 0)
        metric_call_error(api, request, rc, &err);
    else
        net_reply_json(request, 200, &out);
}
