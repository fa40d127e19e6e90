/* SPDX-License-Identifier: Apache-2.0 */
/* pattern - Lua's patterns, matched with a bound of steps. */
#include "plugin/lua/pattern.h"

#include <ctype.h>
#include <errno.h>

#define OPEN ((size_t)-2) /* a capture whose end was not seen */
#define NONE ((size_t)-1) /* no match from here */

struct match {
    struct span subject, pattern;
    int64_t *steps;
    unsigned depth;
    int error;
    size_t count;
    struct pattern_capture captures[PATTERN_CAPTURES_MAX];
};

static size_t match_here(struct match *m, size_t s, size_t p);

static size_t match_fail(struct match *m, int error)
{
    if (m->error == 0)
        m->error = error;
    return NONE;
}

static bool match_step(struct match *m)
{
    if (--*m->steps < 0)
        (void)match_fail(m, -E2BIG);
    return m->error == 0;
}

static unsigned char pattern_at(const struct match *m, size_t p)
{
    return p < m->pattern.size ? (unsigned char)m->pattern.data[p] : 0;
}

/* The end of the item at p: a character, %x, or a set. */
static size_t item_end(struct match *m, size_t p)
{
    unsigned char c = pattern_at(m, p++);
    if (c == '%')
        return p < m->pattern.size ? p + 1 : match_fail(m, -EINVAL);
    if (c != '[')
        return p;
    if (pattern_at(m, p) == '^')
        p++;
    for (bool is_first = true;; is_first = false) {
        if (p >= m->pattern.size || !match_step(m))
            return match_fail(m, -EINVAL);
        c = pattern_at(m, p++);
        if (c == '%') {
            if (p >= m->pattern.size)
                return match_fail(m, -EINVAL);
            p++;
        } else if (c == ']' && !is_first) {
            return p;
        }
    }
}

static bool is_class(unsigned char c, unsigned char class)
{
    bool is_in;
    switch (tolower(class)) {
    case 'a':
        is_in = isalpha(c);
        break;
    case 'c':
        is_in = iscntrl(c);
        break;
    case 'd':
        is_in = isdigit(c);
        break;
    case 'g':
        is_in = isgraph(c);
        break;
    case 'l':
        is_in = islower(c);
        break;
    case 'p':
        is_in = ispunct(c);
        break;
    case 's':
        is_in = isspace(c);
        break;
    case 'u':
        is_in = isupper(c);
        break;
    case 'w':
        is_in = isalnum(c);
        break;
    case 'x':
        is_in = isxdigit(c);
        break;
    default:
        return class == c;
    }
    return isupper(class) ? !is_in : is_in;
}

/* The set from p, after its '[', to end, after its ']'. */
static bool is_in_set(struct match *m, unsigned char c, size_t p, size_t end)
{
    bool is_not = pattern_at(m, p) == '^';
    p += is_not;
    while (p < end - 1) {
        if (!match_step(m))
            return false;
        if (pattern_at(m, p) == '%') {
            if (is_class(c, pattern_at(m, p + 1)))
                return !is_not;
            p += 2;
        } else if (pattern_at(m, p + 1) == '-' && p + 2 < end - 1) {
            if (pattern_at(m, p) <= c && c <= pattern_at(m, p + 2))
                return !is_not;
            p += 3;
        } else if (pattern_at(m, p++) == c) {
            return !is_not;
        }
    }
    return is_not;
}

static bool is_single(struct match *m, size_t s, size_t p, size_t end)
{
    if (s >= m->subject.size || !match_step(m))
        return false;
    unsigned char c = (unsigned char)m->subject.data[s];
    switch (pattern_at(m, p)) {
    case '.':
        return true;
    case '%':
        return is_class(c, pattern_at(m, p + 1));
    case '[':
        return is_in_set(m, c, p + 1, end);
    default:
        return pattern_at(m, p) == c;
    }
}

static size_t match_balanced(struct match *m, size_t s, size_t p)
{
    if (p + 1 >= m->pattern.size)
        return match_fail(m, -EINVAL);
    if (s >= m->subject.size || m->subject.data[s] != m->pattern.data[p])
        return NONE;
    char open = m->pattern.data[p], close = m->pattern.data[p + 1];
    size_t depth = 1;
    while (++s < m->subject.size && match_step(m)) {
        if (m->subject.data[s] == close) {
            if (--depth == 0)
                return s + 1;
        } else if (m->subject.data[s] == open) {
            depth++;
        }
    }
    return NONE;
}

static size_t match_most(struct match *m, size_t s, size_t p, size_t end)
{
    size_t count = 0;
    while (is_single(m, s + count, p, end))
        count++;
    for (;; count--) {
        size_t got = match_here(m, s + count, end + 1);
        if (got != NONE || m->error || count == 0)
            return got;
    }
}

static size_t match_least(struct match *m, size_t s, size_t p, size_t end)
{
    for (;; s++) {
        size_t got = match_here(m, s, end + 1);
        if (got != NONE || m->error || !is_single(m, s, p, end))
            return got;
    }
}

static size_t capture_begin(struct match *m, size_t s, size_t p, size_t size)
{
    if (m->count == PATTERN_CAPTURES_MAX)
        return match_fail(m, -EINVAL);
    m->captures[m->count++] = (struct pattern_capture){ s, size };
    size_t got = match_here(m, s, p);
    if (got == NONE)
        m->count--;
    return got;
}

static size_t capture_end(struct match *m, size_t s, size_t p)
{
    size_t i = m->count;
    while (i > 0 && m->captures[i - 1].size != OPEN)
        i--;
    if (i == 0)
        return match_fail(m, -EINVAL);
    m->captures[i - 1].size = s - m->captures[i - 1].at;
    size_t got = match_here(m, s, p);
    if (got == NONE)
        m->captures[i - 1].size = OPEN;
    return got;
}

static size_t match_reference(struct match *m, size_t s, unsigned char digit)
{
    size_t i = (size_t)(digit - '1');
    if (digit == '0' || i >= m->count || m->captures[i].size == OPEN)
        return match_fail(m, -EINVAL);
    size_t size = m->captures[i].size == PATTERN_POSITION ? 0 : m->captures[i].size;
    *m->steps -= (int64_t)size;
    if (m->subject.size - s >= size &&
        memcmp(m->subject.data + m->captures[i].at, m->subject.data + s, size) == 0)
        return s + size;
    return NONE;
}

static size_t match_frontier(struct match *m, size_t s, size_t p)
{
    if (pattern_at(m, p) != '[')
        return match_fail(m, -EINVAL);
    size_t end = item_end(m, p);
    if (end == NONE)
        return NONE;
    unsigned char before = s == 0 ? 0 : (unsigned char)m->subject.data[s - 1];
    unsigned char here = s < m->subject.size ? (unsigned char)m->subject.data[s] : 0;
    if (!is_in_set(m, before, p + 1, end) && is_in_set(m, here, p + 1, end))
        return match_here(m, s, end);
    return NONE;
}

/* A character, a class or a set, with what follows it: * + - ? or nothing. */
static size_t match_item(struct match *m, size_t s, size_t p)
{
    size_t end = item_end(m, p);
    if (end == NONE)
        return NONE;
    switch (pattern_at(m, end)) {
    case '?':
        if (is_single(m, s, p, end)) {
            size_t got = match_here(m, s + 1, end + 1);
            if (got != NONE || m->error)
                return got;
        }
        return match_here(m, s, end + 1);
    case '+':
        return is_single(m, s, p, end) ? match_most(m, s + 1, p, end) : NONE;
    case '*':
        return match_most(m, s, p, end);
    case '-':
        return match_least(m, s, p, end);
    default:
        return is_single(m, s, p, end) ? match_here(m, s + 1, end) : NONE;
    }
}

static size_t match_percent(struct match *m, size_t s, size_t p)
{
    unsigned char c = pattern_at(m, p + 1);
    if (c == 'b') {
        size_t end = match_balanced(m, s, p + 2);
        return end == NONE ? NONE : match_here(m, end, p + 4);
    }
    if (c == 'f')
        return match_frontier(m, s, p + 2);
    if (c >= '0' && c <= '9') {
        size_t end = match_reference(m, s, c);
        return end == NONE ? NONE : match_here(m, end, p + 2);
    }
    return match_item(m, s, p);
}

/* Items without a quantifier do not nest: a text of any length is no depth. */
static bool match_is_simple(struct match *m, size_t p, size_t *ret_end)
{
    unsigned char c = pattern_at(m, p);
    if (c == '(' || c == ')' || (c == '$' && p + 1 == m->pattern.size))
        return false;
    if (c == '%') {
        unsigned char next = pattern_at(m, p + 1);
        if (next == 'b' || next == 'f' || (next >= '0' && next <= '9'))
            return false;
    }
    *ret_end = item_end(m, p);
    if (*ret_end == NONE)
        return false;
    unsigned char after = pattern_at(m, *ret_end);
    return after != '?' && after != '+' && after != '*' && after != '-';
}

static size_t match_nested(struct match *m, size_t s, size_t p)
{
    switch (pattern_at(m, p)) {
    case '(':
        return pattern_at(m, p + 1) == ')'
                   ? capture_begin(m, s, p + 2, PATTERN_POSITION)
                   : capture_begin(m, s, p + 1, OPEN);
    case ')':
        return capture_end(m, s, p + 1);
    case '%':
        return match_percent(m, s, p);
    case '$':
        if (p + 1 == m->pattern.size)
            return s == m->subject.size ? s : NONE;
        break;
    default:
        break;
    }
    return match_item(m, s, p);
}

static size_t match_here(struct match *m, size_t s, size_t p)
{
    size_t end;
    while (p < m->pattern.size && match_is_simple(m, p, &end)) {
        if (!is_single(m, s, p, end))
            return NONE;
        s++;
        p = end;
    }
    if (m->error || !match_step(m))
        return NONE;
    if (p >= m->pattern.size)
        return s;
    if (++m->depth > PATTERN_DEPTH_MAX)
        return match_fail(m, -E2BIG);
    size_t got = match_nested(m, s, p);
    m->depth--;
    return got;
}

static int match_finish(struct match *m, size_t at, size_t end,
                        struct pattern_match *ret)
{
    for (size_t i = 0; i < m->count; i++)
        if (m->captures[i].size == OPEN)
            return -EINVAL;
    ret->at = at;
    ret->end = end;
    ret->capture_count = m->count;
    memcpy(ret->captures, m->captures, m->count * sizeof m->captures[0]);
    return 1;
}

int pattern_find(struct span subject, struct span pattern, size_t from, int64_t *steps,
                 struct pattern_match *ret)
{
    struct match m = { .subject = subject, .pattern = pattern, .steps = steps };
    bool is_anchored = pattern.size > 0 && pattern.data[0] == '^';
    for (size_t s = from; s <= subject.size; s++) {
        m.count = 0;
        m.depth = 0;
        size_t end = match_here(&m, s, is_anchored);
        if (m.error)
            return m.error;
        if (end != NONE)
            return match_finish(&m, s, end, ret);
        if (is_anchored)
            break;
    }
    return 0;
}

int pattern_find_plain(struct span subject, struct span text, size_t from,
                       int64_t *steps, struct pattern_match *ret)
{
    for (size_t s = from; s + text.size <= subject.size; s++) {
        size_t same = 0;
        while (same < text.size && subject.data[s + same] == text.data[same])
            same++;
        *steps -= (int64_t)same + 1;
        if (*steps < 0)
            return -E2BIG;
        if (same == text.size) {
            ret->at = s;
            ret->end = s + text.size;
            ret->capture_count = 0;
            return 1;
        }
    }
    return 0;
}

bool pattern_is_plain(struct span pattern)
{
    for (size_t i = 0; i < pattern.size; i++)
        if (pattern.data[i] && strchr("^$*+?.([%-", pattern.data[i]))
            return false;
    return true;
}
