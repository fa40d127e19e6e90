/* SPDX-License-Identifier: Apache-2.0 */
/* token_request - a new token as an administrator requests it, checked. */
#ifndef NET_TOKEN_TOKEN_REQUEST_H
#define NET_TOKEN_TOKEN_REQUEST_H

#include "base/config.h"
#include "net/token/access_token.h"

struct token_request {
    const char *role;           /* by its name */
    const char *host;           /* NULL: of no host */
    const char *cluster;        /* NULL: of every cluster */
    const char *const *targets; /* patterns; none: every target */
    size_t target_count;
    const char *user;            /* of users and managers; NULL: none */
    const char *const *accounts; /* of managers */
    size_t account_count;
    const char *node_key; /* of nodes: the file of the host's public key */
    int64_t lifetime_ns;  /* 0: 365 days; at least a second */
};

/* The token of a request made at now_s (Unix seconds), with an id of its own, unsigned.
 * Errors: those of token_key_load() (node_key), -EINVAL (the role; an agent without
 * host and cluster; a node without host or key; a user without a name; a lifetime of
 * less than a second; a name or pattern that is too long, or too many), -EIO (no random
 * bytes).
 */
int token_request_fill(const struct token_request *request, int64_t now_s,
                       struct token *ret, struct err *err);

#endif
