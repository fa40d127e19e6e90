/* SPDX-License-Identifier: Apache-2.0 */
/* snappy_block - a text in snappy's block format, as remote write sends it.
 *
 * The block begins with the size of what it holds, so that it can be refused before
 * memory is allocated for it.
 */
#ifndef WIRE_SNAPPY_BLOCK_H
#define WIRE_SNAPPY_BLOCK_H

#include "base/err.h"
#include "base/strbuf.h"

/* The size that a block claims.
 * Errors: -EBADMSG (no such block), -EMSGSIZE (more than size_max, or than ratio_max
 * times its own size beyond 1 MiB). */
int snappy_block_size(struct span block, size_t size_max, uint64_t ratio_max,
                      size_t *ret, struct err *err);
/* Decode a block of that size into out, which is cleared first.
 * Errors: -EBADMSG (it is broken), -ENOMEM. */
int snappy_block_decode(struct span block, size_t size, struct strbuf *out,
                        struct err *err);
/* Append text as a block.  Errors: -ENOMEM. */
int snappy_block_encode(struct span text, struct strbuf *out);

#endif
