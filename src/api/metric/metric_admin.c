/* SPDX-License-Identifier: Apache-2.0 */
/* metric_admin - /api/free and /v1/store/exempt. */
#include "api/metric/metric_body.h"
#include "api/metric/metric_error.h"
#include "api/metric/metric_request.h"
#include "api/metric/metric_routes.h"
#include "api/params.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "base/timetext.h"
#include "model/model.h"

#include <stdlib.h>

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

static int64_t seconds_ns(int64_t t_s)
{
    return t_s > INT64_MAX / NS_PER_S ? INT64_MAX : t_s * NS_PER_S;
}

static void reply_text(struct net_request *request, unsigned status, const char *text)
{
    AUTO(strbuf_done) struct strbuf body = STRBUF_INIT;
    strbuf_addf(&body, "%s\n", text);
    net_reply(request, status, "text/plain; charset=utf-8", &body);
}

/* What is not a number the peer takes for its own fault; its words are Go's. */
static void refuse_to(struct net_request *request, struct span to, int rc)
{
    AUTO(strbuf_done) struct strbuf body = STRBUF_INIT, quoted = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    json_add_html_safe(&quoted, to);
    strbuf_addf(&text, "strconv.ParseInt: parsing %s: %s", strbuf_text(&quoted),
                rc == -ERANGE ? "value out of range" : "invalid syntax");
    strbuf_adds(&body, "{\"status\":\"Internal Server Error\",\"error\":");
    json_add_html_safe(&body, strbuf_span(&text));
    strbuf_adds(&body, "}\n");
    net_reply_json(request, 500, &body);
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
    int rc = number_parse_i64(to, &to_s);
    if (rc < 0) {
        refuse_to(request, to, rc);
        return;
    }
    rc = free_request_parse(metric_body(request), &wanted, &err);
    if (rc == -EBADMSG && api->strictness == METRIC_STRICT)
        metric_request_peer_words(metric_body(request), &err);
    if (rc == 0 && to_s > 0)
        rc = free_selectors(api->store, &wanted, seconds_ns(to_s), &released);
    if (rc < 0) {
        reply_text(request, metric_error_status(rc), err.text);
        return;
    }
    /* The peer counts buffers; here a block is one. */
    char text[64];
    (void)snprintf(text, sizeof text, "buffers freed: %zu",
                   (released + CODEC_VALUES_MAX - 1) / CODEC_VALUES_MAX);
    reply_text(request, 200, text);
}

/* ---- /v1/store/exempt ---- */

/* Longer is forgotten rather than meant. */
#define EXEMPT_LONGEST_NS (31 * 86400 * NS_PER_S)

struct exempt_request {
    struct span cluster, hosts;
    int64_t until_ns;
};

static int exempt_parse(struct net_request *request, int64_t now_ns,
                        struct exempt_request *ret, struct err *err)
{
    struct span until = net_request_query(request, "until");
    *ret = (struct exempt_request){ .cluster = net_request_query(request, "cluster"),
                                    .hosts = net_request_query(request, "hosts") };
    if (ret->cluster.size == 0 || ret->hosts.size == 0 || until.size == 0)
        return err_set(err, EINVAL, "cluster, hosts and until are wanted");
    if (timetext_parse_user(until, now_ns, &ret->until_ns) < 0)
        return api_params_refuse_value(PARAM_EXEMPT, SPAN("until"), until, err);
    if (ret->until_ns > now_ns + EXEMPT_LONGEST_NS)
        return err_set(err, EINVAL, "until: more than 31 days from now");
    return 0;
}

static int exempt_hosts(struct metric_store *store, const struct exempt_request *query,
                        size_t *ret_count, struct err *err)
{
    AUTO(hostset_free) struct hostset *hosts = NULL;
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    int rc = hostset_parse(query->hosts, &hosts, err);
    for (size_t i = 0; rc == 0 && i < hostset_count(hosts); i++) {
        const struct component host = { .cluster = query->cluster,
                                        .host = span_of(hostset_at(hosts, i)) };
        strbuf_clear(&path);
        component_print(&path, &host);
        rc = strbuf_error(&path);
        if (rc == 0)
            rc = metric_store_exempt(store, strbuf_span(&path), query->until_ns);
        *ret_count += rc == 0;
    }
    if (rc == -ENOSPC)
        return err_set(err, EAGAIN, "%zu hosts are exempt already: as many as can be",
                       metric_store_exempt_count(store));
    return rc == -E2BIG ? -EINVAL : rc;
}

void metric_exempt_handle(void *arg, struct net_request *request)
{
    const struct metric_api *api = arg;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct json_writer w;
    struct exempt_request query;
    struct err err = { 0 };
    size_t count = 0;
    int rc = exempt_parse(request, clock_now_ns(), &query, &err);
    if (rc == 0)
        rc = exempt_hosts(api->store, &query, &count, &err);
    if (rc < 0) {
        net_reply_error(request, rc, &err);
        return;
    }
    json_writer_init(&w, &out);
    json_object(&w);
    json_key(&w, "hosts");
    json_u64(&w, count);
    json_key(&w, "exempt");
    json_u64(&w, metric_store_exempt_count(api->store));
    json_object_end(&w);
    net_reply_json(request, 200, &out);
}
