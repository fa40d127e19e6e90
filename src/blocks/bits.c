/* SPDX-License-Identifier: Apache-2.0 */
/* bits - numbers of few bits side by side. */
#include "blocks/bits.h"

#include <endian.h>

void bits_put(struct bits_writer *w, const void *data, size_t size)
{
    memcpy(w->out + w->size, data, size);
    w->size += size;
}

void bits_put_u8(struct bits_writer *w, unsigned value)
{
    w->out[w->size++] = (uint8_t)value;
}

void bits_put_u64(struct bits_writer *w, uint64_t value)
{
    value = htole64(value);
    bits_put(w, &value, sizeof value);
}

void bits_put_varint(struct bits_writer *w, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        bits_put_u8(w, 0x80 | (value & 0x7F));
    bits_put_u8(w, (unsigned)value);
}

void bits_pack(struct bits_writer *w, const uint64_t *values, size_t count,
               unsigned width)
{
    unsigned __int128 held = 0;
    unsigned held_bits = 0;
    uint64_t mask = width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
    for (size_t i = 0; i < count; i++) {
        held |= (unsigned __int128)(values[i] & mask) << held_bits;
        held_bits += width;
        if (held_bits >= 64) {
            bits_put_u64(w, (uint64_t)held);
            held >>= 64;
            held_bits -= 64;
        }
    }
    for (unsigned done = 0; done < held_bits; done += 8)
        bits_put_u8(w, (uint8_t)(held >> done));
}

const uint8_t *bits_read(struct bits_reader *r, size_t size)
{
    if (r->is_bad || size > r->size - r->at) {
        r->is_bad = true;
        return NULL;
    }
    r->at += size;
    return r->data + r->at - size;
}

unsigned bits_read_u8(struct bits_reader *r)
{
    const uint8_t *p = bits_read(r, 1);
    return p ? *p : 0;
}

uint64_t bits_read_u64(struct bits_reader *r)
{
    const uint8_t *p = bits_read(r, 8);
    uint64_t value = 0;
    if (p)
        memcpy(&value, p, sizeof value);
    return le64toh(value);
}

uint64_t bits_read_varint(struct bits_reader *r)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        unsigned byte = bits_read_u8(r);
        value |= (uint64_t)(byte & 0x7F) << shift;
        if (!(byte & 0x80))
            return value;
    }
    r->is_bad = true;
    return 0;
}

/* Up to nine bytes from p on hold the value; at the end there may be fewer. */
static uint64_t load_slow(const uint8_t *p, size_t size, unsigned shift)
{
    unsigned __int128 value = 0;
    for (size_t i = 0; i < size && i < 9; i++)
        value |= (unsigned __int128)p[i] << (8 * i);
    return (uint64_t)(value >> shift);
}

void bits_unpack(struct bits_reader *r, uint64_t *ret, size_t count, unsigned width)
{
    size_t size = bits_packed_size(count, width);
    const uint8_t *p = bits_read(r, size);
    uint64_t mask = width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
    if (!p || width == 0) {
        memset(ret, 0, count * sizeof *ret);
        return;
    }
    size_t bit = 0;
    for (size_t i = 0; i < count; i++, bit += width) {
        size_t at = bit / 8;
        if (width <= 56 && at + 8 <= size) {
            uint64_t value;
            memcpy(&value, p + at, sizeof value);
            ret[i] = le64toh(value) >> (bit & 7) & mask;
        } else {
            ret[i] = load_slow(p + at, size - at, bit & 7) & mask;
        }
    }
}
