/* SPDX-License-Identifier: Apache-2.0 */
/* jwt - the tokens that ClusterCockpit's programs show: JSON Web Tokens by Ed25519.
 *
 *     base64url({"alg":"EdDSA",...}) "." base64url(claims) "." base64url(signature)
 *
 * Signature, exp and nbf are looked at.  What the claims say of a person's roles is of
 * the peer's making: what such a token may do here is configured.
 */
#ifndef NET_TOKEN_JWT_H
#define NET_TOKEN_JWT_H

#include "net/token/access_token.h"

/* Standard base64 of the key's 32 bytes, as ClusterCockpit's configuration has it.
 * Errors: -EINVAL, -ENOMEM. */
int jwt_key_parse(struct span text, struct token_key **ret, struct err *err);
/* Whether text has the form: three parts. */
bool jwt_is_one(struct span text);
/* Errors: -EPERM with the reason for a person. */
int jwt_verify(const struct token_key *key, struct span text, int64_t now_s,
               struct err *err);

#endif
