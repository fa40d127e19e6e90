/* SPDX-License-Identifier: Apache-2.0 */
/* share - what one sender may hold of the memory of requests, responses, questions. */
#include "net/share.h"

#include <stdio.h>

enum {
    SHARE_PART = 4,
    /* Where tokens are not configured, clients on loopback are not distinguished. */
    SHARE_PART_TOGETHER = 2,
    BESIDE_BODY_PART = 16,
};

/* Of the memory for requests: also one body of the largest size, and small requests
 * beside it. */
static uint64_t body_share(const struct net_server *server)
{
    uint64_t beside = server->requests->limit_bytes / BESIDE_BODY_PART;
    if (beside < BUDGET_SMALL_BYTES)
        beside = BUDGET_SMALL_BYTES;
    return server->opts->body_bytes_max + beside;
}

void net_request_hold(const struct net_request *r, struct budget_account *account,
                      struct budget_hold *ret)
{
    const struct peer *peer = r->peer;
    bool is_together = !peer->is_local && !r->server->key && !r->server->jwt_key;
    bool is_preferred = peer->is_local && r->identity.client.roles & NET_ROLE_ADMIN;
    *ret = (struct budget_hold){
        .account = account,
        .owner = r->rate_key,
        .rank = is_preferred ? BUDGET_PREFERRED : BUDGET_COMMON,
    };
    if (!account)
        return;
    ret->share_bytes =
        account->limit_bytes / (is_together ? SHARE_PART_TOGETHER : SHARE_PART);
    if (account == r->server->requests && ret->share_bytes < body_share(r->server))
        ret->share_bytes = body_share(r->server);
}

const char *net_request_name(const struct net_request *r)
{
    if (!r->identity.token) /* not valid, or none */
        return r->peer->origin;
    return r->token.host[0] ? r->token.host : r->token.id;
}

static void report_limited(const struct net_request *r, const char *reason,
                           const char *outcome, const char *key)
{
    const struct net_server *server = r->server;
    if (server->limited)
        server->limited(server->limited_arg, net_request_name(r), reason, outcome, key);
}

void share_report_limited(struct net_request *r, const char *reason, const char *key)
{
    report_limited(r, reason, "gets 429 (slow down)", key);
}

/* Of each account: its name, the key that sizes it, what is said of it. */
static const struct account_text {
    const char *account, *key;
    const char *reason, *share; /* for the log, for the sender */
    unsigned large_status;
    const char *large, *full;
} accounts[] = {
    { "requests", "body_budget in [net]", "has its share of the memory for requests",
      "requests of this sender hold their share of the memory: send fewer or smaller "
      "ones at a time, and wait for their responses",
      413,
      "the body needs more memory than one request may have (body_budget in [net]): "
      "send it in parts",
      "too many bodies at once: try again" },
    { "responses", "response_budget in [net]",
      "has its share of the memory for responses",
      "responses to this sender hold their share of the memory: read them, then send "
      "the next request",
      400,
      "the response is larger than one may be (response_budget in [net]): query a "
      "shorter time or less",
      "too many responses wait until they are read: try again, or query less" },
    { "queries", "query_budget in [barod]", "has its share of the memory for queries",
      "queries of this sender hold their share of the memory: wait for their "
      "responses, "
      "or query less at a time",
      400,
      "the query needs more memory than one may have (query_budget in [barod]): "
      "query fewer components, fewer metrics or a shorter time",
      "too many queries at once: try again, or query less" },
};

static const struct account_text *find_text(const char *account)
{
    const struct account_text *a = accounts;
    while (a + 1 < accounts + COUNT_OF(accounts) && strcmp(a->account, account) != 0)
        a++;
    return a;
}

struct share_refusal share_refuse(struct net_request *r, const char *account, int rc)
{
    const struct account_text *a = find_text(account);
    if (rc == -EMSGSIZE)
        return (struct share_refusal){ a->large_status, false, a->large };
    if (rc != -EDQUOT)
        return (struct share_refusal){ 503, false, a->full };
    share_report_limited(r, a->reason, a->key);
    return (struct share_refusal){ 429, true, a->share };
}

void share_report_cut(const struct net_request *r, int rc)
{
    const struct account_text *a = find_text("responses");
    report_limited(r, rc == -EDQUOT ? a->reason : "has a response that finds no memory",
                   "had a response cut off", a->key);
}

int share_refused(const struct net_request *r, int rc)
{
    int refused = r->hold.refused;
    bool is_own = rc == -EAGAIN && (refused == -EDQUOT || refused == -EMSGSIZE);
    return is_own ? refused : 0;
}
