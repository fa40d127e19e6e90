/* SPDX-License-Identifier: Apache-2.0 */
/* line_value - what the parts of a line stand for. */
#include "wire/line_value.h"

#include "base/number.h"

#include <errno.h>
#include <string.h>

static size_t unescape(struct span s, const char *escapable, char *out)
{
    size_t size = 0;
    for (size_t i = 0; i < s.size; i++) {
        if (s.data[i] == '\\' && i + 1 < s.size && s.data[i + 1] != '\0' &&
            strchr(escapable, s.data[i + 1]))
            i++;
        out[size++] = s.data[i];
    }
    return size;
}

size_t token_unescape(struct span s, char *out)
{
    return unescape(s, ",= ", out);
}

size_t measurement_unescape(struct span s, char *out)
{
    return unescape(s, ", ", out);
}

size_t string_unescape(struct span s, char *out)
{
    static const char from[] = "\"\\nrt", to[] = "\"\\\n\r\t";
    size_t size = 0;
    for (size_t i = 0; i < s.size; i++) {
        bool is_escape = s.data[i] == '\\' && i + 1 < s.size && s.data[i + 1] != '\0';
        const char *found = is_escape ? strchr(from, s.data[i + 1]) : NULL;
        out[size++] = found ? to[found - from] : s.data[i];
        i += found ? 1 : 0;
    }
    return size;
}

int line_field_double(const struct line_field *field, double *ret)
{
    double value;
    switch (field->type) {
    case LINE_FLOAT:
        *ret = field->number;
        return 0;
    case LINE_BOOL:
        *ret = field->boolean ? 1 : 0;
        return 0;
    case LINE_INT:
        value = (double)field->integer;
        if (value >= 0x1p63 || (int64_t)value != field->integer)
            return -ERANGE;
        break;
    case LINE_UINT:
        value = (double)field->uinteger;
        if (value >= 0x1p64 || (uint64_t)value != field->uinteger)
            return -ERANGE;
        break;
    default:
        return -EDOM;
    }
    *ret = value;
    return 0;
}

int64_t line_time_unit(int64_t value)
{
    uint64_t size = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    if (size < UINT64_C(100000000000))
        return NS_PER_S;
    if (size < UINT64_C(100000000000000))
        return NS_PER_MS;
    return size < UINT64_C(100000000000000000) ? 1000 : 1;
}
