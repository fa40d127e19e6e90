/* SPDX-License-Identifier: Apache-2.0 */
/* write_routes - metrics by HTTP, as ClusterCockpit's and InfluxDB's senders do it. */
#include "ingest/write_routes.h"

#include "base/clock.h"
#include "base/json_writer.h"
#include "base/number.h"
#include "base/span.h"
#include "ingest/sender_routes.h"
#include "ingest/write_response.h"
#include "ingest/write_sender.h"

#include <stdatomic.h>

enum { COUNTS = 13 };

struct write_routes {
    const struct write_opts *opts;
    const struct sink *sink;
    struct lookup_cache *cache;
    bool is_open, is_strict, has_tokens;
    _Atomic uint64_t requests, failed;
    _Atomic uint64_t counts[COUNTS]; /* as write_routes_count() has them */
};

/* One way in. */
struct entrance {
    struct write_routes *routes;
    enum write_dialect dialect;
};

/* One request. */
struct writing {
    struct write_routes *routes;
    enum write_dialect dialect;
    bool is_durable; /* the response waits for the disk */
    struct line_receiver *receiver;
    struct sender_account *account; /* NULL: there are no shares */
};

static void writing_free(void *arg)
{
    struct writing *writing = arg;
    line_receiver_free(writing->receiver);
    free(writing);
}

/* ---- what the request says ---- */

static int read_precision(struct net_request *request, enum write_dialect dialect,
                          int64_t *ret, struct err *err)
{
    static const struct {
        const char *name;
        int64_t unit_ns;
    } units[] = {
        { "ns", 1 },
        { "n", 1 },
        { "us", 1000 },
        { "u", 1000 },
        { "ms", NS_PER_MS },
        { "s", NS_PER_S },
        { "m", NS_PER_S * 60 },
        { "h", NS_PER_S * 3600 },
        { "auto", LINE_UNIT_AUTO },
    };
    struct span text = net_request_query(request, "precision");
    *ret = dialect == WRITE_CLUSTERCOCKPIT ? LINE_UNIT_AUTO : 1;
    if (text.size == 0)
        return 0;
    for (size_t i = 0; i < COUNT_OF(units); i++) {
        if (!span_is(text, units[i].name))
            continue;
        *ret = units[i].unit_ns;
        return 0;
    }
    return err_set(err, EINVAL,
                   "precision: invalid value '" SPAN_FMT "' (choose ns, us, ms, s)",
                   SPAN_ARG(text));
}

static int read_switch(struct net_request *request, const char *name, bool *ret,
                       struct err *err)
{
    struct span text = net_request_query(request, name);
    *ret = span_is(text, "1") || span_is(text, "true");
    if (*ret || text.size == 0 || span_is(text, "0") || span_is(text, "false"))
        return 0;
    return err_set(err, EINVAL, "%s: '" SPAN_FMT "' is neither 1 nor 0", name,
                   SPAN_ARG(text));
}

/* A database or bucket is the nearest that InfluxDB has to a cluster. */
static struct span cluster_of(const struct write_routes *routes,
                              struct net_request *request, enum write_dialect dialect)
{
    static const char *const names[] = {
        [WRITE_CLUSTERCOCKPIT] = "cluster",
        [WRITE_INFLUX_1] = "db",
        [WRITE_INFLUX_2] = "bucket",
    };
    struct span cluster = net_request_query(request, "cluster");
    if (cluster.size == 0)
        cluster = write_sender_cluster(request);
    if (cluster.size == 0)
        cluster = span_of(routes->opts->cluster);
    return cluster.size ? cluster : net_request_query(request, names[dialect]);
}

static int begin(void *arg, struct net_request *request, void **ret_state,
                 struct err *err)
{
    const struct entrance *entrance = arg;
    struct write_routes *routes = entrance->routes;
    bool is_clustercockpit = entrance->dialect == WRITE_CLUSTERCOCKPIT;
    struct line_receiver_opts opts = {
        .sink = routes->sink,
        .cache = routes->cache,
        .names.form = is_clustercockpit ? LINE_CLUSTERCOCKPIT : LINE_INFLUX,
        .names.cluster = cluster_of(routes, request, entrance->dialect),
        .names.only_host = write_sender_host(request),
        .names.only_cluster = write_sender_cluster(request),
        .now_ns = clock_now_ns(),
        .is_open = routes->is_open || !is_clustercockpit,
        .is_strict = routes->is_strict && is_clustercockpit,
        .account = write_sender_account(routes->sink, routes->has_tokens, request),
    };
    bool is_durable = false, is_open = false;
    int rc = read_precision(request, entrance->dialect, &opts.unit_ns, err);
    if (rc == 0)
        rc = read_switch(request, "durable", &is_durable, err);
    if (rc == 0)
        rc = read_switch(request, "open", &is_open, err);
    if (rc < 0)
        return rc;
    /* What /write allows to the same sender, in ClusterCockpit's form. */
    opts.is_open |= is_open;
    opts.is_strict &= !is_open;
    struct writing *writing = calloc(1, sizeof *writing);
    rc = writing ? line_receiver_new(&opts, &writing->receiver) : -ENOMEM;
    if (rc < 0) {
        free(writing);
        return err_set(err, -rc, "out of memory");
    }
    writing->routes = routes;
    writing->dialect = entrance->dialect;
    writing->is_durable = is_durable;
    writing->account = opts.account;
    *ret_state = writing;
    return 0;
}

static int explain(int rc, struct err *err)
{
    if (rc == -ENOSPC)
        return err_set(err, ENOSPC, "the disk is full: send again later");
    return err_set(err, -rc, "the samples cannot be stored now: %s", strerror(-rc));
}

/* A write that cannot be kept is to be sent again, whatever the disk's reason is; not
 * what is wrong in itself, and will be as often as it is sent. */
static int as_unavailable(int rc)
{
    return rc == -EINVAL || rc == -EMSGSIZE || rc == -ENOSPC ? rc : -EAGAIN;
}

static int take_data(void *state, struct net_request *request, const void *data,
                     size_t size, struct err *err)
{
    struct writing *writing = state;
    struct span piece = { data, size };
    int rc = line_receiver_feed(writing->receiver, piece);
    if (rc < 0) {
        atomic_fetch_add(&writing->routes->failed, 1);
        (void)explain(rc, err);
        return as_unavailable(rc);
    }
    if (net_request_charge(request, line_receiver_bytes(writing->receiver)) < 0)
        return err_set(err, EAGAIN, "too much at once: try again");
    return 0;
}

static const struct net_body body = {
    .begin = begin,
    .data = take_data,
    .free = writing_free,
};

/* ---- the response ---- */

static void handle(void *arg, struct net_request *request)
{
    const struct entrance *entrance = arg;
    struct writing *writing = net_request_state(request);
    struct write_routes *routes = entrance->routes;
    struct err err = { 0 };
    int rc = line_receiver_finish(writing->receiver);
    if (rc == 0 && writing->is_durable && routes->sink->sync)
        rc = routes->sink->sync(routes->sink->arg);
    const struct line_result *result = line_receiver_result(writing->receiver);
    write_routes_count(routes, result);
    atomic_fetch_add(&routes->requests, 1);
    if (rc < 0) {
        atomic_fetch_add(&routes->failed, 1);
        (void)explain(rc, &err);
        write_response_failed(request, entrance->dialect, as_unavailable(rc), &err);
        return;
    }
    write_response(request, entrance->dialect, result,
                   result->refused.rate ? write_sender_wait_s(writing->account) : 0);
}

void write_routes_count(struct write_routes *routes, const struct line_result *result)
{
    const uint64_t counts[COUNTS] = {
        result->lines,        result->accepted,           result->too_old,
        result->bad,          result->unknown_metric,     result->unknown_tag,
        result->strings,      result->refused.store_full, result->refused.share,
        result->refused.rate, result->refused.name,       result->collapsed,
        result->unaddressed,
    };
    for (size_t i = 0; i < COUNTS; i++) {
        if (counts[i])
            atomic_fetch_add_explicit(&routes->counts[i], counts[i],
                                      memory_order_relaxed);
    }
}

/* ---- what InfluxDB's clients ask before they send ---- */

static void handle_ping(void *arg, struct net_request *request)
{
    (void)arg;
    net_reply_header(request, "X-Influxdb-Version", "barograph-" BARO_VERSION);
    net_reply(request, 204, NULL, NULL);
}

static void handle_health(void *arg, struct net_request *request)
{
    (void)arg;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    strbuf_adds(&out,
                "{\"name\":\"barograph\",\"status\":\"pass\","
                "\"message\":\"ready for writes\",\"version\":\"" BARO_VERSION "\"}\n");
    net_reply_json(request, 200, &out);
}

/* Telegraf wants its database made before it writes; there is nothing to make. */
static void handle_query(void *arg, struct net_request *request)
{
    (void)arg;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    strbuf_adds(&out, "{\"results\":[{\"statement_id\":0}]}\n");
    net_reply_json(request, 200, &out);
}

static int begin_nothing(void *arg, struct net_request *request, void **ret_state,
                         struct err *err)
{
    (void)request;
    (void)err;
    *ret_state = arg;
    return 0;
}

static int pass_over(void *state, struct net_request *request, const void *data,
                     size_t size, struct err *err)
{
    (void)state;
    (void)request;
    (void)data;
    (void)size;
    (void)err;
    return 0;
}

static void free_nothing(void *state)
{
    (void)state;
}

static const struct net_body no_body = {
    .begin = begin_nothing,
    .data = pass_over,
    .free = free_nothing,
};

/* ---- the door ---- */

static struct entrance *entrance_of(struct write_routes *routes,
                                    enum write_dialect dialect)
{
    struct entrance *entrances = (struct entrance *)(routes + 1);
    return &entrances[dialect];
}

static int add_writing(struct write_routes *routes, struct net_server *server)
{
    static const struct {
        const char *pattern;
        enum write_dialect dialect;
    } ways[] = {
        { "/api/write", WRITE_CLUSTERCOCKPIT },
        { "/api/write/", WRITE_CLUSTERCOCKPIT },
        { "/write", WRITE_INFLUX_1 },
        { "/api/v2/write", WRITE_INFLUX_2 },
    };
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < COUNT_OF(ways); i++) {
        const struct net_route route = {
            .method = "POST",
            .pattern = ways[i].pattern,
            .roles = NET_ROLE_AGENT |
                     (routes->opts->readers_may_write ? NET_ROLE_READER : 0),
            .handle = handle,
            .body = &body,
            .arg = entrance_of(routes, ways[i].dialect),
        };
        rc = net_server_add_route(server, &route);
    }
    return rc;
}

static int add_questions(struct write_routes *routes, struct net_server *server)
{
    const struct net_route list[] = {
        { .method = "GET", .pattern = "/ping", .handle = handle_ping },
        { .method = "GET", .pattern = "/health", .handle = handle_health },
        { .method = "GET", .pattern = "/query", .handle = handle_query },
        { .method = "POST",
          .pattern = "/query",
          .handle = handle_query,
          .body = &no_body,
          .arg = routes },
    };
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < COUNT_OF(list); i++)
        rc = net_server_add_route(server, &list[i]);
    return rc;
}

int write_routes_new(struct net_server *server, const struct write_opts *opts,
                     const struct sink *sink, bool is_strict, bool has_tokens,
                     struct write_routes **ret, struct err *err)
{
    struct span metrics = span_of(opts->metrics);
    AUTO(write_routes_free)
    struct write_routes *routes =
        calloc(1, sizeof *routes + WRITE_DIALECT_COUNT * sizeof(struct entrance));
    if (!routes)
        return err_set(err, ENOMEM, "out of memory");
    if (!span_is(metrics, "declared") && !span_is(metrics, "open"))
        return err_set(err, EINVAL, "write.metrics: '%s' is neither declared nor open",
                       opts->metrics);
    routes->opts = opts;
    routes->sink = sink;
    routes->is_open = span_is(metrics, "open");
    routes->is_strict = is_strict;
    routes->has_tokens = has_tokens;
    for (int i = 0; i < WRITE_DIALECT_COUNT; i++)
        *entrance_of(routes, (enum write_dialect)i) =
            (struct entrance){ routes, (enum write_dialect)i };
    int rc = lookup_cache_new((size_t)opts->lookup_cache_max, &routes->cache);
    if (rc == 0)
        rc = add_writing(routes, server);
    if (rc == 0)
        rc = add_questions(routes, server);
    if (rc == 0 && sink->quota)
        rc = sender_routes_register(sink->quota, server);
    if (rc < 0)
        return err_set(err, -rc, "metrics: %s", strerror(-rc));
    *ret = TAKE(routes);
    return 0;
}

void write_routes_free(struct write_routes *routes)
{
    if (!routes)
        return;
    lookup_cache_free(routes->cache);
    free(routes);
}

struct lookup_cache *write_routes_cache(struct write_routes *routes)
{
    return routes->cache;
}

void write_routes_stats(struct write_routes *routes, struct write_stats *ret)
{
    struct write_stats stats = {
        .requests = atomic_load(&routes->requests),
        .failed = atomic_load(&routes->failed),
        .lines = atomic_load(&routes->counts[0]),
        .accepted = atomic_load(&routes->counts[1]),
        .too_old = atomic_load(&routes->counts[2]),
        .bad = atomic_load(&routes->counts[3]),
        .unknown_metric = atomic_load(&routes->counts[4]),
        .unknown_tag = atomic_load(&routes->counts[5]),
        .strings = atomic_load(&routes->counts[6]),
        .refused = { .store_full = atomic_load(&routes->counts[7]),
                     .share = atomic_load(&routes->counts[8]),
                     .rate = atomic_load(&routes->counts[9]),
                     .name = atomic_load(&routes->counts[10]) },
        .collapsed = atomic_load(&routes->counts[11]),
        .unaddressed = atomic_load(&routes->counts[12]),
    };
    lookup_cache_stats(routes->cache, &stats.cache);
    *ret = stats;
}
