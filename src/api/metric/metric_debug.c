/* SPDX-License-Identifier: Apache-2.0 */
/* metric_debug - /api/debug: what the store holds, as JSON that can be read.
 *
 *     {"data":{"alex":{"a0903":{"cpu_load":[{"start":..,"len":256,"end":..},...],
 *                               "hwthread7":{"cpu_user":[...]}}}}}
 *
 * Hosts are written one by one while the answer is sent.
 */
#include "api/metric/metric_call.h"
#include "api/metric/metric_error.h"
#include "api/metric/metric_routes.h"
#include "base/number.h"
#include "base/span.h"

#include <stdlib.h>

#define DUMP_PIECE_BYTES (64 * 1024)

struct dump {
    struct metric_store *store;
    struct metric_call *call;
    struct metric_levels clusters, hosts;
    size_t cluster, host; /* next */
    struct level *top;    /* a host or below it: all there is; NULL: clusters */
    enum {
        DUMP_HEAD,
        DUMP_CLUSTER, /* its beginning */
        DUMP_HOSTS,
        DUMP_TAIL,
        DUMP_OVER,
    } phase;
    bool is_whole;   /* the root: clusters stand under their names */
    bool has_member; /* of the object that is open: a comma is due */
    struct strbuf text;
};

static void dump_free(void *arg)
{
    struct dump *d = arg;
    if (!d)
        return;
    metric_levels_done(&d->clusters);
    metric_levels_done(&d->hosts);
    strbuf_done(&d->text);
    free(d);
}
DEFINE_AUTO(struct dump, dump_free);

/* ---- writing ---- */

static void write_key(struct dump *d, struct strbuf *out, struct span name)
{
    if (d->has_member)
        strbuf_addc(out, ',');
    d->has_member = true;
    json_add_html_safe(out, name);
    strbuf_addc(out, ':');
}

struct parts {
    struct strbuf *out;
    int64_t step_ns;
    size_t count;
};

/* What is handed on at once is one block, or the head. */
static int take_part(void *arg, const int64_t *times, const double *values,
                     size_t count)
{
    struct parts *p = arg;
    (void)values;
    strbuf_addf(p->out, "%s{\"start\":%lld,\"len\":%zu,\"end\":%lld}",
                p->count++ ? "," : "", (long long)(times[0] / NS_PER_S), count,
                (long long)((times[count - 1] + p->step_ns) / NS_PER_S));
    return 0;
}

static int write_series(struct dump *d, struct strbuf *out, const struct level *level)
{
    const struct level_series *s =
        atomic_load_explicit(&level->series, memory_order_acquire);
    int rc = 0;
    for (; rc == 0 && s; s = s->next) {
        const struct metric *m = metric_at(metric_store_metrics(d->store), s->metric);
        struct parts parts = { out, series_grid_ns(&s->series), 0 };
        struct metric_range range = { 0, INT64_MAX, take_part, &parts };
        struct metric_read read;
        write_key(d, out, m ? m->name : SPAN("?"));
        strbuf_addc(out, '[');
        rc = metric_store_read(d->store, s, &range, &read);
        strbuf_addc(out, ']');
    }
    return rc;
}

/* As deep as LEVEL_DEPTH_MAX. */
static int write_below(struct dump *d, struct strbuf *out, const struct level *level)
{
    int rc = metric_call_watch(d->call);
    if (rc == 0)
        rc = write_series(d, out, level);
    const struct level *child =
        atomic_load_explicit(&level->child, memory_order_acquire);
    for (; rc == 0 && child; child = child->next) {
        struct span name;
        rc = component_last_name((struct span){ child->path, child->path_size },
                                 &d->text, &name);
        if (rc < 0)
            break;
        write_key(d, out, name);
        strbuf_addc(out, '{');
        d->has_member = false;
        rc = write_below(d, out, child);
        strbuf_addc(out, '}');
        d->has_member = true;
    }
    return rc;
}

static int begin_cluster(struct dump *d, struct strbuf *out)
{
    const struct level *cluster = d->clusters.items[d->cluster];
    struct span path = { cluster->path, cluster->path_size }, name;
    int rc = metric_children(d->store, path, &d->hosts);
    if (rc == 0)
        rc = component_last_name((struct span){ cluster->path, cluster->path_size },
                                 &d->text, &name);
    if (rc < 0)
        return rc;
    if (d->is_whole) {
        write_key(d, out, name);
        strbuf_addc(out, '{');
        d->has_member = false;
    }
    for (size_t i = 0; rc == 0 && i < metric_store_shard_count(d->store); i++) {
        const struct level *level = level_find(metric_store_tree(d->store, i), path);
        rc = level ? write_series(d, out, level) : 0;
    }
    d->host = 0;
    d->phase = DUMP_HOSTS;
    return rc;
}

static int write_hosts(struct dump *d, struct strbuf *out)
{
    int rc = 0;
    while (rc == 0 && d->host < d->hosts.count && out->size < DUMP_PIECE_BYTES) {
        const struct level *host = d->hosts.items[d->host++];
        struct span name;
        rc = component_last_name((struct span){ host->path, host->path_size }, &d->text,
                                 &name);
        if (rc < 0)
            break;
        write_key(d, out, name);
        strbuf_addc(out, '{');
        d->has_member = false;
        rc = write_below(d, out, host);
        strbuf_addc(out, '}');
        d->has_member = true;
    }
    if (d->host == d->hosts.count) {
        if (d->is_whole)
            strbuf_addc(out, '}');
        d->has_member = true;
        d->cluster++;
        d->phase = d->cluster < d->clusters.count ? DUMP_CLUSTER : DUMP_TAIL;
    }
    return rc;
}

static int write_phase(struct dump *d, struct strbuf *out)
{
    switch (d->phase) {
    case DUMP_HEAD:
        strbuf_adds(out, "{\"data\":{");
        d->phase = d->clusters.count > 0 && !d->top ? DUMP_CLUSTER : DUMP_TAIL;
        return d->top ? write_below(d, out, d->top) : 0;
    case DUMP_CLUSTER:
        return begin_cluster(d, out);
    case DUMP_HOSTS:
        return write_hosts(d, out);
    default:
        strbuf_adds(out, "}}\n");
        d->phase = DUMP_OVER;
        return 0;
    }
}

static int next_piece(void *arg, struct strbuf *out)
{
    struct dump *d = arg;
    int rc = 0;
    unsigned reader = metric_store_enter(d->store);
    while (rc == 0 && d->phase != DUMP_OVER && out->size < DUMP_PIECE_BYTES)
        rc = write_phase(d, out);
    metric_store_leave(d->store, reader);
    return rc;
}

/* ---- the selector: names divided by colons ---- */

static int not_found(struct span selector, struct err *err)
{
    AUTO(strbuf_done) struct strbuf names = STRBUF_INIT;
    struct span name;
    while (selector.size > 0) {
        (void)span_cut(&selector, ':', &name);
        if (names.size > 0)
            strbuf_adds(&names, ", ");
        json_add_html_safe(&names, name);
    }
    return err_set(err, ENOENT, "[METRICSTORE]> not found: []string{%s}",
                   strbuf_text(&names));
}

static int select_level(struct dump *d, struct span selector, struct err *err)
{
    struct span rest = selector, path = SPAN("");
    struct level *level = NULL;
    int rc = 0;
    while (rc == 0 && rest.size > 0) {
        rc = metric_find_child(d->store, path, &rest, &level);
        if (rc == 0)
            path = (struct span){ level->path, level->path_size };
    }
    if (rc == -ENOENT)
        return not_found(selector, err);
    if (rc < 0)
        return rc;
    d->is_whole = !level;
    if (!level)
        return metric_children(d->store, path, &d->clusters);
    if (memchr(path.data, '/', path.size))
        d->top = level;
    else
        rc = metric_levels_add(&d->clusters, level);
    return rc;
}

void metric_debug_handle(void *arg, struct net_request *request)
{
    const struct metric_api *api = arg;
    AUTO(dump_free) struct dump *d = calloc(1, sizeof *d);
    struct err err = { 0 };
    int rc = d ? 0 : -ENOMEM;
    if (rc == 0) {
        d->store = api->store;
        d->call = api->call;
        unsigned reader = metric_store_enter(d->store);
        rc = select_level(d, net_request_query(request, "selector"), &err);
        metric_store_leave(d->store, reader);
    }
    if (rc < 0) {
        metric_reply_error(request, rc, &err);
        return;
    }
    const struct net_stream stream = { .next = next_piece,
                                       .free = dump_free,
                                       .state = TAKE(d),
                                       .coding = NET_STREAM_PLAIN };
    metric_call_stream(arg, request, "application/json", &stream);
}
