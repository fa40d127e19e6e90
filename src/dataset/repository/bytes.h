/* SPDX-License-Identifier: Apache-2.0 */
/* bytes - integers of fixed width in bytes, little endian, at any address. */
#ifndef DATASET_REPOSITORY_BYTES_H
#define DATASET_REPOSITORY_BYTES_H

#include <stdint.h>

static inline uint32_t bytes_u32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
           (uint32_t)p[3] << 24;
}

static inline uint64_t bytes_u64(const uint8_t *p)
{
    return (uint64_t)bytes_u32(p) | (uint64_t)bytes_u32(p + 4) << 32;
}

static inline void bytes_put_u32(uint8_t *p, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        p[i] = (uint8_t)(value >> 8 * i);
}

static inline void bytes_put_u64(uint8_t *p, uint64_t value)
{
    bytes_put_u32(p, (uint32_t)value);
    bytes_put_u32(p + 4, (uint32_t)(value >> 32));
}

#endif
