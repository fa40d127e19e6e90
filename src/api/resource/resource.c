/* SPDX-License-Identifier: Apache-2.0 */
/* resource - the health of resources over REST. */
#include "api/resource/resource.h"

#include "api/resource/change_waiters.h"
#include "api/resource/drain.h"
#include "api/resource/resource_tables.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"

#define CHANGES_DEFAULT 100
#define CHANGES_AT_ONCE 1000
#define WAIT_NS_MAX (60 * NS_PER_S)

struct resource_routes {
    struct resource_routes_opts opts;
    struct ingest_writer *writer;
    struct change_waiters *waiters;
};

/* ---- responses and parameters ---- */

static void reply_made(struct net_request *request, int rc, const struct table *table,
                       struct err *err)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    if (rc == -EAGAIN && !err->text[0])
        rc = err_set(err, EAGAIN, "the health of resources is not read yet: try again");
    if (rc == 0) {
        table_to_json(table, &out);
        rc = strbuf_error(&out);
    }
    if (rc < 0)
        net_reply_error(request, rc, err);
    else
        net_reply_json(request, 200, &out);
}

static int bad_parameter(struct span name, struct err *err)
{
    return err_set(err, EINVAL, "there is no parameter '%.*s'",
                   (int)(name.size < 40 ? name.size : 40), name.data);
}

static int read_limit(struct span value, uint64_t max, uint64_t *ret, struct err *err)
{
    if (number_parse_u64(value, ret) == 0 && *ret > 0 && *ret <= max)
        return 0;
    return err_set(err, EINVAL, "limit: wants a number from 1 to %llu",
                   (unsigned long long)max);
}

/* ---- GET /v1/resources ---- */

/* "down,drained" */
static int read_healths(struct span value, unsigned *ret, struct err *err)
{
    for (struct span name; value.size > 0;) {
        enum resource_health health;
        (void)span_cut(&value, ',', &name);
        if (resource_health_parse(span_trim(name), &health) < 0)
            return err_set(err, EINVAL,
                           "health: invalid value '%.*s' (choose up, degraded, down, "
                           "unknown, drained)",
                           (int)(name.size < 40 ? name.size : 40), name.data);
        *ret |= 1U << health;
    }
    return 0;
}

static int list_params(struct net_request *request, struct resource_filter *filter,
                       uint64_t *limit, struct err *err)
{
    struct span name, value;
    int rc = 0;
    for (size_t i = 0; rc == 0 && net_request_query_at(request, i, &name, &value);
         i++) {
        if (span_is(name, "component")) {
            filter->pattern = value;
            rc = value.size > 0 ? component_pattern_check(value, err) : 0;
        } else if (span_is(name, "below")) {
            filter->below = value;
        } else if (span_is(name, "health")) {
            rc = read_healths(value, &filter->healths, err);
        } else if (span_is(name, "parts")) {
            filter->only_hosts = span_is(value, "false");
            if (!filter->only_hosts && !span_is(value, "true"))
                rc = err_set(err, EINVAL, "parts: wants true or false");
        } else if (span_is(name, "limit")) {
            rc = read_limit(value, RESOURCE_ROWS_MAX, limit, err);
        } else {
            rc = bad_parameter(name, err);
        }
    }
    return rc;
}

static void handle_list(void *arg, struct net_request *request)
{
    const struct resource_routes *routes = arg;
    struct resource_filter filter = { 0 };
    uint64_t limit = RESOURCE_ROWS_DEFAULT;
    struct err err = { 0 };
    AUTO(table_done) struct table table;
    table_init(&table);
    int rc = list_params(request, &filter, &limit, &err);
    if (rc == 0)
        rc = resource_table_of_list(routes->opts.table, &filter, limit,
                                    &net_request_identity(request)->client, &table);
    reply_made(request, rc, &table, &err);
}

/* ---- GET /v1/resources/check ---- */

static void handle_check(void *arg, struct net_request *request)
{
    const struct resource_routes *routes = arg;
    AUTO(hostset_free) struct hostset *hosts = NULL;
    AUTO(table_done) struct table table;
    struct span name, value, cluster = { 0 };
    struct err err = { 0 };
    bool is_of_all = false;
    int rc = 0;
    table_init(&table);
    for (size_t i = 0; rc == 0 && net_request_query_at(request, i, &name, &value);
         i++) {
        if (span_is(name, "hosts") && !hosts)
            rc = hostset_parse(value, &hosts, &err);
        else if (span_is(name, "all") &&
                 (span_is(value, "true") || span_is(value, "false")))
            is_of_all = span_is(value, "true");
        else if (span_is(name, "cluster"))
            cluster = value;
        else
            rc = bad_parameter(name, &err);
    }
    /* A node means its own cluster, where another has a host of its name. */
    const struct token *token = net_request_identity(request)->token;
    if (!cluster.data && token)
        cluster = span_of(token->cluster);
    if (rc == 0 && !hosts)
        rc = err_set(&err, EINVAL, "hosts: a set of hosts is wanted");
    if (rc == 0)
        rc = resource_table_of_check(routes->opts.table, cluster, hosts, is_of_all,
                                     &table);
    reply_made(request, rc, &table, &err);
}

/* ---- GET /v1/resources/silent ---- */

/* For programs that look at hosts from outside: a node has no need of it. */
static void handle_silent(void *arg, struct net_request *request)
{
    const struct resource_routes *routes = arg;
    const struct net_identity *identity = net_request_identity(request);
    const struct token *token = identity->token;
    struct span name, value, cluster = { 0 };
    AUTO(table_done) struct table table;
    struct err err = { 0 };
    int rc = 0;
    table_init(&table);
    if (!(identity->client.roles &
          (NET_ROLE_READER | NET_ROLE_USER | NET_ROLE_ADMIN)) &&
        (!token || token->host[0]))
        rc = err_set(&err, EACCES, "the token is one of a host");
    for (size_t i = 0; rc == 0 && net_request_query_at(request, i, &name, &value); i++)
        if (span_is(name, "cluster"))
            cluster = value;
        else
            rc = bad_parameter(name, &err);
    if (!cluster.data && token)
        cluster = span_of(token->cluster);
    if (rc == 0 && token && !token_may_cluster(token, cluster))
        rc = err_set(&err, EACCES, "the token is for the cluster %s", token->cluster);
    if (rc == 0)
        rc = resource_table_of_silent(routes->opts.table, cluster, &table);
    reply_made(request, rc, &table, &err);
}

/* ---- GET /v1/resources/sources ---- */

static void handle_sources(void *arg, struct net_request *request)
{
    const struct resource_routes *routes = arg;
    struct span name, value, component = net_request_query(request, "component");
    AUTO(table_done) struct table table;
    struct err err = { 0 };
    int rc = 0;
    table_init(&table);
    for (size_t i = 0; rc == 0 && net_request_query_at(request, i, &name, &value); i++)
        if (!span_is(name, "component"))
            rc = bad_parameter(name, &err);
    if (rc == 0)
        rc = resource_table_of_sources(routes->opts.table, component,
                                       &net_request_identity(request)->client, &table);
    if (rc == -ENOENT)
        rc = err_set(&err, ENOENT, "no component '%.*s' is known",
                     (int)(component.size < 200 ? component.size : 200),
                     component.data ? component.data : "");
    reply_made(request, rc, &table, &err);
}

/* ---- GET /v1/resources/changes ---- */

static int changes_params(struct net_request *request, struct change_wait *ret,
                          int64_t *wait_ns, struct err *err)
{
    struct span name, value;
    int rc = 0;
    *ret = (struct change_wait){ .request = request, .limit = CHANGES_DEFAULT };
    for (size_t i = 0; rc == 0 && net_request_query_at(request, i, &name, &value);
         i++) {
        if (span_is(name, "after")) {
            if (resource_change_id_parse(value, &ret->after) < 0)
                rc = err_set(err, EINVAL, "after: wants an id as in a response");
        } else if (span_is(name, "limit")) {
            rc = read_limit(value, CHANGES_AT_ONCE, &ret->limit, err);
        } else if (span_is(name, "wait")) {
            if (number_parse_duration(value, wait_ns) < 0 || *wait_ns > WAIT_NS_MAX)
                rc = err_set(err, EINVAL, "wait: wants a duration of at most 60s");
        } else {
            rc = bad_parameter(name, err);
        }
    }
    ret->due_ns = clock_steady_ns() + *wait_ns;
    return rc;
}

/* On the thread of those that wait, or on an HTTP thread. */
static void changes_reply(void *arg, const struct change_wait *wait, bool is_over)
{
    const struct resource_routes *routes = arg;
    AUTO(table_done) struct table table;
    struct err err = { 0 };
    table_init(&table);
    if (is_over) {
        net_reply_problem(wait->request, 503, "barod stops");
        return;
    }
    int rc =
        resource_table_of_changes(routes->opts.table, wait->after, wait->limit,
                                  &net_request_identity(wait->request)->client, &table);
    reply_made(wait->request, rc, &table, &err);
}

static void handle_changes(void *arg, struct net_request *request)
{
    struct resource_routes *routes = arg;
    struct change_wait wait;
    struct err err = { 0 };
    int64_t wait_ns = 0;
    int rc = changes_params(request, &wait, &wait_ns, &err);
    if (rc < 0) {
        net_reply_error(request, rc, &err);
        return;
    }
    if (wait_ns == 0 || resource_table_has_changes(routes->opts.table, wait.after)) {
        changes_reply(routes, &wait, false);
        return;
    }
    rc = change_waiters_add(routes->waiters, &wait);
    if (rc < 0)
        net_reply_problem(request, 503,
                          rc == -EAGAIN ? "as many as can wait for changes do so"
                                        : "barod stops");
}

/* ---- POST /v1/resources/drain, resume ---- */

static void drain_submit(const struct resource_routes *routes,
                         struct net_request *request, bool is_resume)
{
    struct drain *drain;
    struct err err = { 0 };
    int rc = drain_read(&routes->opts, request, is_resume, &drain, &err);
    if (rc < 0) {
        if (rc == -EAGAIN && !err.text[0])
            (void)err_set(&err, EAGAIN,
                          "the health of resources is not read yet: try again");
        net_reply_error(request, rc, &err);
        return;
    }
    const struct ingest_task task = { .bytes = drain->arena.used_bytes,
                                      .run = drain_run,
                                      .done = drain_done,
                                      .arg = drain };
    net_request_defer(request);
    rc = ingest_writer_submit_task(routes->writer, &task);
    if (rc == 0)
        return;
    (void)err_set(&err, rc,
                  rc == -ESHUTDOWN ? "stopping" : "the queue is full: try again");
    drain_done(drain, rc, &err);
}

static void handle_drain(void *arg, struct net_request *request)
{
    drain_submit(arg, request, false);
}

static void handle_resume(void *arg, struct net_request *request)
{
    drain_submit(arg, request, true);
}

/* ---- the door ---- */

int resource_routes_new(const struct resource_routes_opts *opts,
                        struct resource_routes **ret, struct err *err)
{
    AUTO(resource_routes_free)
    struct resource_routes *routes = calloc(1, sizeof *routes);
    if (!routes)
        return -ENOMEM;
    routes->opts = *opts;
    int rc =
        change_waiters_new(opts->table, changes_reply, routes, &routes->waiters, err);
    if (rc == 0)
        *ret = TAKE(routes);
    return rc;
}

int resource_routes_register(struct resource_routes *routes,
                             struct ingest_writer *writer, struct net_server *server)
{
    routes->writer = writer;
    const unsigned readers = NET_ROLE_READER | NET_ROLE_USER;
    const struct {
        const char *method, *pattern;
        unsigned roles;
        net_handler_fn *handle;
    } table[] = {
        { "GET", "/v1/resources", readers, handle_list },
        /* A prolog has its node's token. */
        { "GET", "/v1/resources/check", readers | NET_ROLE_AGENT, handle_check },
        { "GET", "/v1/resources/silent", readers | NET_ROLE_AGENT, handle_silent },
        { "GET", "/v1/resources/sources", readers, handle_sources },
        { "GET", "/v1/resources/changes", readers, handle_changes },
        { "POST", "/v1/resources/drain", NET_ROLE_ADMIN, handle_drain },
        { "POST", "/v1/resources/resume", NET_ROLE_ADMIN, handle_resume },
    };
    int rc = 0;
    for (size_t i = 0; i < COUNT_OF(table) && rc == 0; i++) {
        const struct net_route route = { .method = table[i].method,
                                         .pattern = table[i].pattern,
                                         .roles = table[i].roles,
                                         .handle = table[i].handle,
                                         .arg = routes };
        rc = net_server_add_route(server, &route);
    }
    return rc;
}

void resource_routes_changed(struct resource_routes *routes)
{
    if (routes)
        change_waiters_wake(routes->waiters);
}

void resource_routes_stop(struct resource_routes *routes)
{
    if (routes && routes->waiters)
        change_waiters_stop(routes->waiters);
}

void resource_routes_free(struct resource_routes *routes)
{
    if (!routes)
        return;
    change_waiters_free(routes->waiters);
    free(routes);
}
