/* SPDX-License-Identifier: Apache-2.0 */
/* line_peer - what cc-metric-store says of a bad line, in its words. */
#include "ingest/line_peer.h"

#include "base/number.h"
#include "base/span.h"
#include "base/utf8.h"
#include "wire/wire.h"

#include <inttypes.h>

struct peer_line {
    const char *begin, *at, *end;
    uint64_t line;
    struct strbuf *out;
};

static bool is_end(const struct peer_line *p)
{
    return p->at == p->end;
}

static bool is_control(char c)
{
    return (unsigned char)c < 32 || c == 127;
}

/* ---- words ---- */

static void quote_byte(struct strbuf *out, char c, char quote)
{
    static const char from[] = "\a\b\f\n\r\t\v", to[] = "abfnrtv";
    const char *found = c ? strchr(from, c) : NULL;
    if (found)
        strbuf_addf(out, "\\%c", to[found - from]);
    else if (c == quote || c == '\\')
        strbuf_addf(out, "\\%c", c);
    else if (c == 127)
        strbuf_adds(out, quote == '"' ? "\\x7f" : "\\u007f");
    else if ((unsigned char)c < 32)
        strbuf_addf(out, "\\x%02x", c);
    else
        strbuf_addc(out, c);
}

static void add_quoted(struct strbuf *out, struct span s)
{
    strbuf_addc(out, '"');
    while (s.size > 0) {
        size_t size = (unsigned char)*s.data < 0x80 ? 1 : utf8_size(s);
        if (size > 1)
            strbuf_add(out, s.data, size);
        else if (size == 1)
            quote_byte(out, *s.data, '"');
        else
            strbuf_addf(out, "\\x%02x", (unsigned char)*s.data);
        s = span_skip(s, size ? size : 1);
    }
    strbuf_addc(out, '"');
}

/* A byte above 127 is the character of that number. */
static void add_char(struct strbuf *out, char c)
{
    unsigned char u = (unsigned char)c;
    strbuf_addc(out, '\'');
    if (u >= 0xa0) {
        strbuf_addc(out, (char)(0xc0 | u >> 6));
        strbuf_addc(out, (char)(0x80 | (u & 0x3f)));
    } else if (u >= 0x80) {
        strbuf_addf(out, "\\u%04x", u);
    } else {
        quote_byte(out, c, '\'');
    }
    strbuf_addc(out, '\'');
}

static int complain(struct peer_line *p, const char *where, const char *text)
{
    strbuf_addf(p->out, "at line %" PRIu64 ":%zu: %s", p->line,
                (size_t)(where - p->begin) + 1, text);
    return -EBADMSG;
}

static int complain_of(struct peer_line *p, const char *where, const char *text,
                       struct span name, const char *more)
{
    (void)complain(p, where, text);
    add_quoted(p->out, name);
    strbuf_adds(p->out, more);
    return -EBADMSG;
}

static int complain_here(struct peer_line *p, const char *where, const char *text,
                         const char *more)
{
    (void)complain(p, where, text);
    add_char(p->out, *p->at);
    strbuf_adds(p->out, more);
    return -EBADMSG;
}

/* ---- tokens ---- */

/* Bytes up to one of stops or a control character, those that are escaped included. */
static struct span take(struct peer_line *p, const char *stops, const char *escapable)
{
    const char *begin = p->at;
    for (; !is_end(p); p->at++) {
        if (*p->at == '\\' && p->at + 1 < p->end && p->at[1] != '\0' &&
            strchr(escapable, p->at[1]))
            p->at++;
        else if (is_control(*p->at) || strchr(stops, *p->at))
            break;
    }
    return (struct span){ begin, (size_t)(p->at - begin) };
}

static bool is_utf8(struct span s)
{
    while (s.size > 0) {
        size_t size = (unsigned char)*s.data < 0x80 ? 1 : utf8_size(s);
        if (size == 0)
            return false;
        s = span_skip(s, size);
    }
    return true;
}

static int take_token(struct peer_line *p, const char *stops, const char *escapable,
                      struct span *ret)
{
    *ret = take(p, stops, escapable);
    return is_utf8(*ret) ? 0
                         : complain_of(p, ret->data, "invalid utf-8 sequence in token ",
                                       *ret, "");
}

/* As add_quoted() wants it: without its escapes. */
static int complain_of_key(struct peer_line *p, const char *where, const char *text,
                           struct span key, const char *more)
{
    AUTO(strbuf_done) struct strbuf plain = STRBUF_INIT;
    if (strbuf_reserve(&plain, key.size + 1) < 0)
        return -EBADMSG;
    plain.size = token_unescape(key, plain.data);
    return complain_of(p, where, text, strbuf_span(&plain), more);
}

static bool is_white(char c)
{
    return c == ' ' || c == '\r' || c == '\n';
}

static int skip_comma(struct peer_line *p)
{
    if (is_end(p) || *p->at != ',')
        return 0;
    p->at++;
    if (is_end(p))
        return complain(p, p->at, "expected tag key after comma; got end of input");
    if (is_white(*p->at))
        return complain(p, p->at,
                        "expected tag key after comma; got white space instead");
    return 0;
}

/* ---- sections ---- */

static int check_measurement(struct peer_line *p)
{
    struct span name;
    int rc = take_token(p, ", ", " ,", &name);
    if (rc < 0)
        return rc;
    if (name.size == 0)
        return complain_here(p, p->at, "invalid character ",
                             " found at start of measurement name");
    if (*name.data == '#')
        return complain(p, name.data, "invalid character found in comment line");
    return skip_comma(p);
}

static int check_tag(struct peer_line *p)
{
    static const char stops[] = ",= ";
    struct span key, value;
    int rc = take_token(p, stops, stops, &key);
    if (rc < 0)
        return rc;
    if (is_end(p) && key.size == 0)
        return complain(p, key.data,
                        "expected tag key or field but found end of input instead");
    if (is_end(p))
        return complain_of_key(p, key.data, "expected '=' after tag key ", key,
                               ", but got end of input instead");
    if (*p->at != '=' && key.size == 0)
        return complain_here(p, key.data, "expected tag key or field but found ",
                             " instead");
    if (*p->at != '=') {
        (void)complain_of_key(p, key.data, "expected '=' after tag key ", key,
                              ", but got ");
        add_char(p->out, *p->at);
        strbuf_adds(p->out, " instead");
        return -EBADMSG;
    }
    if (key.size == 0)
        return complain(p, key.data, "empty tag key");
    p->at++;
    rc = take_token(p, stops, stops, &value);
    if (rc < 0)
        return rc;
    if (value.size == 0)
        return complain_of_key(p, value.data, "expected tag value after tag key ", key,
                               ", but none found");
    return skip_comma(p);
}

static int check_tags(struct peer_line *p)
{
    const char *before = NULL;
    int rc = 0;
    while (rc == 0 && (is_end(p) || *p->at != ' ')) {
        if (is_end(p) && before) /* the fields will be missed */
            return 0;
        before = p->at;
        rc = check_tag(p);
    }
    while (!is_end(p) && *p->at == ' ')
        p->at++;
    return rc;
}

/* ": what is wrong with it", or NULL. */
static const char *number_fault(struct span value)
{
    struct span digits = { value.data, value.size - 1 };
    int64_t integer;
    uint64_t uinteger;
    double number;
    const char *fault = ": invalid float value syntax";
    int rc;
    switch (value.data[value.size - 1]) {
    case 'i':
        fault = ": invalid integer value syntax";
        rc = number_parse_i64(digits, &integer);
        break;
    case 'u':
        fault = ": invalid unsigned integer value syntax";
        rc = number_parse_u64(digits, &uinteger);
        break;
    default:
        rc = number_parse_double(value, &number);
    }
    if (rc == 0)
        return NULL;
    return rc == -ERANGE ? ": line-protocol value out of range" : fault;
}

static bool is_bool(struct span value)
{
    static const char *const words[] = { "t", "T", "true",  "True",  "TRUE",
                                         "f", "F", "false", "False", "FALSE" };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (span_is(value, words[i]))
            return true;
    }
    return false;
}

static int skip_string(struct peer_line *p, struct span key)
{
    const char *begin = p->at++;
    for (; !is_end(p) && *p->at != '"'; p->at++) {
        if (*p->at == '\\' && p->at + 1 < p->end)
            p->at++;
    }
    if (is_end(p))
        return complain_of_key(p, begin, "expected closing quote for string field ",
                               key, ", found end of input");
    p->at++;
    return 0;
}

static int check_value(struct peer_line *p, struct span key)
{
    const char *begin = p->at;
    char first = *begin;
    if (first == '"')
        return skip_string(p, key);
    if (first == ' ' || first == ',')
        return complain_of_key(p, begin, "missing field value for field ", key, "");
    while (!is_end(p) && *p->at != ',' && !is_white(*p->at))
        p->at++;
    struct span value = { begin, (size_t)(p->at - begin) };
    const char *fault = NULL;
    if (first == 't' || first == 'T' || first == 'f' || first == 'F') {
        if (is_bool(value))
            return 0;
        (void)complain_of_key(p, begin, "cannot parse value for field key ", key,
                              ": invalid bool value ");
        add_quoted(p->out, value);
        return -EBADMSG;
    }
    if ((unsigned)(first - '0') > 9 && first != '-' && first != '.') {
        (void)complain_of_key(p, begin, "value for field ", key, " (");
        add_quoted(p->out, value);
        strbuf_adds(p->out, ") has unrecognized type");
        return -EBADMSG;
    }
    fault = number_fault(value);
    return fault ? complain_of_key(p, begin, "cannot parse value for field key ", key,
                                   fault)
                 : 0;
}

static int check_field(struct peer_line *p)
{
    struct span key;
    int rc = take_token(p, ",= ", ",= ", &key);
    if (rc < 0)
        return rc;
    if (key.size == 0 && is_end(p))
        return complain(p, p->at, "expected field key but none found");
    if (key.size == 0)
        return complain_here(p, p->at, "invalid character ",
                             " found at start of field key");
    if (is_end(p))
        return complain_of_key(p, p->at, "want '=' after field key ", key,
                               ", found end of input");
    if (*p->at != '=') {
        (void)complain_of_key(p, p->at, "want '=' after field key ", key, ", found ");
        add_char(p->out, *p->at);
        return -EBADMSG;
    }
    p->at++;
    if (is_end(p))
        return complain_of_key(p, p->at, "expected value for field ", key,
                               ", found end of input");
    rc = check_value(p, key);
    if (rc == 0 && !is_end(p) && *p->at != ',' && !is_white(*p->at)) {
        (void)complain_here(p, p->at, "unexpected character ", " after field ");
        add_quoted(p->out, key);
        return -EBADMSG;
    }
    return rc;
}

int line_peer_check(struct span text, uint64_t line, struct strbuf *out)
{
    struct peer_line p = { .begin = text.data,
                           .at = text.data,
                           .end = text.data + text.size,
                           .line = line,
                           .out = out };
    int rc = check_measurement(&p);
    if (rc == 0)
        rc = check_tags(&p);
    if (rc == 0)
        rc = check_field(&p);
    while (rc == 0 && !is_end(&p) && *p.at == ',') {
        p.at++;
        rc = check_field(&p);
    }
    return rc;
}

struct span line_peer_measurement(struct span text)
{
    struct peer_line p = { .at = text.data, .end = text.data + text.size };
    return take(&p, ", ", " ,");
}
