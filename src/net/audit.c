/* SPDX-License-Identifier: Apache-2.0 */
/* audit - who requested what of the routes that are for admins alone. */
#include "net/audit.h"

#include "base/json_writer.h"
#include "base/span.h"

#define QUERY_BYTES_MAX 1024

void net_server_on_audit(struct net_server *server, net_audit_fn *fn, void *arg)
{
    server->audit = fn;
    server->audit_arg = arg;
}

static void audit_value_print(struct strbuf *out, const char *name, struct span value)
{
    struct json_writer w;
    strbuf_addf(out, " %s=", name);
    json_writer_init(&w, out);
    if (value.size > 0)
        json_span(&w, value);
    else
        json_null(&w);
}

void net_audit_print(const struct net_audit *audit, struct strbuf *out)
{
    strbuf_addf(out, "%s %s: %u; role=%s", audit->method, audit->route, audit->status,
                audit->role);
    audit_value_print(out, "user", audit->user);
    audit_value_print(out, "token", span_of(audit->token));
    audit_value_print(out, "from", span_of(audit->origin));
    audit_value_print(out, "query", audit->query);
}

/* As it was requested, decoded: "to=1&selector=alex". */
static void query_print(const struct net_request *r, struct strbuf *out)
{
    for (size_t i = 0; i < r->query_count && out->size < QUERY_BYTES_MAX; i++)
        strbuf_addf(out, "%s" SPAN_FMT "=" SPAN_FMT, i > 0 ? "&" : "",
                    SPAN_ARG(r->queries[i].name), SPAN_ARG(r->queries[i].value));
    if (out->size > QUERY_BYTES_MAX)
        out->size = QUERY_BYTES_MAX;
}

void net_request_audit(const struct net_request *request, const struct net_audit *audit)
{
    if (request->server->audit)
        request->server->audit(request->server->audit_arg, audit);
}

void audit_report(const struct net_request *r)
{
    const struct net_server *server = r->server;
    const struct access_client *client = &r->identity.client;
    bool is_wanted =
        r->route && (r->route->roles == NET_ROLE_ADMIN ||
                     (r->route->is_audited && client->roles & NET_ROLE_ADMIN));
    if (!server->audit || !is_wanted || client->roles == NET_ROLE_NONE)
        return;
    AUTO(strbuf_done) struct strbuf query = STRBUF_INIT;
    query_print(r, &query);
    const struct net_audit audit = {
        .method = r->method,
        .route = r->route->pattern,
        .query = strbuf_span(&query),
        .status = r->status,
        .role = access_roles_name(client->roles),
        .user = client->user,
        .token = r->identity.token ? r->identity.token->id : "",
        .origin = r->peer->origin,
    };
    server->audit(server->audit_arg, &audit);
}
