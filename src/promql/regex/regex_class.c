/* SPDX-License-Identifier: Apache-2.0 */
/* regex_class - sets of characters of a regular expression. */
#include "promql/regex/regex_class.h"
#include "base/cleanup.h"
#include "base/span.h"

#include <stdlib.h>

#define LAST_CHARACTER 0x10FFFFu
#define RANGES_MAX 100000

static int range_append(struct regex_syntax *s, uint32_t low, uint32_t high)
{
    if (s->range_count == s->range_capacity) {
        uint32_t capacity = s->range_capacity ? 2 * s->range_capacity : 32;
        if (capacity > RANGES_MAX)
            return regex_refuse(s, 0, "it has too many characters in classes");
        struct regex_range *more = arena_alloc(s->arena, capacity * sizeof *more);
        if (!more)
            return -ENOMEM;
        if (s->range_count > 0)
            memcpy(more, s->ranges, s->range_count * sizeof *more);
        s->ranges = more;
        s->range_capacity = capacity;
    }
    s->ranges[s->range_count++] = (struct regex_range){ low, high };
    return 0;
}

/* Letters of either case; K and S have a third form outside ASCII. */
static int fold_append(struct regex_syntax *s, uint32_t low, uint32_t high)
{
    int rc = 0;
    for (uint32_t c = 'a'; c <= 'z' && rc == 0; c++) {
        uint32_t upper = c - 32;
        uint32_t third = c == 'k' ? 0x212A : c == 's' ? 0x17F : upper;
        bool has = (low <= c && c <= high) || (low <= upper && upper <= high) ||
                   (low <= third && third <= high);
        if (!has)
            continue;
        rc = range_append(s, c, c);
        if (rc == 0)
            rc = range_append(s, upper, upper);
        if (rc == 0 && third != upper)
            rc = range_append(s, third, third);
    }
    return rc;
}

int regex_range_add(struct regex_syntax *s, uint32_t low, uint32_t high)
{
    int rc = range_append(s, low, high);
    if (rc == 0 && (s->flags & REGEX_FOLD))
        rc = fold_append(s, low, high);
    return rc;
}

static int range_compare(const void *a, const void *b)
{
    const struct regex_range *x = a, *y = b;
    return (x->low > y->low) - (x->low < y->low);
}

/* The ranges from begin on become all others. */
static int invert_from(struct regex_syntax *s, uint32_t begin)
{
    uint32_t count = s->range_count - begin;
    struct regex_range *old = arena_alloc(s->arena, (count + 1) * sizeof *old);
    if (!old)
        return -ENOMEM;
    memcpy(old, s->ranges + begin, count * sizeof *old);
    qsort(old, count, sizeof *old, range_compare);
    s->range_count = begin;
    uint32_t next = 0;
    int rc = 0;
    for (uint32_t i = 0; i < count && rc == 0; i++) {
        if (old[i].low > next)
            rc = range_append(s, next, old[i].low - 1);
        if (old[i].high + 1 > next)
            next = old[i].high + 1;
    }
    if (rc == 0 && next <= LAST_CHARACTER)
        rc = range_append(s, next, LAST_CHARACTER);
    return rc;
}

struct class_name {
    const char *name;
    struct regex_range ranges[5];
};

static int named_class(struct regex_syntax *s, const struct class_name *class,
                       bool is_inverted)
{
    uint32_t begin = s->range_count;
    int rc = 0;
    for (size_t i = 0; i < COUNT_OF(class->ranges) && class->ranges[i].high && rc == 0;
         i++)
        rc = regex_range_add(s, class->ranges[i].low, class->ranges[i].high);
    return rc == 0 && is_inverted ? invert_from(s, begin) : rc;
}

/* \d \s \w and their opposites; 1: something else stands here. */
static int perl_class(struct regex_syntax *s)
{
    static const struct class_name classes[] = {
        { "d", { { '0', '9' } } },
        { "s", { { '\t', '\n' }, { '\f', '\r' }, { ' ', ' ' } } },
        { "w", { { '0', '9' }, { 'A', 'Z' }, { '_', '_' }, { 'a', 'z' } } },
    };
    if (s->at + 1 >= s->text.size || s->text.data[s->at] != '\\')
        return 1;
    char c = s->text.data[s->at + 1];
    for (size_t i = 0; i < COUNT_OF(classes); i++) {
        char lower = classes[i].name[0];
        if (c != lower && c != lower - 32)
            continue;
        s->at += 2;
        return named_class(s, &classes[i], c != lower);
    }
    return 1;
}

/* [:alpha:] within a class; 1: something else stands here. */
static int posix_class(struct regex_syntax *s)
{
    static const struct class_name classes[] = {
        { "alnum", { { '0', '9' }, { 'A', 'Z' }, { 'a', 'z' } } },
        { "alpha", { { 'A', 'Z' }, { 'a', 'z' } } },
        { "ascii", { { 0, 127 } } },
        { "blank", { { '\t', '\t' }, { ' ', ' ' } } },
        { "cntrl", { { 0, 31 }, { 127, 127 } } },
        { "digit", { { '0', '9' } } },
        { "graph", { { '!', '~' } } },
        { "lower", { { 'a', 'z' } } },
        { "print", { { ' ', '~' } } },
        { "punct", { { '!', '/' }, { ':', '@' }, { '[', '`' }, { '{', '~' } } },
        { "space", { { '\t', '\r' }, { ' ', ' ' } } },
        { "upper", { { 'A', 'Z' } } },
        { "word", { { '0', '9' }, { 'A', 'Z' }, { '_', '_' }, { 'a', 'z' } } },
        { "xdigit", { { '0', '9' }, { 'A', 'F' }, { 'a', 'f' } } },
    };
    struct span rest = span_skip(s->text, s->at);
    if (!span_starts(rest, "[:"))
        return 1;
    const char *end = memmem(rest.data, rest.size, ":]", 2);
    if (!end)
        return 1;
    struct span name = { rest.data + 2, (size_t)(end - rest.data) - 2 };
    bool is_inverted = name.size > 0 && name.data[0] == '^';
    name = span_skip(name, is_inverted);
    for (size_t i = 0; i < COUNT_OF(classes); i++) {
        if (!span_is(name, classes[i].name))
            continue;
        s->at += (size_t)(end - rest.data) + 2;
        return named_class(s, &classes[i], is_inverted);
    }
    return regex_refuse(s, s->at, "it is no class of characters");
}

static int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* \x41 and \x{1F600}, after the x. */
static int hex_escape(struct regex_syntax *s, size_t begin, uint32_t *ret)
{
    bool is_braced = s->at < s->text.size && s->text.data[s->at] == '{';
    size_t digits = 0;
    uint32_t value = 0;
    s->at += is_braced;
    while (s->at < s->text.size && hex_value(s->text.data[s->at]) >= 0 &&
           (is_braced || digits < 2)) {
        value = value * 16 + (uint32_t)hex_value(s->text.data[s->at++]);
        digits++;
        if (value > LAST_CHARACTER)
            return regex_refuse(s, begin, "it is no character");
    }
    bool is_closed = !is_braced || (s->at < s->text.size && s->text.data[s->at] == '}');
    if (!is_closed || digits == 0 || (!is_braced && digits != 2))
        return regex_refuse(s, begin, "it is no escape");
    s->at += is_braced;
    *ret = value;
    return 0;
}

static int octal_escape(struct regex_syntax *s, uint32_t *ret)
{
    uint32_t value = 0;
    for (size_t i = 0; i < 3 && s->at < s->text.size && s->text.data[s->at] >= '0' &&
                       s->text.data[s->at] <= '7';
         i++)
        value = value * 8 + (uint32_t)(s->text.data[s->at++] - '0');
    *ret = value;
    return 0;
}

static int escaped_character(struct regex_syntax *s, uint32_t *ret)
{
    static const char names[] = "afnrtv", values[] = "\a\f\n\r\t\v";
    size_t begin = s->at++;
    if (s->at >= s->text.size)
        return regex_refuse(s, begin, "a backslash at the end");
    char c = s->text.data[s->at];
    const char *name = strchr(names, c);
    bool is_octal =
        c == '0' || (c >= '1' && c <= '7' && s->at + 1 < s->text.size &&
                     s->text.data[s->at + 1] >= '0' && s->text.data[s->at + 1] <= '7');
    if (is_octal)
        return octal_escape(s, ret);
    s->at++;
    if (c == 'x')
        return hex_escape(s, begin, ret);
    if (name && c) {
        *ret = (unsigned char)values[name - names];
        return 0;
    }
    if ((unsigned char)c < 0x80 && c > ' ' && c != 127 && c != '_' &&
        !(c >= '0' && c <= '9') && !((c | 0x20) >= 'a' && (c | 0x20) <= 'z')) {
        *ret = (unsigned char)c;
        return 0;
    }
    if (c == 'p' || c == 'P')
        return regex_refuse(s, begin, "Unicode classes \\p are not supported");
    return regex_refuse(s, begin, "it is no escape");
}

static int one_character(struct regex_syntax *s, uint32_t *ret)
{
    if (s->text.data[s->at] == '\\')
        return escaped_character(s, ret);
    size_t size = 1;
    *ret = regex_character(s, &size);
    s->at += size;
    return 0;
}

/* An item of [...]: a class, a character or a range of characters. */
static int class_item(struct regex_syntax *s)
{
    int rc = posix_class(s);
    if (rc > 0)
        rc = perl_class(s);
    if (rc <= 0)
        return rc;
    uint32_t low = 0;
    size_t begin = s->at;
    rc = one_character(s, &low);
    uint32_t high = low;
    struct span rest = span_skip(s->text, s->at);
    if (rc == 0 && rest.size > 1 && rest.data[0] == '-' && rest.data[1] != ']') {
        s->at++;
        rc = one_character(s, &high);
    }
    if (rc == 0 && high < low)
        return regex_refuse(s, begin, "the range ends before it begins");
    if (rc == 0 && (s->flags & REGEX_FOLD) && high > 127 && low == high)
        return regex_refuse(s, begin, "(?i) is not supported outside ASCII");
    return rc < 0 ? rc : regex_range_add(s, low, high);
}

static int bracket_class(struct regex_syntax *s, uint32_t begin)
{
    size_t open = s->at++;
    bool is_inverted = s->at < s->text.size && s->text.data[s->at] == '^';
    s->at += is_inverted;
    int rc = 0;
    for (bool is_first = true; rc == 0; is_first = false) {
        if (s->at >= s->text.size)
            return regex_refuse(s, open, "] is missing");
        if (s->text.data[s->at] == ']' && !is_first)
            break;
        rc = class_item(s);
    }
    s->at++;
    return rc == 0 && is_inverted ? invert_from(s, begin) : rc;
}

int regex_class_parse(struct regex_syntax *s, struct regex_node **ret)
{
    struct regex_node *node = regex_node_new(s, REGEX_NODE_SET);
    if (!node)
        return -ENOMEM;
    node->range_begin = s->range_count;
    int rc = 1;
    size_t begin = s->at;
    if (s->text.data[s->at] == '[')
        rc = bracket_class(s, node->range_begin);
    else
        rc = perl_class(s);
    if (rc > 0) {
        uint32_t c = 0;
        rc = one_character(s, &c);
        if (rc == 0 && c > 127 && (s->flags & REGEX_FOLD))
            return regex_refuse(s, begin, "(?i) is not supported outside ASCII");
        if (rc == 0)
            rc = regex_range_add(s, c, c);
    }
    node->range_end = s->range_count;
    if (rc == 0)
        *ret = node;
    return rc;
}
