/* SPDX-License-Identifier: Apache-2.0 */
/* whoami - GET /v1/whoami: what the server believes of who asks. */
#include "api/whoami.h"

#include "base/clock.h"
#include "base/json_writer.h"
#include "base/number.h"
#include "base/table/table.h"

static void write_roles(struct json_writer *w, unsigned roles)
{
    static const enum net_role all[] = {
        NET_ROLE_READER,  NET_ROLE_AGENT,   NET_ROLE_SCHEDULER, NET_ROLE_USER,
        NET_ROLE_MANAGER, NET_ROLE_SUPPORT, NET_ROLE_API,       NET_ROLE_ADMIN,
    };
    json_key(w, "roles");
    json_array(w);
    for (size_t i = 0; i < COUNT_OF(all); i++)
        if (roles & all[i])
            json_text(w, net_role_name(all[i]));
    json_array_end(w);
}

static void write_token(struct json_writer *w, const struct token *token)
{
    json_key(w, "host");
    json_text(w, token && token->host[0] ? token->host : NULL);
    json_key(w, "cluster");
    json_text(w, token && token->cluster[0] ? token->cluster : NULL);
    json_key(w, "targets");
    json_array(w);
    for (size_t i = 0; token && i < token->target_count; i++)
        json_text(w, token->targets[i]);
    json_array_end(w);
    json_key(w, "expires");
    if (token)
        json_time_ms(w, token->expires_s * MS_PER_S);
    else
        json_null(w);
}

static void write_person(struct json_writer *w, const struct access_client *client)
{
    json_key(w, "user");
    if (client->user.size > 0)
        json_span(w, client->user);
    else
        json_null(w);
    json_key(w, "accounts");
    json_array(w);
    for (size_t i = 0; i < client->account_count; i++)
        json_span(w, client->accounts[i]);
    json_array_end(w);
}

/* From memory, so it is answered while the database is away, and at once: now is what a
 * clock can be held against. */
static void handle(void *arg, struct net_request *request)
{
    (void)arg;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    const struct net_identity *identity = net_request_identity(request);
    struct json_writer w;
    json_writer_init(&w, &out);
    json_object(&w);
    write_roles(&w, identity->client.roles);
    write_person(&w, &identity->client);
    write_token(&w, identity->token);
    json_key(&w, "now");
    json_time_ms(&w, clock_now_ms());
    json_object_end(&w);
    strbuf_addc(&out, '\n');
    net_reply_json(request, 200, &out);
}

/* Of the tokens that were shown lately: a server has no list of those that were made.
 */
static void handle_tokens(void *arg, struct net_request *request)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    AUTO(table_done) struct table table;
    table_init(&table);
    token_watch_report(net_server_tokens(arg), clock_now_ns() / NS_PER_S, &table);
    table_to_json(&table, &out);
    if (table_error(&table) < 0 || strbuf_error(&out) < 0)
        net_reply_error(request, -ENOMEM, NULL);
    else
        net_reply_json(request, 200, &out);
}

int whoami_register(struct net_server *server)
{
    const struct net_route tokens = {
        .method = "GET",
        .pattern = "/v1/tokens",
        .roles = NET_ROLE_ADMIN,
        .handle = handle_tokens,
        .arg = server,
    };
    const struct net_route route = {
        .method = "GET",
        .pattern = "/v1/whoami",
        .roles = NET_ROLE_READER | NET_ROLE_AGENT | NET_ROLE_USER,
        .handle = handle,
    };
    int rc = net_server_add_route(server, &tokens);
    return rc < 0 ? rc : net_server_add_route(server, &route);
}
