/* SPDX-License-Identifier: Apache-2.0 */
/* octets - integers, doubles and short texts in bytes of a message, and back. */
#include "base/octets.h"

#include "base/span.h"

#include <endian.h>
#include <errno.h>
#include <math.h>

#define VARINT_BYTES_MAX 10

static const uint8_t *cut_bytes(struct octets *in, size_t size)
{
    const char *at = in->rest.data;
    if (in->is_bad || in->rest.size < size) {
        in->is_bad = true;
        return NULL;
    }
    in->rest = span_skip(in->rest, size);
    return (const uint8_t *)at;
}

uint8_t octets_u8(struct octets *in)
{
    const uint8_t *at = cut_bytes(in, 1);
    return at ? *at : 0;
}

uint64_t octets_u64(struct octets *in)
{
    const uint8_t *at = cut_bytes(in, sizeof(uint64_t));
    uint64_t value = 0;
    if (at)
        memcpy(&value, at, sizeof value);
    return le64toh(value);
}

uint64_t octets_varint(struct octets *in)
{
    const uint8_t *at = (const uint8_t *)in->rest.data;
    uint64_t value = 0;
    for (size_t i = 0; i < VARINT_BYTES_MAX && i < in->rest.size && !in->is_bad; i++) {
        if (i == VARINT_BYTES_MAX - 1 && at[i] > 1)
            break; /* more than 64 bits */
        value |= (uint64_t)(at[i] & 0x7f) << (7 * i);
        if (!(at[i] & 0x80)) {
            in->rest = span_skip(in->rest, i + 1);
            return value;
        }
    }
    in->is_bad = true;
    return 0;
}

uint64_t octets_limited(struct octets *in, uint64_t max)
{
    uint64_t value = octets_varint(in);
    if (value > max)
        in->is_bad = true;
    return in->is_bad ? 0 : value;
}

double octets_double(struct octets *in)
{
    uint64_t bits = octets_u64(in);
    double value;
    memcpy(&value, &bits, sizeof value);
    if (!isfinite(value))
        in->is_bad = true;
    return in->is_bad ? 0 : value;
}

struct span octets_text(struct octets *in, size_t size_max)
{
    size_t size = octets_limited(in, size_max);
    const uint8_t *at = cut_bytes(in, size);
    return at ? (struct span){ (const char *)at, size } : SPAN("");
}

int octets_done(const struct octets *in)
{
    return in->is_bad || in->rest.size ? -EBADMSG : 0;
}

void octets_add_u64(struct strbuf *out, uint64_t value)
{
    uint64_t bits = htole64(value);
    strbuf_add(out, &bits, sizeof bits);
}

void octets_add_varint(struct strbuf *out, uint64_t value)
{
    char bytes[VARINT_BYTES_MAX];
    size_t size = 0;
    for (; value > 0x7f; value >>= 7)
        bytes[size++] = (char)(value | 0x80);
    bytes[size++] = (char)value;
    strbuf_add(out, bytes, size);
}

void octets_add_double(struct strbuf *out, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    octets_add_u64(out, bits);
}

void octets_add_text(struct strbuf *out, struct span text)
{
    octets_add_varint(out, text.size);
    strbuf_add_span(out, text);
}
