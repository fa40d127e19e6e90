/* SPDX-License-Identifier: Apache-2.0 */
/* protobuf - the fields of a message, one after another. */
#include "wire/protobuf.h"

#include "base/octets.h"
#include "base/span.h"

#define FIELD_NUMBER_MAX ((UINT64_C(1) << 29) - 1)

/* Not by octets: messages of remote write are read three times slower with them. */
static bool read_varint(const char **at, const char *end, uint64_t *ret)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && *at < end; shift += 7) {
        uint8_t byte = (uint8_t) * (*at)++;
        /* The tenth byte has one bit. */
        if (shift == 63 && byte > 1)
            return false;
        value |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80) {
            *ret = value;
            return true;
        }
    }
    return false;
}

static bool read_fixed(const char **at, const char *end, size_t size, uint64_t *ret)
{
    uint64_t value = 0;
    if ((size_t)(end - *at) < size)
        return false;
    for (size_t i = size; i > 0; i--)
        value = value << 8 | (uint8_t)(*at)[i - 1];
    *at += size;
    *ret = value;
    return true;
}

static bool read_bytes(const char **at, const char *end, struct span *ret)
{
    uint64_t size;
    if (!read_varint(at, end, &size) || size > (uint64_t)(end - *at))
        return false;
    *ret = (struct span){ *at, (size_t)size };
    *at += size;
    return true;
}

bool protobuf_next(struct span *rest, struct protobuf_field *ret)
{
    const char *at = rest->data, *end = rest->data + rest->size;
    struct protobuf_field field = { 0 };
    uint64_t key;
    bool is_good = false;
    if (rest->size == 0 || !read_varint(&at, end, &key) || key >> 3 == 0 ||
        key >> 3 > FIELD_NUMBER_MAX)
        return false;
    field.number = (uint32_t)(key >> 3);
    field.type = (enum protobuf_type)(key & 7);
    if (field.type == PROTOBUF_VARINT)
        is_good = read_varint(&at, end, &field.value);
    else if (field.type == PROTOBUF_FIXED64)
        is_good = read_fixed(&at, end, 8, &field.value);
    else if (field.type == PROTOBUF_FIXED32)
        is_good = read_fixed(&at, end, 4, &field.value);
    else if (field.type == PROTOBUF_BYTES)
        is_good = read_bytes(&at, end, &field.bytes);
    if (!is_good)
        return false;
    *rest = (struct span){ at, (size_t)(end - at) };
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
