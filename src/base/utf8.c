/* SPDX-License-Identifier: Apache-2.0 */
/* utf8 - where characters begin and end. */
#include "base/utf8.h"

#include "base/span.h"

#include <string.h>

size_t utf8_decode(struct span s, uint32_t *ret)
{
    if (s.size == 0)
        return 0;
    const unsigned char *b = (const unsigned char *)s.data;
    if (b[0] < 0x80) {
        *ret = b[0];
        return 1;
    }
    size_t size = b[0] >= 0xf0 ? 4 : b[0] >= 0xe0 ? 3 : 2;
    if (b[0] < 0xc2 || b[0] > 0xf4 || s.size < size)
        return 0;
    static const unsigned char mask[] = { 0, 0, 0x1f, 0x0f, 0x07 };
    static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    uint32_t code = b[0] & mask[size];
    for (size_t i = 1; i < size; i++) {
        if ((b[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (b[i] & 0x3f);
    }
    if (code < least[size] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
        return 0;
    *ret = code;
    return size;
}

size_t utf8_size(struct span s)
{
    uint32_t code;
    return utf8_decode(s, &code);
}

size_t utf8_encode(uint32_t code, char out[static 4])
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    size_t size = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned char lead[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
    for (size_t i = size; i-- > 1; code >>= 6)
        out[i] = (char)(0x80 | (code & 0x3f));
    out[0] = (char)(lead[size] | code);
    return size;
}

size_t utf8_shown_size(struct span s)
{
    uint32_t code = 0;
    size_t size = utf8_decode(s, &code);
    bool is_control = code < 0x20 || (code >= 0x7f && code <= 0x9f);
    bool is_turn = code == 0x61c || code == 0x200e || code == 0x200f ||
                   (code >= 0x2028 && code <= 0x202e) ||
                   (code >= 0x2066 && code <= 0x2069);
    /* One name must not look like another by what has no width. */
    bool is_hidden =
        code == 0xad || code == 0x180e || (code >= 0x200b && code <= 0x200d) ||
        (code >= 0x2060 && code <= 0x2064) || code == 0xfeff ||
        (code >= 0xfff9 && code <= 0xfffb) || (code >= 0xe0000 && code <= 0xe007f);
    return is_control || is_turn || is_hidden ? 0 : size;
}

size_t utf8_print_shown(char *out, size_t size, struct span s)
{
    static const char digits[] = "0123456789ABCDEF";
    size_t used = 0;
    while (s.size) {
        size_t shown = utf8_shown_size(s);
        if (used + (shown ? shown : 4) + 1 > size)
            break;
        if (shown) {
            memcpy(out + used, s.data, shown);
            used += shown;
        } else {
            unsigned char byte = (unsigned char)s.data[0];
            memcpy(out + used, "\\x", 2);
            out[used + 2] = digits[byte >> 4];
            out[used + 3] = digits[byte & 15];
            used += 4;
        }
        s = span_skip(s, shown ? shown : 1);
    }
    out[used] = '\0';
    return used;
}

bool utf8_is_valid(struct span s)
{
    while (s.size) {
        size_t size = utf8_size(s);
        if (!size)
            return false;
        s = span_skip(s, size);
    }
    return true;
}

size_t utf8_width(struct span s)
{
    size_t width = 0;
    while (s.size) {
        uint32_t code = 0;
        size_t size = utf8_decode(s, &code);
        bool is_mark = code >= 0x300 && code <= 0x36f;
        width += is_mark ? 0 : 1;
        s = span_skip(s, size ? size : 1);
    }
    return width;
}
