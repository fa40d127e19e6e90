/* SPDX-License-Identifier: Apache-2.0 */
/* html_text - words from anywhere as text of an HTML page. */
#include "report/job/html_text.h"

#include "base/utf8.h"

#include <string.h>

/* U+200E, U+200F, U+202A to U+202E and U+2066 to U+2069, U+061C. */
static size_t direction_bytes(const char *at, size_t left)
{
    const unsigned char *c = (const unsigned char *)at;
    if (left >= 2 && c[0] == 0xD8 && c[1] == 0x9C)
        return 2;
    if (left < 3 || c[0] != 0xE2)
        return 0;
    bool is_mark = c[1] == 0x80 && (c[2] == 0x8E || c[2] == 0x8F);
    bool is_embedding = c[1] == 0x80 && c[2] >= 0xAA && c[2] <= 0xAE;
    bool is_isolate = c[1] == 0x81 && c[2] >= 0xA6 && c[2] <= 0xA9;
    return is_mark || is_embedding || is_isolate ? 3 : 0;
}

static const char *entity_of(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

void html_add_escaped(struct strbuf *out, struct span text)
{
    bool is_text = utf8_is_valid(text);
    for (size_t i = 0; i < text.size; i++) {
        unsigned char c = (unsigned char)text.data[i];
        size_t hidden = direction_bytes(text.data + i, text.size - i);
        const char *entity = entity_of((char)c);
        if (entity)
            strbuf_adds(out, entity);
        else if ((c < 0x20 && c != '\n') || c == 0x7F || (!is_text && c > 0x7F) ||
                 hidden > 0)
            strbuf_addc(out, '?');
        else
            strbuf_addc(out, (char)c);
        i += hidden > 0 && is_text ? hidden - 1 : 0;
    }
}

void html_element(struct strbuf *out, const char *name, const char *class_name,
                  struct span text)
{
    strbuf_addf(out, "<%s", name);
    if (class_name)
        strbuf_addf(out, " class='%s'", class_name);
    strbuf_addc(out, '>');
    html_add_escaped(out, text);
    strbuf_addf(out, "</%s>\n", name);
}

static bool is_in_columns(struct span line)
{
    for (size_t i = 0; i < line.size; i++)
        if (line.data[i] == ' ' && (i == 0 || line.data[i - 1] == ' '))
            return true;
    return false;
}

void html_lines(struct strbuf *out, struct span text)
{
    struct span line, next, rest = text;
    while (rest.size > 0) {
        const struct span block = rest;
        (void)span_cut(&rest, '\n', &line);
        if (!is_in_columns(line)) {
            if (line.size > 0)
                html_element(out, "p", NULL, line);
            continue;
        }
        for (next = rest; next.size > 0; rest = next) {
            (void)span_cut(&next, '\n', &line);
            if (!is_in_columns(line))
                break;
        }
        html_element(out, "pre", NULL,
                     (struct span){ block.data, block.size - rest.size });
    }
}
