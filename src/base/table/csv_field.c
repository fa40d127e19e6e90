/* SPDX-License-Identifier: Apache-2.0 */
/* csv_field - one field of a row of CSV, as RFC 4180 quotes it. */
#include "base/table/csv_field.h"

#include "base/span.h"

void csv_field_add(struct strbuf *out, struct span field)
{
    bool is_quoted = field.size == 0;
    for (size_t i = 0; i < field.size && !is_quoted; i++)
        is_quoted = strchr(",\"\r\n", field.data[i]) != NULL; /* NUL as well */
    if (!is_quoted) {
        strbuf_add_span(out, field);
        return;
    }
    strbuf_addc(out, '"');
    for (size_t i = 0; i < field.size; i++) {
        if (field.data[i] == '"')
            strbuf_addc(out, '"');
        strbuf_addc(out, field.data[i]);
    }
    strbuf_addc(out, '"');
}

void csv_field_cut(struct span *rest, struct strbuf *out)
{
    strbuf_clear(out);
    bool is_quoted = span_starts(*rest, "\"");
    size_t i = is_quoted;
    for (; i < rest->size; i++) {
        char c = rest->data[i];
        if (is_quoted && c == '"') {
            if (i + 1 >= rest->size || rest->data[i + 1] != '"')
                break;
            i++;
        } else if (!is_quoted && (c == ',' || c == '\n')) {
            break;
        }
        strbuf_addc(out, c);
    }
    *rest = span_skip(*rest, i + (is_quoted ? 2 : 1));
}
