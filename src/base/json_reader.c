/* SPDX-License-Identifier: Apache-2.0 */
/* json_reader - JSON taken in as it arrives.
 *
 * One state for each place in the grammar where the next byte decides.  Strings and
 * numbers that a cut between two pieces goes through, or that have escapes, are
 * gathered in r->token; all others are handed on where they stand.
 */
#include "base/json_reader.h"
#include "base/span.h"

#include "base/utf8.h"

#include <stdio.h>

enum {
    DEPTH_DEFAULT = 32,
    DEPTH_MOST = 64,
    TOKEN_BYTES_DEFAULT = 64 * 1024,
};

enum state {
    AT_VALUE,         /* a value must follow */
    AT_FIRST_ELEMENT, /* a value or ] */
    AT_FIRST_KEY,     /* a key or } */
    AT_KEY,
    AT_COLON,
    AT_COMMA, /* , or the end of the container */
    IN_STRING,
    IN_ESCAPE,
    IN_UNICODE,
    IN_NUMBER,
    IN_LITERAL,
    AT_END,
};

void json_reader_init(struct json_reader *r, const struct json_reader_opts *opts,
                      json_event_fn *fn, void *arg)
{
    *r = (struct json_reader){ .fn = fn, .arg = arg, .line = 1 };
    r->depth_max = opts && opts->depth_max ? opts->depth_max : DEPTH_DEFAULT;
    if (r->depth_max > DEPTH_MOST)
        r->depth_max = DEPTH_MOST;
    r->token_bytes_max =
        opts && opts->token_bytes_max ? opts->token_bytes_max : TOKEN_BYTES_DEFAULT;
}

void json_reader_done(struct json_reader *r)
{
    strbuf_done(&r->token);
}

static int bad(const struct json_reader *r, struct err *err, const char *reason)
{
    return err_set(err, EBADMSG, "JSON: line %llu, byte %llu: %s",
                   (unsigned long long)r->line, (unsigned long long)r->offset, reason);
}

static int token_add(struct json_reader *r, const char *data, size_t size,
                     struct err *err)
{
    if (size > r->token_bytes_max - r->token.size)
        return err_set(err, EMSGSIZE, "JSON: byte %llu: a string of over %zu bytes",
                       (unsigned long long)r->offset, r->token_bytes_max);
    strbuf_add(&r->token, data, size);
    return strbuf_error(&r->token);
}

/* A value is complete: what may follow it? */
static void after_value(struct json_reader *r)
{
    r->state = r->depth ? AT_COMMA : AT_END;
}

static bool in_object(const struct json_reader *r)
{
    return r->depth && (r->is_object >> (r->depth - 1) & 1);
}

static int open_container(struct json_reader *r, bool is_object, struct err *err)
{
    if (r->depth >= r->depth_max)
        return bad(r, err, "nested too deeply");
    int rc = r->fn(r->arg, is_object ? JSON_OBJECT : JSON_ARRAY, SPAN(""), r->depth);
    uint64_t bit = UINT64_C(1) << r->depth;
    r->is_object = is_object ? r->is_object | bit : r->is_object & ~bit;
    r->depth++;
    r->state = is_object ? AT_FIRST_KEY : AT_FIRST_ELEMENT;
    return rc;
}

static int close_container(struct json_reader *r)
{
    bool is_object = in_object(r);
    r->depth--;
    int rc =
        r->fn(r->arg, is_object ? JSON_OBJECT_END : JSON_ARRAY_END, SPAN(""), r->depth);
    after_value(r);
    return rc;
}

static void start_string(struct json_reader *r, bool is_key)
{
    strbuf_clear(&r->token);
    r->token_is_key = is_key;
    r->surrogate = 0;
    r->state = IN_STRING;
}

static int start_value(struct json_reader *r, char c, struct err *err)
{
    switch (c) {
    case '{':
        return open_container(r, true, err);
    case '[':
        return open_container(r, false, err);
    case '"':
        start_string(r, false);
        return 0;
    case 't':
    case 'f':
    case 'n':
        r->state = IN_LITERAL;
        break;
    default:
        if (c != '-' && (c < '0' || c > '9'))
            return bad(r, err, "a value was expected");
        r->state = IN_NUMBER;
        break;
    }
    strbuf_clear(&r->token);
    return 0; /* the byte itself is left for take_scalar */
}

/* -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)? */
static bool is_number(struct span s)
{
    size_t i = s.size && s.data[0] == '-' ? 1 : 0;
    size_t start = i;
    while (i < s.size && s.data[i] >= '0' && s.data[i] <= '9')
        i++;
    if (i == start || (s.data[start] == '0' && i > start + 1))
        return false;
    if (i < s.size && s.data[i] == '.') {
        start = ++i;
        while (i < s.size && s.data[i] >= '0' && s.data[i] <= '9')
            i++;
        if (i == start)
            return false;
    }
    if (i < s.size && (s.data[i] == 'e' || s.data[i] == 'E')) {
        i++;
        if (i < s.size && (s.data[i] == '+' || s.data[i] == '-'))
            i++;
        start = i;
        while (i < s.size && s.data[i] >= '0' && s.data[i] <= '9')
            i++;
        if (i == start)
            return false;
    }
    return i == s.size;
}

static int finish_number(struct json_reader *r, struct span text, struct err *err)
{
    if (!is_number(text))
        return bad(r, err, "not a number");
    after_value(r);
    return r->fn(r->arg, JSON_NUMBER, text, r->depth);
}

static int finish_literal(struct json_reader *r, struct span text, struct err *err)
{
    enum json_event event = span_is(text, "true")    ? JSON_TRUE
                            : span_is(text, "false") ? JSON_FALSE
                                                     : JSON_NULL;
    if (event == JSON_NULL && !span_is(text, "null"))
        return bad(r, err, "neither true, false nor null");
    after_value(r);
    return r->fn(r->arg, event, text, r->depth);
}

static bool is_ascii(struct span text)
{
    unsigned char any = 0;
    for (size_t i = 0; i < text.size; i++)
        any |= (unsigned char)text.data[i];
    return any < 0x80;
}

static int finish_string(struct json_reader *r, struct span text, struct err *err)
{
    if (r->surrogate)
        return bad(r, err, "half a surrogate pair");
    if (!is_ascii(text) && !utf8_is_valid(text))
        return bad(r, err, "a string is not UTF-8");
    if (r->token_is_key) {
        r->state = AT_COLON;
        return r->fn(r->arg, JSON_KEY, text, r->depth - 1);
    }
    after_value(r);
    return r->fn(r->arg, JSON_STRING, text, r->depth);
}

static int take_escape(struct json_reader *r, char c, struct err *err)
{
    static const char from[] = "\"\\/bfnrt";
    static const char to[] = "\"\\/\b\f\n\r\t";
    if (c == 'u') {
        r->unicode_digits = 4;
        r->unicode_code = 0;
        r->state = IN_UNICODE;
        return 0;
    }
    const char *at = c ? strchr(from, c) : NULL;
    if (!at)
        return bad(r, err, "an unknown escape");
    if (r->surrogate)
        return bad(r, err, "half a surrogate pair");
    r->state = IN_STRING;
    return token_add(r, &to[at - from], 1, err);
}

static int finish_unicode(struct json_reader *r, struct err *err)
{
    uint32_t code = r->unicode_code;
    r->state = IN_STRING;
    if (code >= 0xd800 && code <= 0xdbff && !r->surrogate) {
        r->surrogate = code;
        return 0;
    }
    bool is_low = code >= 0xdc00 && code <= 0xdfff;
    if (is_low != (r->surrogate != 0))
        return bad(r, err, "half a surrogate pair");
    if (is_low)
        code = 0x10000 + ((r->surrogate - 0xd800) << 10) + (code - 0xdc00);
    r->surrogate = 0;
    char bytes[4];
    size_t size = utf8_encode(code, bytes);
    return token_add(r, bytes, size, err);
}

static int take_unicode(struct json_reader *r, char c, struct err *err)
{
    unsigned digit;
    if (c >= '0' && c <= '9')
        digit = (unsigned)(c - '0');
    else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
        digit = (unsigned)((c | 0x20) - 'a') + 10;
    else
        return bad(r, err, "an escape wants four hexadecimal digits");
    r->unicode_code = r->unicode_code << 4 | digit;
    return --r->unicode_digits ? 0 : finish_unicode(r, err);
}

/* Take as much of a string as stands in one piece; *used says how much.  One that lies
 * whole and without escapes in it is handed on where it stands. */
static int take_string(struct json_reader *r, const char *data, size_t size,
                       size_t *used, struct err *err)
{
    size_t run = 0;
    while (run < size && data[run] != '"' && data[run] != '\\' &&
           (unsigned char)data[run] >= 0x20)
        run++;
    bool is_whole = run < size && data[run] == '"' && r->token.size == 0;
    if (is_whole && run <= r->token_bytes_max) {
        *used = run + 1;
        return finish_string(r, (struct span){ data, run }, err);
    }
    *used = run;
    if (run) {
        if (r->surrogate)
            return bad(r, err, "half a surrogate pair");
        return token_add(r, data, run, err);
    }
    *used = 1;
    if (data[0] == '"')
        return finish_string(r, strbuf_span(&r->token), err);
    if (data[0] != '\\')
        return bad(r, err, "a control byte in a string");
    r->state = IN_ESCAPE;
    return 0;
}

static int take_comma(struct json_reader *r, char c, struct err *err)
{
    if (c == ',') {
        r->state = in_object(r) ? AT_KEY : AT_VALUE;
        return 0;
    }
    if (c == (in_object(r) ? '}' : ']'))
        return close_container(r);
    return bad(r, err,
               in_object(r) ? "a comma or } was expected"
                            : "a comma or ] was expected");
}

/* One byte outside of strings, numbers and literals. */
static int take_structure(struct json_reader *r, char c, struct err *err)
{
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
        r->line += c == '\n';
        return 0;
    }
    switch ((enum state)r->state) {
    case AT_FIRST_ELEMENT:
        if (c == ']')
            return close_container(r);
        return start_value(r, c, err);
    case AT_VALUE:
        return start_value(r, c, err);
    case AT_FIRST_KEY:
        if (c == '}')
            return close_container(r);
        __attribute__((fallthrough));
    case AT_KEY:
        if (c != '"')
            return bad(r, err, "a key in quotes was expected");
        start_string(r, true);
        return 0;
    case AT_COLON:
        if (c != ':')
            return bad(r, err, "a colon was expected");
        r->state = AT_VALUE;
        return 0;
    case AT_COMMA:
        return take_comma(r, c, err);
    default:
        return bad(r, err, "something follows the end");
    }
}

static bool is_scalar_byte(const struct json_reader *r, char c)
{
    if (r->state == IN_LITERAL)
        return c >= 'a' && c <= 'z';
    return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' ||
           c == 'E';
}

/* A number or literal ends at the first byte that is not of it, which is left over. */
static int take_scalar(struct json_reader *r, const char *data, size_t size,
                       size_t *used, struct err *err)
{
    size_t run = 0;
    while (run < size && is_scalar_byte(r, data[run]))
        run++;
    *used = run;
    struct span text = { data, run };
    bool is_whole = run < size && r->token.size == 0 && run <= r->token_bytes_max;
    if (!is_whole) {
        int rc = token_add(r, data, run, err);
        if (rc < 0 || run == size)
            return rc;
        text = strbuf_span(&r->token);
    }
    return r->state == IN_NUMBER ? finish_number(r, text, err)
                                 : finish_literal(r, text, err);
}

static int take(struct json_reader *r, const char *data, size_t size, size_t *used,
                struct err *err)
{
    *used = 1;
    switch ((enum state)r->state) {
    case IN_STRING:
        return take_string(r, data, size, used, err);
    case IN_ESCAPE:
        return take_escape(r, data[0], err);
    case IN_UNICODE:
        return take_unicode(r, data[0], err);
    case IN_NUMBER:
    case IN_LITERAL:
        return take_scalar(r, data, size, used, err);
    default:
        break;
    }
    int rc = take_structure(r, data[0], err);
    if (r->state == IN_NUMBER || r->state == IN_LITERAL)
        *used = 0;
    return rc;
}

int json_reader_feed(struct json_reader *r, const void *data, size_t size,
                     struct err *err)
{
    const char *at = data;
    while (size) {
        size_t used = 0;
        int rc = take(r, at, size, &used, err);
        if (rc < 0)
            return rc;
        at += used;
        size -= used;
        r->offset += used;
    }
    return 0;
}

int json_reader_finish(struct json_reader *r, struct err *err)
{
    int rc = 0;
    if (r->state == IN_NUMBER)
        rc = finish_number(r, strbuf_span(&r->token), err);
    else if (r->state == IN_LITERAL)
        rc = finish_literal(r, strbuf_span(&r->token), err);
    if (rc < 0)
        return rc;
    return r->state == AT_END ? 0 : bad(r, err, "the text ends too early");
}

int json_read(struct span text, json_event_fn *fn, void *arg, struct err *err)
{
    AUTO(json_reader_done) struct json_reader r;
    json_reader_init(&r, NULL, fn, arg);
    int rc = json_reader_feed(&r, text.data, text.size, err);
    return rc < 0 ? rc : json_reader_finish(&r, err);
}
