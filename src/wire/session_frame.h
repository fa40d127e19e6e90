/* SPDX-License-Identifier: Apache-2.0 */
/* session_frame - the head of every message between two nodes of a session.
 *
 *      0  u32  bytes of the body          8  u64  sequence: 1, 2, 3 ... on a link
 *      4  u8   type                      16  u64  last sequence that was received
 *      5  u8   version                   24  u64  XXH3 of the body, its seed XXH3 of
 *      6  u16  0                                  bytes 0..23; 0 where TLS protects
 *
 * Little endian.  A body may be limit bytes long, which the reader decides.
 */
#ifndef WIRE_SESSION_FRAME_H
#define WIRE_SESSION_FRAME_H

#include "base/err.h"
#include "base/span_type.h"
#include "base/strbuf.h"

#include <stdint.h>

#define SESSION_FRAME_VERSION 1
#define SESSION_FRAME_HEAD 32

enum session_frame_check {
    SESSION_FRAME_HASHED,
    SESSION_FRAME_BY_TLS, /* no hash */
};

struct session_frame {
    uint8_t type;
    uint64_t sequence, acknowledged;
    struct span body; /* read: points into the input */
};

void session_frame_print(const struct session_frame *frame,
                         enum session_frame_check check, struct strbuf *out);
/* The first frame of in, *ret_used bytes long.  Returns 1 when more bytes are
 * needed.  Errors: -EMSGSIZE (over limit), -EBADMSG; err names which. */
int session_frame_read(struct span in, size_t limit, enum session_frame_check check,
                       struct session_frame *ret, size_t *ret_used, struct err *err);

#endif
