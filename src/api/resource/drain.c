/* SPDX-License-Identifier: Apache-2.0 */
/* drain - what an administrator states of hosts or of a component. */
#include "api/resource/drain.h"

#include "base/json_writer.h"
#include "base/span.h"

#define DRAIN_BYTES_MAX ((size_t)64 << 20)

struct drain_params {
    struct span hosts, cluster, component, reason;
};

/* ---- parameters ---- */

static int drain_params(struct net_request *request, struct drain_params *ret,
                        struct err *err)
{
    struct span name, value;
    for (size_t i = 0; net_request_query_at(request, i, &name, &value); i++) {
        struct span *to = span_is(name, "hosts")       ? &ret->hosts
                          : span_is(name, "cluster")   ? &ret->cluster
                          : span_is(name, "component") ? &ret->component
                          : span_is(name, "reason")    ? &ret->reason
                                                       : NULL;
        if (!to)
            return err_set(err, EINVAL, "there is no parameter '%.*s'",
                           (int)(name.size < 40 ? name.size : 40), name.data);
        if (to->data)
            return err_set(err, EINVAL, "'%.*s' is given twice", (int)name.size,
                           name.data);
        *to = value;
    }
    if ((ret->hosts.size > 0) == (ret->component.size > 0))
        return err_set(err, EINVAL, "hosts=SET or component=PATH is wanted");
    return 0;
}

/* For the record: the person, or else the token or the user of the socket. */
static struct span who_of(struct net_request *request)
{
    const struct net_identity *identity = net_request_identity(request);
    if (identity->client.user.size > 0)
        return identity->client.user;
    if (identity->token && identity->token->id[0])
        return span_of(identity->token->id);
    return span_of(net_request_origin(request));
}

static int drain_copy(struct drain *drain, struct span text, struct span *ret)
{
    char *copy = arena_dup(&drain->arena, text);
    if (!copy)
        return -ENOMEM;
    *ret = (struct span){ copy, text.size };
    return 0;
}

/* ---- statements ---- */

static int drain_add(struct drain *drain, const struct resource_statement *pattern,
                     struct span component)
{
    if (drain->count == drain->capacity) {
        size_t capacity = drain->capacity ? 2 * drain->capacity : 16;
        struct resource_statement *grown =
            reallocarray(drain->statements, capacity, sizeof *grown);
        if (!grown)
            return -ENOMEM;
        drain->statements = grown;
        drain->capacity = capacity;
    }
    struct resource_statement *s = &drain->statements[drain->count];
    *s = *pattern;
    int rc = drain_copy(drain, component, &s->component);
    if (rc == 0)
        drain->count++;
    return rc;
}

struct hosts_drain {
    struct drain *drain;
    const struct resource_statement *pattern;
    struct span cluster;
    struct err *err;
};

static int on_drain_host(void *arg, const char *host, const struct resource_view *view)
{
    struct hosts_drain *in = arg;
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    if (view)
        return drain_add(in->drain, in->pattern, view->component);
    if (in->cluster.size == 0)
        return err_set(in->err, ENOENT,
                       "barod knows no host %s: with its cluster it can be drained",
                       host);
    component_print(
        &path, &(struct component){ .cluster = in->cluster, .host = span_of(host) });
    return strbuf_error(&path) < 0
               ? -ENOMEM
               : drain_add(in->drain, in->pattern, strbuf_span(&path));
}

static int drain_hosts(struct drain *drain, const struct drain_params *params,
                       const struct resource_statement *pattern, struct err *err)
{
    AUTO(hostset_free) struct hostset *hosts = NULL;
    struct hosts_drain in = { drain, pattern, params->cluster, err };
    int rc = hostset_parse(params->hosts, &hosts, err);
    if (rc < 0)
        return err_prefix(err, rc, "hosts");
    return resource_table_hosts(drain->opts->table, params->cluster, hosts,
                                on_drain_host, &in);
}

static int drain_fill(struct drain *drain, bool is_resume, struct err *err)
{
    struct drain_params params = { 0 };
    struct resource_statement pattern = { .source = SPAN("admin"),
                                          .health = is_resume ? RESOURCE_UP
                                                              : RESOURCE_DRAINED };
    int rc = drain_params(drain->request, &params, err);
    if (rc == 0)
        rc = drain_copy(drain, span_trim(params.reason), &pattern.reason);
    if (rc == 0)
        rc = drain_copy(drain, who_of(drain->request), &pattern.by);
    if (rc == 0 && params.hosts.size > 0)
        rc = drain_hosts(drain, &params, &pattern, err);
    else if (rc == 0)
        rc = drain_add(drain, &pattern, params.component);
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < drain->count; i++) {
        const char *reason = resource_statement_check(&drain->statements[i]);
        if (reason)
            return err_set(err, EINVAL, "%s", reason);
    }
    if (net_request_charge(drain->request,
                           drain->arena.used_bytes +
                               drain->capacity * sizeof *drain->statements) < 0)
        return err_set(err, EAGAIN, "too many bodies at once: try again");
    return 0;
}

int drain_read(const struct resource_routes_opts *opts, struct net_request *request,
               bool is_resume, struct drain **ret, struct err *err)
{
    struct drain *drain = calloc(1, sizeof *drain);
    if (!drain)
        return -ENOMEM;
    drain->opts = opts;
    drain->request = request;
    arena_init(&drain->arena, DRAIN_BYTES_MAX);
    int rc = drain_fill(drain, is_resume, err);
    if (rc < 0)
        drain_free(drain);
    else
        *ret = drain;
    return rc;
}

void drain_free(struct drain *drain)
{
    arena_done(&drain->arena);
    free(drain->statements);
    free(drain);
}

/* ---- on the writer's thread ---- */

/* The others are as they were wanted. */
static int drain_refused(const struct drain *drain, struct err *err)
{
    const struct submission_refusal *refusal = &drain->result.refusals[0];
    struct span component = drain->statements[refusal->index].component;
    return err_set(err, EINVAL, SPAN_FMT ": %s (%zu of %zu refused)",
                   SPAN_ARG(component), refusal->reason, (size_t)drain->result.refused,
                   drain->count);
}

int drain_run(void *arg, struct err *err)
{
    struct drain *drain = arg;
    int rc = drain->opts->put(drain->opts->arg, drain->statements, drain->count,
                              &drain->result, err);
    if (rc == 0 && drain->result.refused > 0 && drain->result.refusal_count > 0)
        return drain_refused(drain, err);
    return rc;
}

static void drain_reply(const struct drain *drain)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct json_writer w;
    json_writer_init(&w, &text);
    json_object(&w);
    json_key(&w, "accepted");
    json_u64(&w, drain->result.accepted);
    json_key(&w, "changed");
    json_u64(&w, drain->result.changed);
    json_key(&w, "duplicate");
    json_u64(&w, drain->result.duplicate);
    json_key(&w, "refused");
    json_u64(&w, drain->result.refused);
    json_key(&w, "refusals");
    json_array(&w);
    json_array_end(&w);
    json_object_end(&w);
    strbuf_addc(&text, '\n');
    net_reply_json(drain->request, 200, &text);
}

void drain_done(void *arg, int rc, const struct err *err)
{
    struct drain *drain = arg;
    if (rc < 0)
        net_reply_error(drain->request, rc, err);
    else
        drain_reply(drain);
    drain_free(drain);
}
