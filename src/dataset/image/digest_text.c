/* SPDX-License-Identifier: Apache-2.0 */
/* digest_text - a digest compared, printed and read; without libcrypto. */
#include "dataset/image/digest.h"

#include <errno.h>
#include <string.h>

bool digest_eq(const struct digest *a, const struct digest *b)
{
    return memcmp(a->bytes, b->bytes, DIGEST_SIZE) == 0;
}

void digest_print(const struct digest *digest, char text[static DIGEST_TEXT_SIZE])
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < DIGEST_SIZE; i++) {
        text[2 * i] = digits[digest->bytes[i] >> 4];
        text[2 * i + 1] = digits[digest->bytes[i] & 15];
    }
    text[DIGEST_TEXT_SIZE - 1] = '\0';
}

static int digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int digest_parse(struct span text, struct digest *ret)
{
    struct digest made;
    if (text.size != DIGEST_TEXT_SIZE - 1)
        return -EINVAL;
    for (size_t i = 0; i < DIGEST_SIZE; i++) {
        int high = digit_value(text.data[2 * i]);
        int low = digit_value(text.data[2 * i + 1]);
        if (high < 0 || low < 0)
            return -EINVAL;
        made.bytes[i] = (uint8_t)(high << 4 | low);
    }
    *ret = made;
    return 0;
}
