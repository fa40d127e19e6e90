/* SPDX-License-Identifier: Apache-2.0 */
/* jwt - the tokens that ClusterCockpit's programs show: JSON Web Tokens by Ed25519.
 *
 *     base64url({"alg":"EdDSA",...}) "." base64url(claims) "." base64url(signature)
 *
 * Signature, exp and nbf are looked at.  Roles that the claims state are of the peer's
 * making: what such a token may do here is configured, and so is whether they count.
 */
#ifndef NET_TOKEN_JWT_H
#define NET_TOKEN_JWT_H

#include "net/token/access_token.h"

/* Standard base64 of the key's 32 bytes, as ClusterCockpit's configuration has it.
 * Errors: -EINVAL, -ENOMEM. */
int jwt_key_parse(struct span text, struct token_key **ret, struct err *err);
/* Whether text has the form: three parts. */
bool jwt_is_one(struct span text);
/* What a token states of its bearer, who is believed where the configuration says so
 * ("claims"). */
struct jwt_claims {
    bool has_roles;                /* it states roles, be it none */
    unsigned roles;                /* those of "roles" that are ours, as NET_ROLE_* */
    char user[TOKEN_USER_MAX + 1]; /* "sub"; "": none, or no name */
    size_t account_count;          /* "projects" */
    char accounts[TOKEN_ACCOUNTS_MAX][TOKEN_ACCOUNT_MAX + 1];
};

/* ret may be NULL.  Errors: -EPERM with the reason for a person. */
int jwt_verify(const struct token_key *key, struct span text, int64_t now_s,
               struct jwt_claims *ret, struct err *err);

#endif
