/* SPDX-License-Identifier: Apache-2.0 */
/* token_request - a new token as an administrator requests it, checked. */
#include "net/token/token_request.h"

#include "base/number.h"
#include "base/span.h"
#include "base/suggest.h"
#include "base/uuid.h"

#include <string.h>

#define LIFETIME_NS (INT64_C(365) * 86400 * NS_PER_S)

static int copy_text(char *to, size_t size, const char *from, const char *what,
                     struct err *err)
{
    size_t length = strlen(from);
    if (length >= size)
        return err_set(err, EINVAL, "--%s: longer than %zu bytes", what, size - 1);
    memcpy(to, from, length + 1);
    return 0;
}

static int fill_person(const struct token_request *r, struct token *token,
                       struct err *err)
{
    bool is_person = token->role == NET_ROLE_USER || token->role == NET_ROLE_MANAGER;
    int rc = 0;
    if (is_person && !r->user)
        return err_set(err, EINVAL, "the role %s needs --user", r->role);
    if (!is_person && r->user)
        return err_set(err, EINVAL, "--user is for the roles user and manager");
    if (r->account_count && token->role != NET_ROLE_MANAGER)
        return err_set(err, EINVAL, "--account is for the role manager");
    if (r->account_count > TOKEN_ACCOUNTS_MAX)
        return err_set(err, EINVAL, "--account: %d at most", TOKEN_ACCOUNTS_MAX);
    if (r->user && !token_is_name(span_of(r->user), TOKEN_USER_MAX))
        return err_set(err, EINVAL, "--user: '%s' is not a name", r->user);
    if (r->user)
        rc = copy_text(token->user, sizeof token->user, r->user, "user", err);
    for (size_t i = 0; rc == 0 && i < r->account_count; i++) {
        if (!token_is_name(span_of(r->accounts[i]), TOKEN_ACCOUNT_MAX))
            return err_set(err, EINVAL, "--account: '%s' is not a name",
                           r->accounts[i]);
        rc = copy_text(token->accounts[token->account_count++],
                       sizeof token->accounts[0], r->accounts[i], "account", err);
    }
    return rc;
}

static int fill_node(const struct token_request *r, struct token *token,
                     struct err *err)
{
    AUTO(token_key_free) struct token_key *key = NULL;
    if (token->role != NET_ROLE_NODE)
        return r->node_key ? err_set(err, EINVAL, "--node-key is for the role node")
                           : 0;
    if (!r->host || !r->node_key)
        return err_set(err, EINVAL,
                       "a node's token needs --host and --node-key, the file of the "
                       "host's public key");
    if (r->target_count)
        return err_set(err, EINVAL, "--targets is for the role agent");
    int rc = token_key_load(r->node_key, &key, err);
    if (rc == 0)
        rc = token_key_raw(key, token->key);
    token->has_key = rc == 0;
    return rc;
}

static int fill_texts(const struct token_request *r, struct token *token,
                      struct err *err)
{
    int rc = 0;
    if (r->target_count > TOKEN_TARGETS_MAX)
        return err_set(err, EINVAL, "--targets: %d patterns at most",
                       TOKEN_TARGETS_MAX);
    if (r->host)
        rc = copy_text(token->host, sizeof token->host, r->host, "host", err);
    if (rc == 0 && r->cluster)
        rc = copy_text(token->cluster, sizeof token->cluster, r->cluster, "cluster",
                       err);
    for (size_t i = 0; rc == 0 && i < r->target_count; i++)
        rc = copy_text(token->targets[token->target_count++], sizeof token->targets[0],
                       r->targets[i], "targets", err);
    return rc;
}

int token_request_fill(const struct token_request *r, int64_t now_s, struct token *ret,
                       struct err *err)
{
    struct token token = { 0 };
    struct uuid id;
    if (!r->role || net_role_parse(span_of(r->role), &token.role) < 0)
        return suggest_invalid(err, "--role", span_of(r->role ? r->role : ""),
                               "agent, reader, scheduler, user, manager, support, "
                               "api, admin, node");
    if (token.role == NET_ROLE_AGENT && !r->host && !r->cluster)
        return err_set(err, EINVAL,
                       "an agent's token needs --host, or --cluster for a gateway");
    int64_t lifetime_ns = r->lifetime_ns ? r->lifetime_ns : LIFETIME_NS;
    if (lifetime_ns < NS_PER_S)
        return err_set(err, EINVAL, "--expires: less than a second");
    int rc = fill_texts(r, &token, err);
    if (rc == 0)
        rc = fill_person(r, &token, err);
    if (rc == 0)
        rc = fill_node(r, &token, err);
    if (rc < 0)
        return rc;
    if (uuid_new(&id) < 0)
        return err_set(err, EIO, "no random bytes");
    uuid_print(token.id, &id);
    token.issued_s = now_s;
    token.expires_s = now_s + lifetime_ns / NS_PER_S;
    *ret = token;
    return 0;
}
