/* SPDX-License-Identifier: Apache-2.0 */
/* json_writer - JSON onto a strbuf, with the commas in the right places. */
#include "base/json_writer.h"

#include "base/decimal_text.h"

#include "base/number.h"
#include "base/span.h"
#include "base/timetext.h"
#include "base/utf8.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void json_writer_init(struct json_writer *w, struct strbuf *out)
{
    *w = (struct json_writer){ .out = out };
}

/* What must stand before a value or key: a comma, or nothing. */
static void separate(struct json_writer *w)
{
    if (w->after_key) {
        w->after_key = false;
        return;
    }
    if (w->has_member[w->depth])
        strbuf_addc(w->out, ',');
    w->has_member[w->depth] = true;
}

static void open_container(struct json_writer *w, char c)
{
    separate(w);
    strbuf_addc(w->out, c);
    assert(w->depth < JSON_DEPTH_MAX);
    w->has_member[++w->depth] = false;
}

static void close_container(struct json_writer *w, char c)
{
    assert(w->depth > 0);
    w->depth--;
    strbuf_addc(w->out, c);
}

void json_object(struct json_writer *w)
{
    open_container(w, '{');
}

void json_object_end(struct json_writer *w)
{
    close_container(w, '}');
}

void json_array(struct json_writer *w)
{
    open_container(w, '[');
}

void json_array_end(struct json_writer *w)
{
    close_container(w, ']');
}

static void add_escaped(struct strbuf *out, unsigned char c)
{
    switch (c) {
    case '"':
        strbuf_add(out, "\\\"", 2);
        break;
    case '\\':
        strbuf_add(out, "\\\\", 2);
        break;
    case '\n':
        strbuf_add(out, "\\n", 2);
        break;
    case '\t':
        strbuf_add(out, "\\t", 2);
        break;
    default:
        strbuf_addf(out, "\\u%04x", c);
        break;
    }
}

static bool is_plain(unsigned char c)
{
    return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

static void add_string(struct strbuf *out, struct span s)
{
    strbuf_addc(out, '"');
    size_t at = 0;
    while (at < s.size) {
        size_t run = at;
        while (run < s.size && is_plain((unsigned char)s.data[run]))
            run++;
        if (run > at) {
            strbuf_add(out, s.data + at, run - at);
            at = run;
            continue;
        }
        unsigned char c = (unsigned char)s.data[at];
        if (c < 0x80) {
            add_escaped(out, c);
            at++;
            continue;
        }
        size_t size = utf8_size(span_skip(s, at));
        if (size)
            strbuf_add(out, s.data + at, size);
        else
            strbuf_adds(out, "\xef\xbf\xbd"); /* U+FFFD */
        at += size ? size : 1;
    }
    strbuf_addc(out, '"');
}

void json_key_span(struct json_writer *w, struct span key)
{
    separate(w);
    add_string(w->out, key);
    strbuf_addc(w->out, ':');
    w->after_key = true;
}

void json_key(struct json_writer *w, const char *key)
{
    json_key_span(w, span_of(key));
}

void json_raw(struct json_writer *w, struct span json)
{
    separate(w);
    strbuf_add_span(w->out, json);
}

void json_null(struct json_writer *w)
{
    json_raw(w, SPAN("null"));
}

void json_bool(struct json_writer *w, bool value)
{
    json_raw(w, value ? SPAN("true") : SPAN("false"));
}

void json_u64(struct json_writer *w, uint64_t value)
{
    separate(w);
    strbuf_add_u64(w->out, value);
}

void json_i64(struct json_writer *w, int64_t value)
{
    separate(w);
    strbuf_add_i64(w->out, value);
}

void json_double(struct json_writer *w, double value)
{
    if (!isfinite(value)) {
        json_null(w);
        return;
    }
    char text[DECIMAL_TEXT_MAX];
    json_raw(w, (struct span){ text, decimal_print_shortest(text, value) });
}

void json_text(struct json_writer *w, const char *value)
{
    if (value)
        json_span(w, span_of(value));
    else
        json_null(w);
}

void json_span(struct json_writer *w, struct span value)
{
    separate(w);
    add_string(w->out, value);
}

void json_time_ms(struct json_writer *w, int64_t t_ms)
{
    char text[TIMETEXT_SIZE];
    size_t size = timetext_print_ms(text, t_ms);
    json_span(w, (struct span){ text, size });
}

void json_seconds(struct json_writer *w, int64_t t_ns)
{
    char text[TIMETEXT_SIZE];
    size_t size = timetext_print_seconds(text, t_ns);
    json_raw(w, (struct span){ text, size });
}

/* How a piece of a JSON string is spelled for HTML; NULL: as it is. */
static const char *html_spelling(struct span rest, size_t *ret_size)
{
    static const struct {
        const char *from, *to;
    } spellings[] = {
        { "<", "\\u003c" },
        { ">", "\\u003e" },
        { "&", "\\u0026" },
        { "\xe2\x80\xa8", "\\u2028" },
        { "\xe2\x80\xa9", "\\u2029" },
        { "\\u007f", "\x7f" },
    };
    for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++) {
        *ret_size = strlen(spellings[i].from);
        if (span_starts(rest, spellings[i].from))
            return spellings[i].to;
    }
    return NULL;
}

void json_add_html_safe(struct strbuf *out, struct span text)
{
    AUTO(strbuf_done) struct strbuf plain = STRBUF_INIT;
    add_string(&plain, text);
    struct span rest = strbuf_span(&plain);
    while (rest.size > 0) {
        size_t size = 1;
        const char *spelling = html_spelling(rest, &size);
        if (spelling) {
            strbuf_adds(out, spelling);
        } else {
            size = *rest.data == '\\' ? 2 : 1; /* an escaped backslash is whole */
            strbuf_add(out, rest.data, size);
        }
        rest = span_skip(rest, size);
    }
    if (strbuf_error(&plain) < 0)
        out->error = strbuf_error(&plain);
}
