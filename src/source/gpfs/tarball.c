/* SPDX-License-Identifier: Apache-2.0 */
/* tarball - the files in a tar archive (ustar, pax, GNU), as spans into it. */
#include "source/gpfs/tarball.h"

#define BLOCK 512
#define NAME_BYTES 100
#define SIZE_AT 124
#define SIZE_BYTES 12
#define SUM_AT 148
#define SUM_BYTES 8
#define TYPE_AT 156
#define MAGIC_AT 257

/* Octal digits, up to a blank or NUL. */
static bool octal_parse(const char *text, size_t size, uint64_t *ret)
{
    uint64_t value = 0;
    size_t i = 0;
    while (i < size && text[i] == ' ')
        i++;
    size_t first = i;
    for (; i < size && text[i] >= '0' && text[i] <= '7'; i++)
        value = value * 8 + (uint64_t)(text[i] - '0');
    *ret = value;
    return i > first && (i == size || text[i] == ' ' || text[i] == '\0');
}

static bool header_is(const char *block)
{
    uint64_t sum_stored, sum = 0;
    for (size_t i = 0; i < BLOCK; i++)
        sum += i >= SUM_AT && i < SUM_AT + SUM_BYTES ? ' ' : (unsigned char)block[i];
    return memcmp(block + MAGIC_AT, "ustar", 5) == 0 &&
           octal_parse(block + SUM_AT, SUM_BYTES, &sum_stored) && sum_stored == sum;
}

static bool is_blank(const char *block)
{
    for (size_t i = 0; i < BLOCK; i++)
        if (block[i] != '\0')
            return false;
    return true;
}

bool tarball_is(struct span text)
{
    return text.size >= BLOCK && header_is(text.data);
}

int tarball_next(struct span tar, size_t *cursor, struct span *ret_name,
                 struct span *ret_text)
{
    while (*cursor < tar.size) {
        const char *block = tar.data + *cursor;
        uint64_t size;
        if (tar.size - *cursor < BLOCK)
            return -EBADMSG;
        if (is_blank(block))
            return 0;
        if (!header_is(block) || !octal_parse(block + SIZE_AT, SIZE_BYTES, &size) ||
            size > tar.size - *cursor - BLOCK)
            return -EBADMSG;
        size_t blocks = ((size_t)size + BLOCK - 1) / BLOCK;
        size_t rest = tar.size - *cursor - BLOCK;
        *cursor += BLOCK + (blocks * BLOCK < rest ? blocks * BLOCK : rest);
        if (block[TYPE_AT] != '0' && block[TYPE_AT] != '\0')
            continue;
        *ret_name = (struct span){ block, strnlen(block, NAME_BYTES) };
        *ret_text = (struct span){ block + BLOCK, (size_t)size };
        return 1;
    }
    return 0;
}
