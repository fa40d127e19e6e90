/* SPDX-License-Identifier: Apache-2.0 */
/* prometheus_text - what exporters print for Prometheus, read in place. */
#include "wire/prometheus_text.h"

#include "base/number.h"
#include "base/span.h"
#include "wire/decimal.h"

#include <errno.h>
#include <math.h>
#include <strings.h>

/* One line while it is read: at is where, end is its line end. */
struct cursor {
    const char *at, *end;
    const char *reason; /* NULL: good so far */
};

static bool fail(struct cursor *c, const char *reason)
{
    c->reason = reason;
    return false;
}

/* ---- pieces ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static void skip_blanks(struct cursor *c)
{
    while (c->at < c->end && is_blank(*c->at))
        c->at++;
}

static bool is_at(const struct cursor *c, char wanted)
{
    return c->at < c->end && *c->at == wanted;
}

static struct span take_word(struct cursor *c)
{
    const char *begin = c->at;
    while (c->at < c->end && !is_blank(*c->at))
        c->at++;
    return (struct span){ begin, (size_t)(c->at - begin) };
}

/* Names of metrics may have colons, those of labels may not. */
static struct span take_name(struct cursor *c, const char *also)
{
    const char *begin = c->at;
    while (c->at < c->end && (is_letter(*c->at) || (*also && *c->at == *also) ||
                              (c->at > begin && is_digit(*c->at))))
        c->at++;
    return (struct span){ begin, (size_t)(c->at - begin) };
}

/* ---- labels ---- */

static bool take_value(struct cursor *c, struct span *ret)
{
    if (!is_at(c, '"'))
        return fail(c, "a label without a value in quotes");
    const char *begin = ++c->at;
    for (; c->at < c->end && *c->at != '"'; c->at++) {
        if (*c->at != '\\')
            continue;
        if (c->at + 1 == c->end || !strchr("\\\"n", c->at[1]))
            return fail(c, "a backslash before something else than \\, \" and n");
        c->at++;
    }
    if (c->at == c->end)
        return fail(c, "a label's value that does not end");
    *ret = (struct span){ begin, (size_t)(c->at - begin) };
    c->at++;
    return true;
}

static bool is_known(const struct prometheus_label *labels, size_t count,
                     struct span name)
{
    for (size_t i = 0; i < count; i++)
        if (span_eq(labels[i].name, name))
            return true;
    return false;
}

static bool take_label(struct cursor *c, struct prometheus_label *labels,
                       size_t *ret_count)
{
    const char *begin = c->at;
    struct span name = take_name(c, "");
    if (name.size == 0)
        return fail(c, "this is not a name of a label");
    bool is_twice = is_known(labels, *ret_count, name);
    if (is_twice || *ret_count == PROMETHEUS_LABELS_MAX) {
        c->at = begin;
        return fail(c, is_twice ? "a label twice" : "too many labels");
    }
    labels[*ret_count].name = name;
    skip_blanks(c);
    if (!is_at(c, '='))
        return fail(c, "a label without an equals sign");
    c->at++;
    skip_blanks(c);
    if (!take_value(c, &labels[*ret_count].value))
        return false;
    ++*ret_count;
    skip_blanks(c);
    return true;
}

/* Between the braces; a comma may stand behind the last one. */
static bool take_labels(struct cursor *c, struct prometheus_label *labels,
                        size_t *ret_count)
{
    c->at++;
    skip_blanks(c);
    while (!is_at(c, '}')) {
        if (!take_label(c, labels, ret_count))
            return false;
        if (is_at(c, '}'))
            break;
        if (!is_at(c, ','))
            return fail(c, "neither a comma nor a brace behind a label");
        c->at++;
        skip_blanks(c);
    }
    c->at++;
    return true;
}

size_t label_unescape(struct span s, char *out)
{
    size_t size = 0;
    for (size_t i = 0; i < s.size; i++) {
        char c = s.data[i];
        if (c == '\\' && i + 1 < s.size)
            c = s.data[++i] == 'n' ? '\n' : s.data[i];
        out[size++] = c;
    }
    return size;
}

/* ---- numbers ---- */

static bool is_word(struct span s, const char *word)
{
    return s.size == strlen(word) && strncasecmp(s.data, word, s.size) == 0;
}

/* NaN and Inf in any case, as Go reads them; a number too large is infinite there too,
 * but here it is refused. */
static int parse_value(struct span s, double *ret)
{
    struct span rest = s;
    bool is_negative = span_starts(s, "-");
    if (is_word(s, "nan")) {
        const uint64_t bits = UINT64_C(0x7FF8000000000000);
        memcpy(ret, &bits, sizeof *ret);
        return 0;
    }
    if (is_negative || span_starts(s, "+"))
        rest = span_skip(s, 1);
    if (!is_word(rest, "inf") && !is_word(rest, "infinity"))
        return decimal_parse(s, ret);
    *ret = is_negative ? -INFINITY : INFINITY;
    return 0;
}

static bool take_time(struct cursor *c, struct prometheus_sample *sample)
{
    const char *begin = c->at;
    int64_t t_ms, t_ns;
    struct span word = take_word(c);
    if (word.size == 0)
        return true;
    int rc = number_parse_i64(word, &t_ms);
    if (rc == 0 && !__builtin_mul_overflow(t_ms, NS_PER_MS, &t_ns)) {
        sample->t_ns = t_ns;
        sample->has_time = true;
        skip_blanks(c);
        return c->at == c->end || fail(c, "something behind the time");
    }
    c->at = begin;
    return fail(c, rc == -EINVAL ? "a time that is not a whole number"
                                 : "a time out of all range");
}

/* ---- lines ---- */

static bool is_part(struct span name, struct span family, const char *suffix)
{
    return name.size == family.size + strlen(suffix) && span_ends(name, suffix) &&
           memcmp(name.data, family.data, family.size) == 0;
}

static bool is_counter(const struct prometheus_reader *r, struct span name)
{
    bool is_histogram = r->type == PROMETHEUS_HISTOGRAM;
    if (r->type == PROMETHEUS_COUNTER)
        return span_eq(name, r->family);
    if (!is_histogram && r->type != PROMETHEUS_SUMMARY)
        return false;
    return is_part(name, r->family, "_count") || is_part(name, r->family, "_sum") ||
           (is_histogram && is_part(name, r->family, "_bucket"));
}

static bool take_sample(struct prometheus_reader *r, struct cursor *c,
                        struct prometheus_sample *sample)
{
    const char *begin = c->at;
    *sample = (struct prometheus_sample){ .line = r->line,
                                          .labels = r->labels,
                                          .t_ns = r->default_ns };
    sample->name = take_name(c, ":");
    if (sample->name.size == 0)
        return fail(c, "this is not a name of a metric");
    sample->key = sample->name;
    skip_blanks(c);
    if (is_at(c, '{')) {
        if (!take_labels(c, r->labels, &sample->label_count))
            return false;
        sample->key = (struct span){ begin, (size_t)(c->at - begin) };
    } else if (c->at == begin + sample->name.size && c->at < c->end) {
        return fail(c, "this is not a name of a metric");
    }
    skip_blanks(c);
    const char *value = c->at;
    struct span word = take_word(c);
    int rc = parse_value(word, &sample->value);
    if (rc < 0) {
        c->at = value;
        return fail(c, word.size == 0  ? "there is no value"
                       : rc == -ERANGE ? "a number that no double can hold"
                                       : "a value that is not a number");
    }
    skip_blanks(c);
    sample->is_counter = is_counter(r, sample->name);
    return take_time(c, sample);
}

/* HELP and other comments are passed over, whatever they say. */
static bool take_comment(struct prometheus_reader *r, struct cursor *c)
{
    static const char *const types[] = {
        [PROMETHEUS_UNTYPED] = "untyped", [PROMETHEUS_GAUGE] = "gauge",
        [PROMETHEUS_COUNTER] = "counter", [PROMETHEUS_HISTOGRAM] = "histogram",
        [PROMETHEUS_SUMMARY] = "summary",
    };
    c->at++;
    skip_blanks(c);
    if (!span_is(take_word(c), "TYPE"))
        return true;
    skip_blanks(c);
    const char *begin = c->at;
    struct span family = take_name(c, ":");
    if (family.size == 0 || (c->at < c->end && !is_blank(*c->at))) {
        c->at = begin;
        return fail(c, "this is not a name of a metric");
    }
    skip_blanks(c);
    struct span type = take_word(c);
    r->family = family;
    r->type = PROMETHEUS_UNTYPED;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (span_is(type, types[i]))
            r->type = (enum prometheus_type)i;
    return true;
}

/* The next line without its end; false: there is none. */
static bool take_line(struct prometheus_reader *r, struct cursor *c)
{
    size_t size = (size_t)(r->end - r->next);
    if (size == 0)
        return false;
    const char *newline = memchr(r->next, '\n', size);
    *c = (struct cursor){ r->next, newline ? newline : r->end, NULL };
    r->next = newline ? newline + 1 : r->end;
    r->line++;
    if (newline && c->end > c->at && c->end[-1] == '\r')
        c->end--;
    if (!newline) {
        c->at = c->end;
        (void)fail(c, "the last line has no end");
    } else if (c->end - c->at > PROMETHEUS_LINE_BYTES_MAX) {
        (void)fail(c, "a line that is too long");
    }
    return true;
}

void prometheus_reader_init(struct prometheus_reader *reader, struct span text,
                            int64_t default_ns)
{
    reader->next = text.data;
    reader->end = text.data + text.size;
    reader->line = 0;
    reader->default_ns = default_ns;
    reader->family = SPAN("");
    reader->type = PROMETHEUS_UNTYPED;
    reader->fault = (struct prometheus_fault){ 0 };
}

enum prometheus_outcome prometheus_reader_next(struct prometheus_reader *r,
                                               struct prometheus_sample *sample)
{
    struct cursor c;
    for (;;) {
        const char *begin = r->next;
        if (!take_line(r, &c))
            return PROMETHEUS_END;
        if (!c.reason) {
            skip_blanks(&c);
            if (c.at == c.end)
                continue;
            if (!is_at(&c, '#') && take_sample(r, &c, sample))
                return PROMETHEUS_SAMPLE;
            if (!c.reason && is_at(&c, '#') && take_comment(r, &c))
                continue;
        }
        if (!c.reason)
            continue;
        r->fault = (struct prometheus_fault){ r->line, (uint64_t)(c.at - begin) + 1,
                                              c.reason };
        return PROMETHEUS_FAULT;
    }
}
