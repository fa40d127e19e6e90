/* SPDX-License-Identifier: Apache-2.0 */
/* octets - integers, doubles and short texts in bytes of a message, and back.
 *
 *     octets_add_varint(out, 300)          ac 02
 *     octets_add_text(out, SPAN("abc"))    03 61 62 63
 *
 * Little endian.  A reader that comes to the end, or to what it cannot read, fails once
 * and for all: it returns 0 and empty spans from then on, and octets_done() fails, so
 * that a decoder checks at its end and wherever a count rules a loop.
 */
#ifndef BASE_OCTETS_H
#define BASE_OCTETS_H

#include "base/strbuf.h"

#include <stdbool.h>
#include <stdint.h>

struct octets {
    struct span rest; /* points into the message */
    bool is_bad;
};

uint8_t octets_u8(struct octets *in);
uint64_t octets_u64(struct octets *in);
/* At most 64 bits, in as few bytes as it needs. */
uint64_t octets_varint(struct octets *in);
/* A varint that may be max at most: more is bad. */
uint64_t octets_limited(struct octets *in, uint64_t max);
/* Any bits but those of NaN and infinities, which are bad. */
double octets_double(struct octets *in);
/* Length and bytes; longer than size_max is bad. */
struct span octets_text(struct octets *in, size_t size_max);
/* Everything was read, and nothing was bad.  Errors: -EBADMSG. */
int octets_done(const struct octets *in);

void octets_add_u64(struct strbuf *out, uint64_t value);
void octets_add_varint(struct strbuf *out, uint64_t value);
void octets_add_double(struct strbuf *out, double value);
void octets_add_text(struct strbuf *out, struct span text);

#endif
