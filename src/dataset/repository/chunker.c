/* SPDX-License-Identifier: Apache-2.0 */
/* chunker - where content is cut, so that equal content gives equal chunks. */
#include "dataset/repository/chunker.h"

#include <pthread.h>

/* High bits of the hash: those depend on the last 64 bytes. */
#define MASK_SMALL (UINT64_C(0x3FFFF) << 46) /* before the normal size: 18 bits */
#define MASK_LARGE (UINT64_C(0x3FFF) << 50)  /* behind it: 14 bits */
#define GEAR_SEED UINT64_C(0x6261726F64617461)

static uint64_t gear[256];
static pthread_once_t gear_once = PTHREAD_ONCE_INIT;

static void gear_make(void)
{
    uint64_t state = GEAR_SEED;
    for (int i = 0; i < 256; i++) {
        state += UINT64_C(0x9E3779B97F4A7C15);
        uint64_t z = state;
        z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
        z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
        gear[i] = z ^ z >> 31;
    }
}

/* The hash of a chunk begins 64 bytes before the first position where it may end. */
#define WINDOW 64U

size_t chunk_cut(const uint8_t *data, size_t size)
{
    uint64_t hash = 0;
    if (size <= CHUNK_SIZE_MIN)
        return size;
    (void)pthread_once(&gear_once, gear_make);
    size_t end = size < CHUNK_SIZE_MAX ? size : CHUNK_SIZE_MAX;
    size_t normal = end < CHUNK_SIZE_NORMAL ? end : CHUNK_SIZE_NORMAL;
    size_t at = CHUNK_SIZE_MIN - WINDOW;
    for (; at < CHUNK_SIZE_MIN; at++)
        hash = (hash << 1) + gear[data[at]];
    for (; at < normal; at++) {
        hash = (hash << 1) + gear[data[at]];
        if (!(hash & MASK_SMALL))
            return at + 1;
    }
    for (; at < end; at++) {
        hash = (hash << 1) + gear[data[at]];
        if (!(hash & MASK_LARGE))
            return at + 1;
    }
    return end;
}
