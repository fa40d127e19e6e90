/* SPDX-License-Identifier: Apache-2.0 */
/* write_sender - who writes samples. */
#include "ingest/write_sender.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"

struct span write_sender_cluster(const struct net_request *request)
{
    const struct token *token = net_request_identity(request)->token;
    return token ? span_of(token->cluster) : (struct span){ 0 };
}

struct span write_sender_host(const struct net_request *request)
{
    const struct net_identity *identity = net_request_identity(request);
    if (identity->client.roles != NET_ROLE_AGENT || !identity->token)
        return (struct span){ 0 };
    return span_of(identity->token->host);
}

struct sender_account *write_sender_account(const struct sink *sink, bool has_tokens,
                                            const struct net_request *request)
{
    const struct net_identity *identity = net_request_identity(request);
    const struct token *token = identity->token;
    enum sender_scope scope = SENDER_SHARED;
    char name[SENDER_NAME_MAX];
    if (!sink->quota)
        return NULL;
    if (identity->client.roles & NET_ROLE_ADMIN)
        scope = SENDER_ADMIN;
    else if (token && token->host[0])
        scope = SENDER_HOST;
    else if (!token && has_tokens) /* on the unix socket */
        scope = SENDER_SINGLE;
    if (scope == SENDER_HOST)
        (void)snprintf(name, sizeof name, "host %s", token->host);
    else if (token)
        (void)snprintf(name, sizeof name, "token %s", token->id);
    else
        (void)snprintf(name, sizeof name, "%s%s", identity->is_local ? "" : "address ",
                       net_request_origin(request));
    return sender_quota_account(sink->quota, span_of(name), scope);
}

unsigned write_sender_wait_s(struct sender_account *account)
{
    int64_t wait_ns = sender_account_wait_ns(account, clock_monotonic_ns());
    return (unsigned)(wait_ns / NS_PER_S) + 1;
}
