/* SPDX-License-Identifier: Apache-2.0 */
/* id_line - the line that begins an entry, and the identifier in it. */
#include "source/lustre/id_line.h"

#include "base/span.h"

#include <errno.h>

#define KERNEL_KEY "- job_id:          " /* printed as "- %-16s %s" */

static struct span skip_blanks(struct span s)
{
    while (s.size > 0 && (*s.data == ' ' || *s.data == '\t'))
        s = span_skip(s, 1);
    return s;
}

bool id_line_find(struct span line, struct span *ret_value)
{
    if (span_starts(line, KERNEL_KEY)) {
        *ret_value = span_skip(line, sizeof(KERNEL_KEY) - 1);
        return true;
    }
    struct span s = skip_blanks(line);
    if (s.size > 0 && *s.data == '-')
        s = skip_blanks(span_skip(s, 1));
    if (!span_starts(s, "job_id"))
        return false;
    s = skip_blanks(span_skip(s, strlen("job_id")));
    if (s.size == 0 || *s.data != ':')
        return false;
    *ret_value = span_trim(span_skip(s, 1));
    return true;
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

/* One escape: \xHH, or a quote or backslash behind a backslash. */
static int take_escape(struct span *s, char *ret)
{
    if (s->size >= 4 && s->data[1] == 'x') {
        int high = hex_digit(s->data[2]);
        int low = hex_digit(s->data[3]);
        if (high < 0 || low < 0)
            return -EINVAL;
        *ret = (char)(high << 4 | low);
        *s = span_skip(*s, 4);
        return 0;
    }
    if (s->size < 2 || (s->data[1] != '"' && s->data[1] != '\\'))
        return -EINVAL;
    *ret = s->data[1];
    *s = span_skip(*s, 2);
    return 0;
}

static int decode_quoted(struct span s, char *out, size_t *ret_size)
{
    size_t size = 0;
    while (s.size > 0) {
        if (size == ENTRY_ID_BYTES_MAX || *s.data == '"')
            return -EINVAL;
        if (*s.data == '\\') {
            if (take_escape(&s, &out[size++]) < 0)
                return -EINVAL;
            continue;
        }
        out[size++] = *s.data;
        s = span_skip(s, 1);
    }
    *ret_size = size;
    return size > 0 ? 0 : -EINVAL;
}

int id_line_decode(struct span value, char *out, size_t *ret_size, bool *ret_is_quoted)
{
    struct span trimmed = span_trim(value);
    if (trimmed.size == 0)
        return -EINVAL;
    if (*trimmed.data == '"') {
        if (trimmed.size < 2 || !span_ends(trimmed, "\""))
            return -EINVAL;
        struct span inside = { trimmed.data + 1, trimmed.size - 2 };
        int rc = decode_quoted(inside, out, ret_size);
        if (rc == 0)
            *ret_is_quoted = true;
        return rc;
    }
    if (value.size > ENTRY_ID_BYTES_MAX)
        return -EINVAL;
    memcpy(out, value.data, value.size);
    *ret_size = value.size;
    *ret_is_quoted = false;
    return 0;
}
