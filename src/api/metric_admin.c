/* SPDX-License-Identifier: Apache-2.0 */
/* metric_admin - /api/free and /api/healthcheck. */
#include "api/metric_request.h"
#include "api/metric_routes.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/timetext.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>

/* The peer's: a metric is well while its newest sample is no older than so many steps,
 * and of twice as many values no more are missing. */
#define MISSING_MAX 5
#define LOOKED_AT (2 * MISSING_MAX)

/* ---- /api/free ---- */

/* The path of a selector, whose names are the peer's.  Errors: -ENOENT, -ENOMEM. */
static int find_path(const struct metric_store *store, const struct metric_names *names,
                     struct span *ret)
{
    struct span path = SPAN("");
    for (size_t i = 0; i < names->count; i++) {
        struct span rest = names->items[i];
        struct level *level;
        int rc = metric_find_child(store, path, &rest, &level);
        if (rc < 0)
            return rc;
        if (rest.size > 0)
            return -ENOENT;
        path = (struct span){ level->path, level->path_size };
    }
    *ret = path;
    return 0;
}

static int free_selectors(struct metric_store *store, const struct free_request *wanted,
                          int64_t t_ns, size_t *released)
{
    for (size_t i = 0; i < wanted->selector_count; i++) {
        struct span path;
        unsigned reader = metric_store_enter(store);
        int rc = find_path(store, &wanted->selectors[i], &path);
        metric_store_leave(store, reader);
        if (rc == -ENOMEM)
            return rc;
        /* What is not there needs no freeing. */
        if (rc == 0)
            *released += metric_store_release(store, path, t_ns);
    }
    return 0;
}

static void reply_text(struct net_request *request, unsigned status, const char *text)
{
    AUTO(strbuf_done) struct strbuf body = STRBUF_INIT;
    strbuf_adds(&body, text);
    net_reply(request, status, "text/plain; charset=utf-8", &body);
}

void metric_free_handle(void *arg, struct net_request *request)
{
    const struct metric_api *api = arg;
    struct span to = net_request_query(request, "to");
    AUTO(free_request_done) struct free_request wanted = { 0 };
    struct err err = { 0 };
    int64_t to_s;
    size_t released = 0;
    if (to.size == 0) {
        (void)err_set(&err, EINVAL, "'to' is a required query parameter");
        metric_reply_error(request, -EINVAL, &err);
        return;
    }
    if (number_parse_i64(to, &to_s) < 0 || to_s < 0 || to_s > INT64_MAX / NS_PER_S) {
        reply_text(request, 500, "'to' is not a number of seconds\n");
        return;
    }
    int rc = free_request_parse(metric_body(request), &wanted, &err);
    if (rc == 0)
        rc = free_selectors(api->store, &wanted, to_s * NS_PER_S, &released);
    if (rc < 0) {
        reply_text(request, rc == -ENOMEM ? 503 : 400, err.text);
        return;
    }
    /* The peer counts buffers; here a block is one. */
    char text[64];
    (void)snprintf(text, sizeof text, "buffers freed: %zu\n",
                   (released + CODEC_VALUES_MAX - 1) / CODEC_VALUES_MAX);
    reply_text(request, 200, text);
}

/* ---- /v1/store/spare ---- */

/* Longer is forgotten rather than meant. */
#define SPARE_LONGEST_NS (31 * 86400 * NS_PER_S)

struct spare_ask {
    struct span cluster, hosts;
    int64_t until_ns;
};

static int spare_parse(struct net_request *request, int64_t now_ns,
                       struct spare_ask *ret, struct err *err)
{
    struct span until = net_request_query(request, "until");
    *ret = (struct spare_ask){ .cluster = net_request_query(request, "cluster"),
                               .hosts = net_request_query(request, "hosts") };
    if (ret->cluster.size == 0 || ret->hosts.size == 0 || until.size == 0)
        return err_set(err, EINVAL, "cluster, hosts and until are wanted");
    if (timetext_parse_user(until, now_ns, &ret->until_ns) < 0)
        return err_set(err, EINVAL, "until: '" SPAN_FMT "' is not understood",
                       SPAN_ARG(until));
    if (ret->until_ns > now_ns + SPARE_LONGEST_NS)
        return err_set(err, EINVAL, "until: more than 31 days from now");
    return 0;
}

static int spare_hosts(struct metric_store *store, const struct spare_ask *ask,
                       size_t *ret_count, struct err *err)
{
    AUTO(hostset_free) struct hostset *hosts = NULL;
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    int rc = hostset_parse(ask->hosts, &hosts, err);
    for (size_t i = 0; rc == 0 && i < hostset_count(hosts); i++) {
        const struct component host = { .cluster = ask->cluster,
                                        .host = span_of(hostset_at(hosts, i)) };
        strbuf_clear(&path);
        component_print(&path, &host);
        rc = strbuf_error(&path);
        if (rc == 0)
            rc = metric_store_spare(store, strbuf_span(&path), ask->until_ns);
        *ret_count += rc == 0;
    }
    if (rc == -ENOSPC)
        return err_set(err, EAGAIN, "%zu hosts are spared already: as many as can be",
                       metric_store_spared_count(store));
    return rc == -E2BIG ? -EINVAL : rc;
}

void metric_spare_handle(void *arg, struct net_request *request)
{
    const struct metric_api *api = arg;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct json_writer w;
    struct spare_ask ask;
    struct err err = { 0 };
    size_t count = 0;
    int rc = spare_parse(request, clock_now_ns(), &ask, &err);
    if (rc == 0)
        rc = spare_hosts(api->store, &ask, &count, &err);
    if (rc < 0) {
        net_reply_error(request, rc, &err);
        return;
    }
    json_writer_init(&w, &out);
    json_object(&w);
    json_key(&w, "hosts");
    json_u64(&w, count);
    json_key(&w, "spared");
    json_u64(&w, metric_store_spared_count(api->store));
    json_object_end(&w);
    net_reply_json(request, 200, &out);
}

/* ---- /api/healthcheck ---- */

enum health {
    HEALTH_MISSING,
    HEALTH_WELL,
    HEALTH_DEGRADED,
};

/* The newest values of one series. */
struct newest {
    int64_t last_ns;
    size_t count;
    bool is_missing[LOOKED_AT];
};

static int take_newest(void *arg, const int64_t *times, const double *values,
                       size_t count)
{
    struct newest *n = arg;
    for (size_t i = 0; i < count; i++)
        n->is_missing[n->count++ % LOOKED_AT] = isnan(values[i]);
    n->last_ns = times[count - 1];
    return 0;
}

static enum health series_health(struct metric_store *store,
                                 const struct level_series *s, int64_t now_ns)
{
    int64_t grid_ns = series_grid_ns(&s->series);
    int64_t step_ns = grid_ns ? grid_ns : 60 * NS_PER_S;
    struct newest newest = { 0 };
    struct metric_range range = { now_ns - 4 * LOOKED_AT * step_ns, INT64_MAX,
                                  take_newest, &newest };
    struct metric_read read;
    size_t missing = 0;
    int rc = metric_store_read(store, s, &range, &read);
    if (rc < 0 || newest.count == 0 ||
        now_ns - (newest.last_ns + step_ns / 2) > MISSING_MAX * step_ns)
        return HEALTH_MISSING;
    for (size_t i = 0; i < newest.count && i < LOOKED_AT; i++)
        missing += newest.is_missing[i];
    return missing > MISSING_MAX ? HEALTH_DEGRADED : HEALTH_WELL;
}

/* Over the host and all below it: the worst of those that report at all. */
static enum health metric_health(struct metric_store *store, struct level *host,
                                 struct span name, int64_t now_ns)
{
    const struct metric *metric = metric_find(metric_store_metrics(store), name);
    enum health health = HEALTH_MISSING;
    const struct level_tree *tree = metric_store_tree(store, host->shard);
    for (struct level *level = host; metric && level; level = level_next(level, host)) {
        const struct level_series *s = level_series_find(tree, level, metric->id);
        enum health own = s ? series_health(store, s, now_ns) : HEALTH_MISSING;
        health = own > health ? own : health;
    }
    return health;
}

static void add_name(struct strbuf *list, struct span name)
{
    if (list->size > 0)
        strbuf_addc(list, ',');
    metric_add_text(list, name);
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
    else if (well == 0 && degraded.size == 0)
        state = "failed";
    strbuf_addf(&metrics, "{\"degraded\":[%s],\"missing\":[%s]}",
                strbuf_text(&degraded), strbuf_text(&missing));
    strbuf_addf(out, "{\"State\":\"%s\",\"HealthMetrics\":", state);
    metric_add_text(out, strbuf_span(&metrics));
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
static int write_hosts(struct metric_store *store, const struct health_request *request,
                       struct strbuf *out)
{
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
        struct component c = { .cluster = request->cluster, .host = nodes[i] };
        strbuf_clear(&path);
        component_print(&path, &c);
        if (strbuf_error(&path))
            return -ENOMEM;
        struct level *host = metric_store_level(store, strbuf_span(&path));
        if (i > 0)
            strbuf_addc(out, ',');
        metric_add_text(out, nodes[i]);
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
    const struct metric_api *api = arg;
    AUTO(health_request_done) struct health_request wanted = { 0 };
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct err err = { 0 };
    int rc = health_request_parse(metric_body(request), &wanted, &err);
    if (rc == 0) {
        unsigned reader = metric_store_enter(api->store);
        rc = write_hosts(api->store, &wanted, &out);
        metric_store_leave(api->store, reader);
    }
    if (rc < 0)
        metric_reply_error(request, rc, &err);
    else
        net_reply_json(request, 200, &out);
}
