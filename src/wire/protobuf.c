/* SPDX-License-Identifier: Apache-2.0 */
/* protobuf - the fields of a message, one after another. */
#include "wire/protobuf.h"

#include "base/octets.h"

#define FIELD_NUMBER_MAX ((UINT64_C(1) << 29) - 1)

bool protobuf_next(struct span *rest, struct protobuf_field *ret)
{
    struct octets in = { .rest = *rest };
    struct protobuf_field field = { 0 };
    uint64_t key = octets_varint(&in);
    if (in.is_bad || key >> 3 == 0 || key >> 3 > FIELD_NUMBER_MAX)
        return false;
    field.number = (uint32_t)(key >> 3);
    field.type = (enum protobuf_type)(key & 7);
    if (field.type == PROTOBUF_VARINT)
        field.value = octets_varint(&in);
    else if (field.type == PROTOBUF_FIXED64)
        field.value = octets_u64(&in);
    else if (field.type == PROTOBUF_FIXED32)
        field.value = octets_u32(&in);
    else if (field.type == PROTOBUF_BYTES)
        field.bytes = octets_text(&in, SIZE_MAX);
    else
        return false;
    if (in.is_bad)
        return false;
    *rest = in.rest;
    *ret = field;
    return true;
}

size_t protobuf_varint_size(uint64_t value)
{
    size_t size = 1;
    for (; value >= 0x80; value >>= 7)
        size++;
    return size;
}

void protobuf_add_key(struct strbuf *out, uint32_t number, enum protobuf_type type)
{
    octets_add_varint(out, (uint64_t)number << 3 | type);
}

void protobuf_add_bytes(struct strbuf *out, uint32_t number, struct span bytes)
{
    protobuf_add_key(out, number, PROTOBUF_BYTES);
    octets_add_text(out, bytes);
}

void protobuf_add_fixed64(struct strbuf *out, uint32_t number, uint64_t bits)
{
    protobuf_add_key(out, number, PROTOBUF_FIXED64);
    octets_add_u64(out, bits);
}
