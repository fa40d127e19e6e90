/* SPDX-License-Identifier: Apache-2.0 */
/* component_pattern - which components a person means: patterns and sets, level by
 * level.
 */
#include "model/component_pattern.h"

#include "base/number.h"
#include "base/span.h"

#include <errno.h>
#include <string.h>

#define LEVEL_BYTES_MAX 1024

/* ---- the parts of a pattern ---- */

static bool is_number_digit(char c)
{
    return c >= '0' && c <= '9';
}

enum token_kind {
    TOKEN_BYTE,
    TOKEN_ANY,     /* ? */
    TOKEN_MANY,    /* * */
    TOKEN_NUMBERS, /* [01-08,12] */
    TOKEN_CLASS,   /* [a-f] */
};

struct token {
    enum token_kind kind;
    struct span inside; /* of the brackets */
    char byte;
};

/* A bracket that is not closed stands for itself. */
static void token_cut(struct span *pattern, struct token *ret)
{
    char c = pattern->data[0];
    *ret = (struct token){ .kind = c == '*'   ? TOKEN_MANY
                                   : c == '?' ? TOKEN_ANY
                                              : TOKEN_BYTE,
                           .byte = c };
    *pattern = span_skip(*pattern, 1);
    struct span rest = *pattern;
    if (c != '[' || !span_cut(&rest, ']', &ret->inside))
        return;
    ret->kind = ret->inside.size > 0 ? TOKEN_NUMBERS : TOKEN_CLASS;
    for (size_t i = 0; i < ret->inside.size; i++)
        if (!is_number_digit(ret->inside.data[i]) && !strchr(",-", ret->inside.data[i]))
            ret->kind = TOKEN_CLASS;
    *pattern = rest;
}

bool component_pattern_next(struct span *level, struct span *ret)
{
    size_t end = 0;
    bool is_inside = false;
    if (level->size == 0)
        return false;
    for (; end < level->size && (is_inside || level->data[end] != ','); end++)
        is_inside = level->data[end] == '[' || (is_inside && level->data[end] != ']');
    *ret = (struct span){ level->data, end };
    *level = span_skip(*level, end < level->size ? end + 1 : end);
    return true;
}

/* first and last as they are written; the same where it is one number. */
static bool range_next(struct span *inside, struct span *first, struct span *last)
{
    struct span range;
    if (inside->size == 0)
        return false;
    (void)span_cut(inside, ',', &range);
    *last = range;
    if (!span_cut(last, '-', first))
        *last = *first;
    return true;
}

/* ---- matching ---- */

/* Text is a number of the range in the form that the range has: as wide as its first
 * one is written. */
static bool range_has(struct span first, struct span last, struct span text)
{
    uint64_t low = 0, high = 0, n = 0;
    if (number_parse_u64(first, &low) < 0 || number_parse_u64(last, &high) < 0 ||
        number_parse_u64(text, &n) < 0 || n < low || n > high)
        return false;
    return text.size == first.size || (text.size > first.size && text.data[0] != '0');
}

static bool numbers_have(struct span inside, struct span text)
{
    struct span first, last;
    while (range_next(&inside, &first, &last))
        if (range_has(first, last, text))
            return true;
    return false;
}

static bool class_has(struct span inside, char c)
{
    bool is_negated = inside.size > 0 && strchr("!^", inside.data[0]) != NULL;
    bool has = false;
    for (size_t i = is_negated; i < inside.size; i++) {
        unsigned char low = (unsigned char)inside.data[i], high = low;
        if (i + 2 < inside.size && inside.data[i + 1] == '-') {
            high = (unsigned char)inside.data[i + 2];
            i += 2;
        }
        has |= (unsigned char)c >= low && (unsigned char)c <= high;
    }
    return has != is_negated;
}

/* How far into the name the part of the pattern before this token may reach: reach[i].
 * A token moves all of them on at once, so that no pattern takes long. */
static void reach_on(const struct token *token, struct span name, const bool *reach,
                     bool *next)
{
    bool is_behind = false;
    memset(next, 0, name.size + 1);
    for (size_t i = 0; i <= name.size; i++) {
        is_behind |= reach[i];
        if (token->kind == TOKEN_MANY)
            next[i] = is_behind;
        if (!reach[i] || i == name.size || token->kind == TOKEN_MANY)
            continue;
        for (size_t n = 1;
             token->kind == TOKEN_NUMBERS && i + n <= name.size &&
             n <= NUMBER_DIGITS_MAX && is_number_digit(name.data[i + n - 1]);
             n++)
            next[i + n] |=
                numbers_have(token->inside, (struct span){ name.data + i, n });
        if (token->kind != TOKEN_NUMBERS)
            next[i + 1] |=
                token->kind == TOKEN_ANY ||
                (token->kind == TOKEN_BYTE && token->byte == name.data[i]) ||
                (token->kind == TOKEN_CLASS && class_has(token->inside, name.data[i]));
    }
}

static bool is_literal(char c)
{
    return c != '*' && c != '?' && c != '[';
}

static bool one_matches(struct span name, struct span pattern)
{
    bool reach[LEVEL_BYTES_MAX + 1], next[LEVEL_BYTES_MAX + 1];
    struct token token;
    if (span_is(pattern, "*"))
        return true;
    /* Most names differ before anything has to be tried. */
    while (pattern.size > 0 && is_literal(pattern.data[0])) {
        if (name.size == 0 || name.data[0] != pattern.data[0])
            return false;
        name = span_skip(name, 1);
        pattern = span_skip(pattern, 1);
    }
    if (pattern.size == 0 || name.size > LEVEL_BYTES_MAX)
        return pattern.size == name.size;
    memset(reach, 0, name.size + 1);
    reach[0] = true;
    while (pattern.size > 0) {
        token_cut(&pattern, &token);
        reach_on(&token, name, reach, next);
        memcpy(reach, next, name.size + 1);
    }
    return reach[name.size];
}

bool component_name_matches(struct span name, struct span pattern)
{
    struct span one;
    while (component_pattern_next(&pattern, &one))
        if (one_matches(name, one))
            return true;
    return false;
}

bool component_path_matches(struct span path, struct span pattern)
{
    bool is_all = pattern.size == 0;
    while (!is_all && (path.size > 0 || pattern.size > 0)) {
        struct span name, level;
        (void)span_cut(&path, '/', &name);
        (void)span_cut(&pattern, '/', &level);
        if (name.size == 0 || !component_name_matches(name, level))
            return false;
    }
    return true;
}

/* ---- what is no pattern ---- */

static int bracket_check(struct span one, const struct token *token, struct err *err)
{
    struct span inside = token->inside, first, last;
    if (token->kind == TOKEN_BYTE && token->byte == '[')
        return err_set(err, EINVAL, "'" SPAN_FMT "': a bracket is not closed",
                       SPAN_ARG(one));
    if (token->kind == TOKEN_CLASS && inside.size == 0)
        return err_set(err, EINVAL, "'" SPAN_FMT "': a bracket is empty",
                       SPAN_ARG(one));
    while (token->kind == TOKEN_NUMBERS && range_next(&inside, &first, &last)) {
        uint64_t low = 0, high = 0;
        if (number_parse_u64(first, &low) < 0 || number_parse_u64(last, &high) < 0)
            return err_set(err, EINVAL,
                           "'" SPAN_FMT "': a bracket of numbers holds numbers and "
                           "ranges, as [01-08,12]",
                           SPAN_ARG(one));
        if (low > high)
            return err_set(err, EINVAL,
                           "'" SPAN_FMT "': the range " SPAN_FMT "-" SPAN_FMT
                           " ends before it begins",
                           SPAN_ARG(one), SPAN_ARG(first), SPAN_ARG(last));
    }
    return 0;
}

static int level_check(struct span level, struct err *err)
{
    struct span whole = level, one;
    struct token token;
    int rc = 0;
    if (level.size > LEVEL_BYTES_MAX)
        return err_set(err, EINVAL, "a level of a path has 1024 bytes at most");
    if (level.size == 0 || level.data[level.size - 1] == ',')
        return err_set(err, EINVAL, "'" SPAN_FMT "': a name is empty", SPAN_ARG(whole));
    while (rc == 0 && component_pattern_next(&level, &one)) {
        struct span rest = one;
        if (one.size == 0)
            return err_set(err, EINVAL, "'" SPAN_FMT "': a name is empty",
                           SPAN_ARG(whole));
        while (rc == 0 && rest.size > 0) {
            token_cut(&rest, &token);
            rc = bracket_check(one, &token, err);
        }
    }
    return rc;
}

int component_pattern_check(struct span pattern, struct err *err)
{
    struct span whole = pattern, level;
    bool has_more = pattern.size > 0;
    int rc = 0;
    while (rc == 0 && has_more) {
        has_more = span_cut(&pattern, '/', &level);
        if (level.size == 0)
            return err_set(err, EINVAL, "'" SPAN_FMT "': a level of the path is empty",
                           SPAN_ARG(whole));
        rc = level_check(level, err);
    }
    return rc;
}
