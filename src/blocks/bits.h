/* SPDX-License-Identifier: Apache-2.0 */
/* bits - numbers of few bits side by side, and numbers of a variable count of bytes.
 *
 * Writers need capacity for what they write.  Readers trust nothing: is_bad of a
 * bits_reader that was asked for more than is there becomes true and stays; whatever it
 * returns from then on means nothing, and no byte behind the end is read.
 */
#ifndef BLOCKS_BITS_H
#define BLOCKS_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct bits_writer {
    uint8_t *out;
    size_t size;
};

struct bits_reader {
    const uint8_t *data;
    size_t size;
    size_t at;
    bool is_bad;
};

static inline uint64_t zigzag(int64_t value)
{
    return (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
}

static inline int64_t unzigzag(uint64_t value)
{
    return (int64_t)(value >> 1 ^ (0 - (value & 1)));
}

static inline unsigned bits_needed(uint64_t value)
{
    return value ? 64 - (unsigned)__builtin_clzll(value) : 0;
}

static inline size_t bits_varint_size(uint64_t value)
{
    return value ? (bits_needed(value) + 6) / 7 : 1;
}

static inline size_t bits_packed_size(size_t count, unsigned width)
{
    return (count * width + 7) / 8;
}

void bits_put(struct bits_writer *w, const void *data, size_t size);
void bits_put_u8(struct bits_writer *w, unsigned value);
void bits_put_u64(struct bits_writer *w, uint64_t value);
void bits_put_varint(struct bits_writer *w, uint64_t value);
/* The lower width (0 .. 64) bits of each value. */
void bits_pack(struct bits_writer *w, const uint64_t *values, size_t count,
               unsigned width);

const uint8_t *bits_read(struct bits_reader *r, size_t size); /* NULL: not there */
unsigned bits_read_u8(struct bits_reader *r);
uint64_t bits_read_u64(struct bits_reader *r);
uint64_t bits_read_varint(struct bits_reader *r);
void bits_unpack(struct bits_reader *r, uint64_t *ret, size_t count, unsigned width);

#endif
