/* SPDX-License-Identifier: Apache-2.0 */
/* pattern - what a probe writes: bytes that know where they belong. */
#include "probe/pattern.h"

#include <string.h>

#define WORD_BYTES 8
#define PIECE_WORDS 512

/* The finalizer of splitmix64 (Steele, Lea, Flood 2014): each bit of the place changes
 * half of the bits. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static uint64_t word_at(uint64_t key, uint64_t index)
{
    return mix(key + (index + 1) * UINT64_C(0x9e3779b97f4a7c15));
}

uint64_t pattern_key(uint64_t run_key, uint64_t file)
{
    return mix(run_key ^ mix(file + 1));
}

void pattern_fill(uint64_t key, uint64_t offset, void *data, size_t size)
{
    uint8_t *out = data;
    while (size > 0) {
        uint64_t word = word_at(key, offset / WORD_BYTES);
        size_t skip = offset % WORD_BYTES;
        size_t n = WORD_BYTES - skip < size ? WORD_BYTES - skip : size;
        memcpy(out, (const uint8_t *)&word + skip, n);
        out += n;
        offset += n;
        size -= n;
    }
}

size_t pattern_check(uint64_t key, uint64_t offset, const void *data, size_t size)
{
    const uint8_t *in = data;
    uint8_t want[PIECE_WORDS * WORD_BYTES];
    for (size_t at = 0; at < size;) {
        size_t n = size - at < sizeof want ? size - at : sizeof want;
        pattern_fill(key, offset + at, want, n);
        if (memcmp(want, in + at, n) != 0) {
            size_t same = 0;
            while (want[same] == in[at + same]) /* ends: they differ */
                same++;
            return at + same;
        }
        at += n;
    }
    return PATTERN_SAME;
}
