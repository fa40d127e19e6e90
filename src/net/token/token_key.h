/* SPDX-License-Identifier: Apache-2.0 */
/* token_key - an Ed25519 key, private or public: made, loaded, signing, verifying.
 *
 * Threads  read-only after loading: any.
 */
#ifndef NET_TOKEN_TOKEN_KEY_H
#define NET_TOKEN_TOKEN_KEY_H

#include "base/cleanup.h"
#include "base/err.h"
#include "base/span_type.h"
#include "base/strbuf.h"

#include <stdbool.h>

struct token_key;

int token_key_new(struct token_key **ret, struct err *err);
/* A PEM file, private or public.  A private one that others may read is refused.
 * Errors: -EACCES, -EINVAL (not an Ed25519 key), what open says. */
int token_key_load(const char *path, struct token_key **ret, struct err *err);
void token_key_free(struct token_key *key);
DEFINE_AUTO(struct token_key, token_key_free);
bool token_key_can_sign(const struct token_key *key);
enum { TOKEN_KEY_SIZE = 32 };
/* A public key of 32 bytes.  Errors: -EINVAL, -ENOMEM. */
int token_key_of_raw(const unsigned char bytes[static 32], struct token_key **ret,
                     struct err *err);
/* The 32 bytes of its public half.  Errors: -EIO. */
int token_key_raw(const struct token_key *key, unsigned char ret[static 32]);
/* Whether signature is message's, by this key. */
bool token_key_verify(const struct token_key *key, struct span message,
                      struct span signature);
enum { TOKEN_SIGNATURE_SIZE = 64 };
/* Errors: -EIO. */
int token_key_sign(const struct token_key *key, struct span message,
                   unsigned char out[static TOKEN_SIGNATURE_SIZE]);
/* Append the PEM text of the private or the public half.  Errors: -EINVAL, -EIO. */
int token_key_print_private(const struct token_key *key, struct strbuf *out);
int token_key_print_public(const struct token_key *key, struct strbuf *out);

#endif
