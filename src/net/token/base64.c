/* SPDX-License-Identifier: Apache-2.0 */
/* base64 - bytes <-> the URL-safe alphabet of RFC 4648. */
#include "net/token/base64.h"

#include <errno.h>

static const char alphabet[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

void base64_print(struct strbuf *out, struct span bytes)
{
    unsigned bits = 0;
    unsigned bit_count = 0;
    for (size_t i = 0; i < bytes.size; i++) {
        bits = bits << 8 | (unsigned char)bytes.data[i];
        bit_count += 8;
        while (bit_count >= 6) {
            bit_count -= 6;
            strbuf_addc(out, alphabet[bits >> bit_count & 63]);
        }
    }
    if (bit_count)
        strbuf_addc(out, alphabet[bits << (6 - bit_count) & 63]);
}

static int digit_of(char c)
{
    const char *at = c ? strchr(alphabet, c) : NULL;
    return at ? (int)(at - alphabet) : -1;
}

int base64_parse(struct span text, struct strbuf *out)
{
    unsigned bits = 0;
    unsigned bit_count = 0;
    if (text.size % 4 == 1)
        return -EINVAL;
    for (size_t i = 0; i < text.size; i++) {
        int digit = digit_of(text.data[i]);
        if (digit < 0)
            return -EINVAL;
        bits = bits << 6 | (unsigned)digit;
        bit_count += 6;
        if (bit_count >= 8) {
            bit_count -= 8;
            strbuf_addc(out, (char)(bits >> bit_count & 255));
        }
    }
    if (bits & ((1U << bit_count) - 1))
        return -EINVAL;
    return strbuf_error(out);
}
