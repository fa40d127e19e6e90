/* SPDX-License-Identifier: Apache-2.0 */
/* codec - up to 256 doubles as few bytes, without losing a bit.
 *
 *     kind | presence? | body                 presence: one bit a slot, when some are
 *                                             missing; the body has only what is there
 *     constant   the 64 bits
 *     decimal    value = integer / 10^e; the integers, or their differences, above a
 *                base, packed in as few bits as pay; those that are wider follow apart,
 *                and so do values that are no such decimals, as they are
 *     split      real doubles: the upper bits out of a dictionary of at most eight, the
 *                lower ones packed as they are
 *     raw        64 bits each
 *
 * The missing value is MISSING_BITS and nothing else: other NaNs, infinities, -0 and
 * denormals come back as they went in.  doc/formats/store-block.md has the bytes.
 *
 * Threads  none inside; nothing is allocated, some KiB of stack are used.
 */
#ifndef BLOCKS_CODEC_H
#define BLOCKS_CODEC_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define CODEC_VALUES_MAX 256
/* Raw values with a presence of every slot is the longest that is ever chosen. */
#define CODEC_BYTES_MAX (CODEC_VALUES_MAX * 8 + CODEC_VALUES_MAX / 8 + 8)
#define MISSING_BITS UINT64_C(0x7FF8000000000000)

static inline uint64_t double_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline double bits_double(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* How the values of one block were coded, for statistics and tests. */
enum codec_kind {
    CODEC_EMPTY, /* every slot is missing */
    CODEC_CONSTANT,
    CODEC_DECIMAL,
    CODEC_SPLIT,
    CODEC_RAW,
    CODEC_KIND_COUNT,
};

/* count values (1 .. CODEC_VALUES_MAX) into out; returns how many bytes. */
size_t codec_encode(const double *values, size_t count, uint8_t out[CODEC_BYTES_MAX]);

/* The bytes are not trusted.  Errors: -EBADMSG; then ret is undefined. */
int codec_decode(const uint8_t *data, size_t size, double *ret, size_t count);

enum codec_kind codec_kind_of(const uint8_t *data);

/* Integers, for the times of series without a step. */
size_t codec_encode_times(const int64_t *times, size_t count,
                          uint8_t out[CODEC_BYTES_MAX]);
int codec_decode_times(const uint8_t *data, size_t size, int64_t *ret, size_t count);

#endif
