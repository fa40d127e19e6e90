/* SPDX-License-Identifier: Apache-2.0 */
/* metric_query - /api/query, as cc-metric-store responds to it, byte for byte.
 *
 *     {"queries":[...],"results":[[item,...],...]}
 *     item: error? data? from to resolution avg min max
 *
 * data has 3 decimals, statistics have 2, what is missing is null.  The peer's order of
 * work: read, resample, statistics, scale, pad, leave the data out.
 */
#include "api/metric/metric_body.h"
#include "api/metric/metric_call.h"
#include "api/metric/metric_request.h"
#include "api/metric/metric_routes.h"
#include "base/decimal_text.h"
#include "base/number.h"
#include "base/span.h"

#include <math.h>
#include <stdlib.h>

#define QUERY_PIECE_BYTES (64 * 1024)
#define PREFETCH_QUERIES 32
#define SECONDS_MAX (INT64_MAX / NS_PER_S)

enum phase {
    PHASE_HEAD,
    PHASE_RESULTS,
    PHASE_TAIL,
    PHASE_OVER,
};

/* One answer under way. */
struct response {
    struct metric_api *api;
    struct metric_request request;
    struct metric_reader *reader;
    struct metric_levels hosts; /* of the cluster, for those asked of every host */
    struct metric_levels levels;
    enum phase phase;
    size_t query;    /* the next one's index: the request's, then hosts × metrics */
    size_t selector; /* within it */
    size_t items;    /* of it that were written */
    struct strbuf host;
    size_t prefetched; /* queries below this one are near */
    /* Of the last PREFETCH_QUERIES of these the level, where they name one. */
    struct level *near[PREFETCH_QUERIES];
};

static void response_free(void *arg)
{
    struct response *a = arg;
    if (!a)
        return;
    metric_request_done(&a->request);
    metric_reader_free(a->reader);
    metric_levels_done(&a->hosts);
    metric_levels_done(&a->levels);
    strbuf_done(&a->host);
    free(a);
}
DEFINE_AUTO(struct response, response_free);

/* ---- queries that were not written out ---- */

/* The host's name as it was sent; valid until the next call. */
static struct span host_name(struct response *a, const struct level *level)
{
    struct component c;
    component_parse((struct span){ level->path, level->path_size }, &c);
    strbuf_clear(&a->host);
    if (strbuf_reserve(&a->host, c.host.size + 1) < 0)
        return SPAN("");
    return (struct span){ a->host.data, component_unescape(c.host, a->host.data) };
}

static size_t query_count(const struct response *a)
{
    return a->request.query_count + a->hosts.count * a->request.for_all.count;
}

static void get_query(struct response *a, size_t index, struct metric_query *ret)
{
    const struct metric_request *request = &a->request;
    if (index < request->query_count) {
        *ret = request->queries[index];
        return;
    }
    index -= request->query_count;
    *ret = (struct metric_query){
        .metric = request->for_all.items[index % request->for_all.count],
        .selection = {
            .cluster = request->cluster,
            .host = host_name(a, a->hosts.items[index / request->for_all.count]),
        },
    };
}

static void write_head(struct response *a, struct strbuf *out)
{
    size_t first = a->request.query_count, count = query_count(a);
    strbuf_addc(out, '{');
    for (size_t i = first; i < count; i++) {
        struct metric_query query;
        get_query(a, i, &query);
        strbuf_adds(out, i == first ? "\"queries\":[" : ",");
        strbuf_adds(out, "{\"metric\":");
        json_add_html_safe(out, query.metric);
        strbuf_adds(out, ",\"host\":");
        json_add_html_safe(out, query.selection.host);
        strbuf_adds(out, ",\"resolution\":0,\"aggreg\":false}");
    }
    strbuf_adds(out, count > first ? "],\"results\":[" : "\"results\":[");
}

/* ---- items ---- */

static int64_t to_ns(int64_t t_s)
{
    return t_s < 0 ? 0 : (t_s > SECONDS_MAX ? SECONDS_MAX : t_s) * NS_PER_S;
}

static void write_error(struct strbuf *out, const char *text)
{
    strbuf_adds(out, "{\"error\":");
    json_add_html_safe(out, span_of(text));
    strbuf_adds(out, ",\"from\":0,\"to\":0,\"resolution\":0,"
                     "\"avg\":0.00,\"min\":0.00,\"max\":0.00}");
}

/* The hot loop of all responses: one look for room, digits, a comma.  The peer adds to
 * zero, which takes the sign off a zero. */
static int write_values(struct strbuf *out, const double *values, size_t count,
                        double scale)
{
    for (size_t i = 0; i < count; i++) {
        if (out->capacity - out->size < DECIMAL_TEXT_MAX + 2 &&
            strbuf_reserve(out, QUERY_PIECE_BYTES) < 0)
            return -ENOMEM;
        char *at = out->data + out->size;
        size_t size = decimal_print_3(at, (values[i] + 0.0) * scale);
        at[size] = ',';
        out->size += size + 1;
    }
    return 0;
}

static int write_data(struct strbuf *out, const struct metric_result *answer,
                      size_t padding, double scale)
{
    if (answer->count + padding == 0)
        return 0;
    strbuf_adds(out, "\"data\":[");
    for (size_t i = 0; i < padding; i++)
        strbuf_add(out, "null,", 5);
    int rc = strbuf_error(out);
    if (rc == 0)
        rc = write_values(out, answer->values, answer->count, scale);
    if (rc < 0)
        return rc;
    out->data[out->size - 1] = ']'; /* for the last comma */
    strbuf_addc(out, ',');
    return 0;
}

static void write_statistic(struct strbuf *out, const char *key, double value)
{
    char text[DECIMAL_TEXT_MAX];
    strbuf_adds(out, key);
    strbuf_add(out, text, decimal_print_2(text, value));
}

static int write_item(struct response *a, struct strbuf *out,
                      const struct metric_query *query, const struct metric *metric,
                      const struct metric_result *answer)
{
    const struct metric_request *request = &a->request;
    const struct metric_numbers *n = &answer->numbers;
    double scale = query->scale == 0 ? 1 : query->scale;
    int64_t own_ns = step_of_grid(metric->step_ns);
    int64_t step_ns = own_ns ? own_ns : answer->step_ns;
    int64_t padding = request->has_padding
                          ? answer->from_ns / step_ns - to_ns(request->from_s) / step_ns
                          : 0;
    if (padding > (int64_t)METRIC_POINTS_MAX) {
        write_error(out, "the range begins too long before the data to be padded");
        return 0;
    }
    strbuf_addc(out, '{');
    int rc = request->has_data
                 ? write_data(out, answer, padding > 0 ? (size_t)padding : 0, scale)
                 : 0;
    strbuf_adds(out, "\"from\":");
    strbuf_add_i64(out, answer->from_ns / NS_PER_S);
    strbuf_adds(out, ",\"to\":");
    strbuf_add_i64(out, answer->to_ns / NS_PER_S);
    strbuf_adds(out, ",\"resolution\":");
    strbuf_add_i64(out, answer->step_ns / NS_PER_S);
    bool has = request->has_stats;
    write_statistic(out, ",\"avg\":", (has ? n->sum / (double)n->count : 0) * scale);
    write_statistic(out, ",\"min\":", (has ? n->min + 0.0 : 0) * scale);
    write_statistic(out, ",\"max\":", (has ? n->max + 0.0 : 0) * scale);
    strbuf_addc(out, '}');
    return rc;
}

static int read_selection(struct response *a, const struct metric_query *query,
                          const struct metric *metric, struct metric_result *ret,
                          struct err *err)
{
    const struct metric_request *request = &a->request;
    if (request->from_s > request->to_s)
        return err_set(err, EINVAL, "[METRICSTORE]> invalid time range");
    if (!metric)
        return err_set(err, EINVAL, "[METRICSTORE]> unknown metric: " SPAN_FMT,
                       SPAN_ARG(query->metric));
    struct level *near = a->near[a->query % PREFETCH_QUERIES];
    int rc =
        near ? 0
             : metric_select(a->api->store, &query->selection, a->selector, &a->levels);
    if (rc < 0)
        return rc;
    const struct metric_read_opts question = {
        .metric = metric,
        .levels = near ? &near : a->levels.items,
        .level_count = near ? 1 : a->levels.count,
        .from_ns = to_ns(request->from_s),
        .to_ns = to_ns(request->to_s),
        .resolution_ns = to_ns(query->resolution_s),
        .resample_points_min = METRIC_RESAMPLE_POINTS_MIN,
        .aggregation = metric->aggregation,
        .strictness = a->api->strictness,
        .want = request->has_data ? METRIC_WANT_DATA | METRIC_WANT_STATS
                                  : METRIC_WANT_STATS,
    };
    return metric_read(a->reader, &question, ret, err);
}

/* One selector of one query.  What has no such host or metric has no item. */
static int write_selector(struct response *a, struct strbuf *out,
                          const struct metric_query *query)
{
    struct metric_result answer = { 0 };
    struct err err = { 0 };
    const struct metric *metric =
        metric_find(metric_store_metrics(a->api->store), query->metric);
    int rc = read_selection(a, query, metric, &answer, &err);
    if (rc == -ENOENT || rc == -ENOMEM)
        return rc == -ENOENT ? 0 : rc;
    if (a->items++ > 0)
        strbuf_addc(out, ',');
    if (rc < 0)
        write_error(out, err.text[0] ? err.text : strerror(-rc));
    return rc < 0 ? 0 : write_item(a, out, query, metric, &answer);
}

/* Short responses of many series cost what their memory takes to come: that of the next
 * few queries is asked for at once.  A selector of parts is left to itself. */
static void prefetch(struct response *a)
{
    struct series_wish wishes[PREFETCH_QUERIES];
    const struct metric_series *series[PREFETCH_QUERIES];
    size_t count = 0, found = 0, end = a->query + PREFETCH_QUERIES;
    for (; a->prefetched < end && a->prefetched < query_count(a); a->prefetched++) {
        struct metric_query query;
        struct level **near = &a->near[a->prefetched % PREFETCH_QUERIES];
        *near = NULL;
        get_query(a, a->prefetched, &query);
        const struct metric *metric =
            metric_find(metric_store_metrics(a->api->store), query.metric);
        if (!metric || query.selection.has_type ||
            metric_select(a->api->store, &query.selection, 0, &a->levels) < 0 ||
            a->levels.count != 1)
            continue;
        *near = a->levels.items[0];
        wishes[count++] =
            (struct series_wish){ metric_store_tree(a->api->store, (*near)->shard),
                                  *near, metric->id };
    }
    level_series_prefetch(wishes, count);
    for (size_t i = 0; i < count; i++) {
        const struct level_series *s =
            level_series_find(wishes[i].tree, wishes[i].level, wishes[i].metric);
        if (s)
            series[found++] = &s->series;
    }
    series_prefetch(series, found);
}

static int write_results(struct response *a, struct strbuf *out)
{
    int rc = 0;
    while (rc == 0 && a->query < query_count(a) && out->size < QUERY_PIECE_BYTES) {
        rc = metric_call_watch(a->api->call);
        if (rc < 0)
            return rc;
        struct metric_query query;
        if (a->query >= a->prefetched)
            prefetch(a);
        get_query(a, a->query, &query);
        if (a->selector == 0) {
            strbuf_adds(out, a->query > 0 ? ",[" : "[");
            a->items = 0;
        }
        if (a->selector < metric_select_count(&query.selection))
            rc = write_selector(a, out, &query);
        if (++a->selector < metric_select_count(&query.selection))
            continue;
        strbuf_addc(out, ']');
        a->selector = 0;
        a->query++;
    }
    return rc;
}

static int next_piece(void *arg, struct strbuf *out)
{
    struct response *a = arg;
    int rc = 0;
    unsigned reader = metric_store_enter(a->api->store);
    if (a->phase == PHASE_HEAD) {
        write_head(a, out);
        a->phase = PHASE_RESULTS;
    }
    if (a->phase == PHASE_RESULTS) {
        rc = write_results(a, out);
        if (a->query == query_count(a))
            a->phase = PHASE_TAIL;
    }
    if (a->phase == PHASE_TAIL && rc == 0 && out->size < QUERY_PIECE_BYTES) {
        strbuf_adds(out, "]}\n");
        a->phase = PHASE_OVER;
    }
    metric_store_leave(a->api->store, reader);
    return rc;
}

/* ---- the request ---- */

static int find_hosts(struct response *a)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    if (a->request.for_all.count == 0 || a->request.cluster.size == 0)
        return 0;
    component_print_name(&path, a->request.cluster);
    if (strbuf_error(&path))
        return -ENOMEM;
    unsigned reader = metric_store_enter(a->api->store);
    int rc = metric_children(a->api->store, strbuf_span(&path), &a->hosts);
    metric_store_leave(a->api->store, reader);
    return rc;
}

static int response_new(struct metric_api *api, struct span body, struct response **ret,
                        struct err *err)
{
    AUTO(response_free) struct response *a = calloc(1, sizeof *a);
    if (!a)
        return -ENOMEM;
    a->api = api;
    int rc = metric_request_parse(body, metric_call_hold(api->call), &a->request, err);
    if (rc == -EBADMSG && api->strictness == METRIC_STRICT)
        metric_request_peer_words(body, err);
    if (rc == 0)
        rc = metric_reader_new(api->store, &a->reader);
    if (rc == 0)
        metric_reader_watch(a->reader, metric_call_watch, api->call);
    if (rc == 0)
        rc = find_hosts(a);
    if (rc == 0)
        *ret = TAKE(a);
    return rc;
}

void metric_query_handle(void *arg, struct net_request *request)
{
    struct response *a = NULL;
    struct err err = { 0 };
    int rc = response_new(arg, metric_body(request), &a, &err);
    if (rc < 0) {
        metric_call_error(arg, request, rc, &err);
        return;
    }
    const struct net_stream stream = { .next = next_piece,
                                       .free = response_free,
                                       .state = a,
                                       .coding = NET_STREAM_PLAIN };
    metric_call_stream(arg, request, "application/json", &stream);
}
