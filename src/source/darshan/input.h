/* SPDX-License-Identifier: Apache-2.0 */
/* input - where the bytes of a log are: a file or a piece of memory. */
#ifndef SOURCE_DARSHAN_INPUT_H
#define SOURCE_DARSHAN_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct darshan_input {
    int fd;              /* -1: data is meant */
    const uint8_t *data; /* somebody else's */
    uint64_t size;
    int64_t until_ns; /* of clock_monotonic_ns(): then streams end; 0: none */
};

/* A part of the log file, as its header says: nothing here is to be trusted. */
struct darshan_region {
    uint64_t offset;
    uint64_t size; /* compressed, as it lies in the file */
};

/* Copy up to size bytes at offset to out; *ret_got is less only at the end.
 * Errors: what pread says. */
int darshan_input_read(const struct darshan_input *in, uint64_t offset, void *out,
                       size_t size, size_t *ret_got);

static inline uint64_t darshan_u64(const uint8_t *p, bool is_big)
{
    uint64_t value;
    __builtin_memcpy(&value, p, sizeof value);
    if (is_big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__))
        value = __builtin_bswap64(value);
    return value;
}

static inline int64_t darshan_i64(const uint8_t *p, bool is_big)
{
    return (int64_t)darshan_u64(p, is_big);
}

static inline uint32_t darshan_u32(const uint8_t *p, bool is_big)
{
    uint32_t value;
    __builtin_memcpy(&value, p, sizeof value);
    if (is_big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__))
        value = __builtin_bswap32(value);
    return value;
}

static inline double darshan_double(const uint8_t *p, bool is_big)
{
    uint64_t bits = darshan_u64(p, is_big);
    double value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

#endif
