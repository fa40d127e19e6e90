/* SPDX-License-Identifier: Apache-2.0 */
/* line_protocol - InfluxDB's line protocol, read in place. */
#include "wire/line_protocol.h"

#include "base/number.h"
#include "base/span.h"
#include "base/utf8.h"
#include "wire/decimal.h"
#include "wire/line_value.h"

#include <errno.h>

/* What a byte may end.  Bytes of none of these classes are skipped over at one table
 * lookup each. */
enum {
    STOP_MEASUREMENT = 1,
    STOP_TAG = 2, /* keys and values of tags, and keys of fields */
    STOP_VALUE = 4,
    STOP_COMMENT = 8,
    ODD = 16, /* backslash or not ASCII: a closer look, then on */
};
#define NAMES (STOP_MEASUREMENT | STOP_TAG)
#define ALL (NAMES | STOP_VALUE | STOP_COMMENT)

static const uint8_t classes[256] = {
    [0 ... 31] = ALL,           [127] = ALL,      [' '] = NAMES | STOP_VALUE,
    [','] = NAMES | STOP_VALUE, ['='] = STOP_TAG, ['\\'] = ODD,
    [128 ... 255] = ODD,
};

/* One line on its way through the parser.  at is where a fault stands. */
struct cursor {
    const char *at;
    const char *end;
    const char *begin;
    const char *reason; /* not NULL: the line is bad, at at */
    bool is_escaped;
    bool has_high; /* some byte is not ASCII */
    bool at_end;   /* the parser wanted to see beyond end */
    bool is_long;  /* some string may hold line ends */
};

void line_reader_refill(struct line_reader *reader, struct span text)
{
    reader->next = text.data;
    reader->end = text.data + text.size;
    reader->has_more = false;
}

void line_reader_init(struct line_reader *reader, struct span text, int64_t unit_ns,
                      int64_t default_ns)
{
    line_reader_refill(reader, text);
    reader->is_losing = false;
    reader->line = 1;
    reader->unit_ns = unit_ns;
    reader->default_ns = default_ns;
    if (unit_ns > 1)
        reader->default_ns -= default_ns % unit_ns;
    reader->fault = (struct line_fault){ 0 };
    reader->known = NULL;
    reader->time_size = 0;
}

static bool is_line_end(char c)
{
    return c == '\n' || c == '\r';
}

static bool is_white(char c)
{
    return c == ' ' || is_line_end(c);
}

static bool fail(struct cursor *c, const char *at, const char *reason)
{
    c->at = at;
    c->reason = reason;
    return false;
}

/* At the end of the text: a fault, unless more of it is to come. */
static bool fail_at_end(struct cursor *c, const char *reason)
{
    c->at_end = true;
    return fail(c, c->end, reason);
}

/* The bytes from at on that stop is not a class of, escaped ones included. */
static inline struct span scan_token(struct cursor *c, uint8_t stop,
                                     const char *escapable)
{
    const char *begin = c->at, *p = begin, *end = c->end;
    for (;;) {
        while (p < end && !(classes[(unsigned char)*p] & (stop | ODD)))
            p++;
        if (p == end || (classes[(unsigned char)*p] & stop))
            break;
        if (*p != '\\') {
            c->has_high = true;
        } else if (p + 1 < end && p[1] != '\0' && strchr(escapable, p[1])) {
            c->is_escaped = true;
            p++;
        }
        p++;
    }
    c->at = p;
    return (struct span){ begin, (size_t)(p - begin) };
}

/* A comma after the measurement or a tag wants a tag after it. */
static bool skip_comma(struct cursor *c)
{
    if (c->at == c->end || *c->at != ',')
        return true;
    c->at++;
    if (c->at == c->end)
        return fail_at_end(c, "expected a tag after the comma, got the end");
    if (is_white(*c->at))
        return fail(c, c->at, "expected a tag after the comma, got white space");
    return true;
}

static bool read_tag(struct cursor *c, struct line_tag *tag)
{
    const char *begin = c->at;
    tag->key = scan_token(c, STOP_TAG, ",= ");
    if (c->at == c->end) {
        c->at_end = true;
        return fail(c, begin, "expected '=' after the tag's name, got the end");
    }
    if (*c->at != '=' && tag->key.size > 0)
        return fail(c, begin, "expected '=' after the tag's name");
    if (*c->at != '=')
        return fail(c, begin, "expected a tag or a field");
    if (tag->key.size == 0)
        return fail(c, begin, "a tag without a name");
    begin = ++c->at;
    tag->value = scan_token(c, STOP_TAG, ",= ");
    if (tag->value.size == 0) {
        c->at_end = c->at == c->end;
        return fail(c, begin, "a tag without a value");
    }
    return skip_comma(c);
}

static bool is_known_tag(const struct line_tag *tags, size_t count, struct span key)
{
    for (size_t i = 0; i < count; i++) {
        if (span_eq(tags[i].key, key))
            return true;
    }
    return false;
}

static bool read_tags(struct cursor *c, struct line_tag *tags, size_t *ret_count)
{
    size_t count = 0;
    while (c->at < c->end && *c->at != ' ') {
        const char *begin = c->at;
        if (count == LINE_TAGS_MAX)
            return fail(c, begin, "too many tags");
        if (!read_tag(c, &tags[count]))
            return false;
        if (is_known_tag(tags, count, tags[count].key))
            return fail(c, begin, "a tag that this line has already");
        count++;
    }
    *ret_count = count;
    return true;
}

static bool read_new_key(struct cursor *c, struct line_reader *reader,
                         struct line_point *p)
{
    const char *begin = c->at;
    p->name = scan_token(c, STOP_MEASUREMENT, ", ");
    if (p->name.size == 0)
        return fail(c, begin, "a measurement cannot begin so");
    if (!skip_comma(c) || !read_tags(c, reader->tags, &p->tag_count))
        return false;
    p->key = (struct span){ begin, (size_t)(c->at - begin) };
    p->tags = reader->tags;
    return true;
}

static bool read_known_key(struct cursor *c, const struct line_reader *reader,
                           struct line_point *p)
{
    struct span text = { c->at, (size_t)(c->end - c->at) };
    size_t size = reader->known ? reader->known(reader->known_arg, text) : 0;
    p->is_known = size > 0;
    if (!p->is_known)
        return false;
    p->key = (struct span){ c->at, size };
    p->name = SPAN("");
    p->tag_count = 0;
    c->at += size;
    return true;
}

static bool read_key(struct cursor *c, struct line_reader *reader, struct line_point *p)
{
    if (!read_known_key(c, reader, p) && !read_new_key(c, reader, p))
        return false;
    while (c->at < c->end && *c->at == ' ')
        c->at++;
    return true;
}

/* A string may hold line ends; only its closing quote ends it. */
static bool read_string(struct cursor *c, struct line_field *field)
{
    const char *begin = ++c->at;
    c->is_long = true;
    for (const char *p = begin; p < c->end; p++) {
        if (*p == '\\' && p + 1 < c->end && (p[1] == '"' || p[1] == '\\')) {
            p++;
        } else if (*p == '"') {
            field->type = LINE_STRING;
            field->string = (struct span){ begin, (size_t)(p - begin) };
            c->at = p + 1;
            return true;
        } else if (*p & 0x80) {
            c->has_high = true;
        }
    }
    c->at_end = true;
    return fail(c, begin - 1, "a string without its closing quote");
}

static bool read_bool(struct cursor *c, struct span s, struct line_field *field)
{
    static const char *const yes[] = { "t", "T", "true", "True", "TRUE" };
    static const char *const no[] = { "f", "F", "false", "False", "FALSE" };
    field->type = LINE_BOOL;
    for (size_t i = 0; i < sizeof yes / sizeof yes[0]; i++) {
        bool is_yes = span_is(s, yes[i]);
        if (is_yes || span_is(s, no[i])) {
            field->boolean = is_yes;
            return true;
        }
    }
    return fail(c, s.data, "not a bool");
}

static bool read_number(struct cursor *c, struct span s, struct line_field *field)
{
    int rc;
    struct span digits = { s.data, s.size - 1 };
    switch (s.data[s.size - 1]) {
    case 'i':
        field->type = LINE_INT;
        digits = span_skip(digits,
                           span_starts(digits, "+") && s.size > 2 && s.data[1] != '-');
        rc = number_parse_i64(digits, &field->integer);
        break;
    case 'u':
        field->type = LINE_UINT;
        rc = number_parse_u64(digits, &field->uinteger);
        break;
    default:
        field->type = LINE_FLOAT;
        rc = decimal_parse(s, &field->number);
    }
    if (rc == -ERANGE)
        return fail(c, s.data, "a number out of range");
    return rc == 0 || fail(c, s.data, "not a number");
}

static bool read_value(struct cursor *c, struct line_field *field)
{
    if (c->at == c->end)
        return fail_at_end(c, "expected a value, got the end");
    char first = *c->at;
    if (first == '"')
        return read_string(c, field);
    struct span s = scan_token(c, STOP_VALUE, "");
    if (first == 't' || first == 'T' || first == 'f' || first == 'F')
        return read_bool(c, s, field);
    if ((unsigned)(first - '0') > 9 && first != '-' && first != '+' && first != '.')
        return fail(c, s.data, "a value of no known type");
    return read_number(c, s, field);
}

static bool read_field(struct cursor *c, struct line_field *field)
{
    const char *begin = c->at;
    field->key = scan_token(c, STOP_TAG, ",= ");
    if (c->at == c->end && field->key.size == 0)
        return fail_at_end(c, "expected a field, got the end");
    if (field->key.size == 0)
        return fail(c, begin, "a field cannot begin so");
    if (c->at == c->end)
        return fail_at_end(c, "expected '=' after the field's name, got the end");
    if (*c->at != '=')
        return fail(c, c->at, "expected '=' after the field's name");
    c->at++;
    if (!read_value(c, field))
        return false;
    if (c->at < c->end && *c->at != ',' && !is_white(*c->at))
        return fail(c, c->at, "expected a comma or a blank after the field");
    return true;
}

static bool read_fields(struct cursor *c, struct line_reader *reader,
                        struct line_point *p)
{
    size_t count = 0;
    for (;;) {
        if (count == LINE_FIELDS_MAX)
            return fail(c, c->at, "too many fields");
        if (!read_field(c, &reader->fields[count]))
            return false;
        count++;
        if (c->at == c->end || *c->at != ',')
            break;
        c->at++;
    }
    p->fields = reader->fields;
    p->field_count = count;
    while (c->at < c->end && *c->at == ' ')
        c->at++;
    return true;
}

static bool is_same_time(const struct cursor *c, const struct line_reader *reader)
{
    size_t size = reader->time_size;
    return size > 0 && (size_t)(c->end - c->at) > size && is_line_end(c->at[size]) &&
           memcmp(c->at, reader->time_text, size) == 0;
}

static void remember_time(struct line_reader *reader, struct span text, int64_t t_ns)
{
    reader->time_size = text.size <= LINE_TIME_CHARS ? text.size : 0;
    memcpy(reader->time_text, text.data, reader->time_size);
    reader->time_ns = t_ns;
}

static bool read_time(struct cursor *c, struct line_reader *reader,
                      struct line_point *p)
{
    p->t_ns = reader->default_ns;
    p->has_time = false;
    if (c->at == c->end || is_line_end(*c->at))
        return true;
    if (is_same_time(c, reader)) {
        c->at += reader->time_size;
        p->t_ns = reader->time_ns;
        p->has_time = true;
        return true;
    }
    const char *begin = c->at;
    while (c->at < c->end && !is_white(*c->at))
        c->at++;
    struct span s = { begin, (size_t)(c->at - begin) };
    int64_t value;
    int rc = number_parse_i64(s, &value);
    if (rc == -EINVAL)
        return fail(c, begin, "not a time");
    int64_t unit_ns = reader->unit_ns ? reader->unit_ns : line_time_unit(value);
    if (rc < 0 || __builtin_mul_overflow(value, unit_ns, &p->t_ns))
        return fail(c, begin, "a time out of range");
    remember_time(reader, s, p->t_ns);
    p->has_time = true;
    while (c->at < c->end && *c->at == ' ')
        c->at++;
    if (c->at < c->end && !is_line_end(*c->at))
        return fail(c, c->at, "text after the time");
    return true;
}

static bool check_utf8(struct cursor *c)
{
    struct span s = { c->begin, (size_t)(c->at - c->begin) };
    while (s.size > 0) {
        size_t size = (unsigned char)*s.data < 0x80 ? 1 : utf8_size(s);
        if (size == 0)
            return fail(c, s.data, "not UTF-8");
        s = span_skip(s, size);
    }
    return true;
}

/* Blank lines and comments, with the line ends before the next line. */
static bool skip_empty(struct line_reader *reader, struct cursor *c)
{
    while (c->at < c->end) {
        if (*c->at == '\n')
            reader->line++;
        if (is_white(*c->at)) {
            c->at++;
            c->begin = c->at;
            continue;
        }
        if (*c->at != '#')
            return true;
        const char *begin = c->at;
        while (c->at < c->end && !(classes[(unsigned char)*c->at] & STOP_COMMENT))
            c->at++;
        if (c->at < c->end && !is_line_end(*c->at))
            return fail(c, begin, "a control character in a comment");
        if (c->at == c->end && reader->has_more) {
            c->at = begin;
            return true;
        }
    }
    return true;
}

/* To the line end behind at; where that is not there yet, the rest of the line is
 * skipped when it comes. */
static void skip_bad_line(struct line_reader *reader, const char *at)
{
    const char *newline = memchr(at, '\n', (size_t)(reader->end - at));
    reader->next = newline ? newline : reader->end;
    reader->is_losing = !newline;
}

/* The line is lost up to its first line end, even when that stands in a string whose
 * quotes do not fit: what follows shall not suffer. */
static enum line_outcome lose(struct line_reader *reader, const struct cursor *c)
{
    const char *begin = c->begin;
    uint64_t lines = 0;
    for (const char *p = begin; p < c->at; p++) {
        if (*p == '\n') {
            lines++;
            begin = p + 1;
        }
    }
    reader->fault = (struct line_fault){
        .line = reader->line + lines,
        .column = (uint64_t)(c->at - begin) + 1,
        .reason = c->reason,
    };
    skip_bad_line(reader, c->begin);
    const char *end = reader->is_losing ? c->end : reader->next + 1;
    reader->fault.text = (struct span){ c->begin, (size_t)(end - c->begin) };
    return LINE_FAULT;
}

static bool read_line(struct line_reader *reader, struct cursor *c,
                      struct line_point *p)
{
    if (!read_key(c, reader, p) || !read_fields(c, reader, p) ||
        !read_time(c, reader, p))
        return false;
    if (c->at - c->begin > LINE_BYTES_MAX)
        return fail(c, c->begin, "a line that is too long");
    return true;
}

/* The lines that a point's strings span. */
static uint64_t count_lines(const char *begin, const char *end)
{
    uint64_t lines = 0;
    while ((begin = memchr(begin, '\n', (size_t)(end - begin)))) {
        begin++;
        lines++;
    }
    return lines;
}

/* With more to come, a line that touches the end may still grow, and a bad one cannot
 * be skipped before its end is there; but neither waits for ever. */
static bool is_waiting(const struct line_reader *reader, const struct cursor *c)
{
    size_t size = (size_t)(c->end - c->begin);
    if (!reader->has_more || size > LINE_BYTES_MAX)
        return false;
    /* A fault's word may reach the end, but never over a line end. */
    return c->at_end || c->at == c->end ||
           (c->reason && !memchr(c->at, '\n', (size_t)(c->end - c->at)));
}

enum line_outcome line_reader_next(struct line_reader *reader, struct line_point *point)
{
    if (reader->is_losing && reader->next < reader->end)
        skip_bad_line(reader, reader->next);
    struct cursor c = { .at = reader->next, .end = reader->end, .begin = reader->next };
    bool is_good = skip_empty(reader, &c);
    reader->next = c.begin = c.at;
    if (c.at == c.end)
        return reader->has_more ? LINE_MORE : LINE_END;
    point->line = reader->line;
    is_good = is_good && read_line(reader, &c, point);
    if (is_waiting(reader, &c))
        return LINE_MORE;
    if (!is_good || (c.has_high && !check_utf8(&c)))
        return lose(reader, &c);
    point->is_escaped = c.is_escaped;
    reader->next = c.at;
    if (c.is_long)
        reader->line += count_lines(c.begin, c.at);
    return LINE_POINT;
}
