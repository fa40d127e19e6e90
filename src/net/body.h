/* SPDX-License-Identifier: Apache-2.0 */
/* body - what a peer sends, decoded piece by piece: identity, gzip or zstd.
 *
 *     compressed piece ─▶ body_feed ─▶ put(decoded piece) ─▶ put(decoded piece) ...
 *
 * Limits  size_max holds for both sides; beyond FREE_BYTES the decoded side may be at
 *         most ratio_max times the compressed one; a zstd window of 8 MiB at most.
 */
#ifndef NET_BODY_H
#define NET_BODY_H

#include "base/cleanup.h"
#include "base/err.h"
#include "base/span_type.h"

#include <stdint.h>

enum body_coding {
    BODY_IDENTITY,
    BODY_GZIP,
    BODY_ZSTD,
};

/* A Content-Encoding; data NULL is identity.  Errors: -EPROTONOSUPPORT. */
int body_coding_parse(struct span text, enum body_coding *ret);

typedef int body_put_fn(void *arg, const void *data, size_t size, struct err *err);

struct body; /* the decoder of one request */

int body_new(enum body_coding coding, uint64_t size_max, uint64_t ratio_max,
             struct body **ret);
void body_free(struct body *body);
DEFINE_AUTO(struct body, body_free);

/* Errors: -EMSGSIZE (a limit), -EBADMSG (not what the coding says), -ENOMEM, or what
 * put returned.  After an error only body_free is legal. */
int body_feed(struct body *body, const void *data, size_t size, body_put_fn *put,
              void *arg, struct err *err);
/* The last byte was fed.  Errors: -EBADMSG (cut off). */
int body_finish(const struct body *body, struct err *err);
/* Decoded bytes so far, and what the decoder itself holds in memory: at first, however
 * small the body is, and now. */
uint64_t body_decoded_bytes(const struct body *body);
size_t body_fixed_bytes(const struct body *body);
size_t body_memory_bytes(const struct body *body);

#endif
