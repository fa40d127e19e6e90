/* SPDX-License-Identifier: Apache-2.0 */
/* protobuf - the fields of a message, one after another; what remote write needs.
 *
 * Nothing is copied: a field of bytes is a piece of the message.
 */
#ifndef WIRE_PROTOBUF_H
#define WIRE_PROTOBUF_H

#include "base/strbuf.h"

enum protobuf_type {
    PROTOBUF_VARINT = 0,
    PROTOBUF_FIXED64 = 1,
    PROTOBUF_BYTES = 2,
    PROTOBUF_FIXED32 = 5,
};

struct protobuf_field {
    uint32_t number;
    enum protobuf_type type;
    uint64_t value;    /* of a number */
    struct span bytes; /* of PROTOBUF_BYTES */
};

/* Cut the next field off.  False: rest is over, or broken: then it is not empty. */
bool protobuf_next(struct span *rest, struct protobuf_field *ret);

/* The key of a field, and for bytes their size; the bytes themselves follow. */
void protobuf_add_key(struct strbuf *out, uint32_t number, enum protobuf_type type);
void protobuf_add_bytes(struct strbuf *out, uint32_t number, struct span bytes);
void protobuf_add_fixed64(struct strbuf *out, uint32_t number, uint64_t bits);
/* The bytes of a number. */
size_t protobuf_varint_size(uint64_t value);

#endif
