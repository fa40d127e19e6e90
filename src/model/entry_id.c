/* SPDX-License-Identifier: Apache-2.0 */
/* entry_id - a job identifier: its text form, and the names of its flags. */
#include "model/entry_id.h"

#include "base/span.h"

#include "base/utf8.h"

#include <errno.h>

static bool is_plain(char c)
{
    return c >= 0x20 && c < 0x7f && c != '\\';
}

void entry_id_print(struct strbuf *out, struct span id)
{
    static const char digits[] = "0123456789ABCDEF";
    while (id.size > 0) {
        unsigned char c = (unsigned char)*id.data;
        size_t size = c >= 0x80 ? utf8_size(id) : is_plain(*id.data) ? 1 : 0;
        if (size > 0) {
            strbuf_add(out, id.data, size);
            id = span_skip(id, size);
            continue;
        }
        const char escaped[] = { '\\', 'x', digits[c >> 4], digits[c & 15] };
        strbuf_add(out, escaped, sizeof escaped);
        id = span_skip(id, 1);
    }
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

int entry_id_parse(struct span text, char *out, size_t *ret_size)
{
    size_t size = 0;
    while (text.size > 0) {
        if (*text.data != '\\') {
            out[size++] = *text.data;
            text = span_skip(text, 1);
            continue;
        }
        int high = text.size >= 4 && text.data[1] == 'x' ? hex_digit(text.data[2]) : -1;
        int low = high >= 0 ? hex_digit(text.data[3]) : -1;
        if (low < 0)
            return -EINVAL;
        out[size++] = (char)(high << 4 | low);
        text = span_skip(text, 4);
    }
    *ret_size = size;
    return 0;
}

const char *entry_split_flag_name(unsigned flag)
{
    switch (flag) {
    case SPLIT_MALFORMED:
        return "malformed";
    case SPLIT_MISSING_JOB:
        return "missing_job";
    case SPLIT_MAYBE_CUT:
        return "maybe_cut";
    case SPLIT_MAYBE_REPLACED:
        return "maybe_replaced";
    default:
        return "unknown";
    }
}
