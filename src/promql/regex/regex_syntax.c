/* SPDX-License-Identifier: Apache-2.0 */
/* regex_syntax - the text of a regular expression as a tree. */
#include "promql/regex/regex_syntax.h"

#include "base/span.h"
#include "promql/regex/regex_class.h"

#include <ctype.h>

static int parse_alternatives(struct regex_syntax *s, struct regex_node **ret);

static char here(const struct regex_syntax *s)
{
    return s->at < s->text.size ? s->text.data[s->at] : '\0';
}

static bool skip_text(struct regex_syntax *s, const char *text)
{
    if (!span_starts(span_skip(s->text, s->at), text))
        return false;
    s->at += strlen(text);
    return true;
}

static int parse_assert(struct regex_syntax *s, enum regex_opcode opcode,
                        struct regex_node **ret)
{
    *ret = regex_node_new(s, REGEX_NODE_ASSERT);
    if (!*ret)
        return -ENOMEM;
    (*ret)->opcode = opcode;
    return 0;
}

static int parse_dot(struct regex_syntax *s, struct regex_node **ret)
{
    struct regex_node *node = regex_node_new(s, REGEX_NODE_SET);
    if (!node)
        return -ENOMEM;
    uint32_t flags = s->flags;
    s->flags &= ~(uint32_t)REGEX_FOLD;
    node->range_begin = s->range_count;
    int rc = 0;
    if (flags & REGEX_DOT_ALL) {
        rc = regex_range_add(s, 0, 0x10FFFF);
    } else {
        rc = regex_range_add(s, 0, '\n' - 1);
        if (rc == 0)
            rc = regex_range_add(s, '\n' + 1, 0x10FFFF);
    }
    s->flags = flags;
    node->range_end = s->range_count;
    *ret = node;
    return rc;
}

/* (?P<name> and (?imsU-imsU: or ); *ret_is_group is false where only flags changed. */
static int parse_flags(struct regex_syntax *s, size_t begin, bool *ret_is_group)
{
    static const char letters[] = "ismU";
    static const uint32_t values[] = { REGEX_FOLD, REGEX_DOT_ALL, REGEX_LINES,
                                       REGEX_LAZY };
    bool is_off = false, has_letter = false;
    for (;; s->at++) {
        char c = here(s);
        const char *letter = c ? strchr(letters, c) : NULL;
        if (letter) {
            uint32_t value = values[letter - letters];
            s->flags = is_off ? s->flags & ~value : s->flags | value;
            has_letter = true;
        } else if (c == '-' && !is_off) {
            is_off = true;
            has_letter = false;
        } else if ((c == ':' || c == ')') && (!is_off || has_letter)) {
            *ret_is_group = c == ':';
            s->at++;
            return 0;
        } else {
            s->at += c != '\0';
            return regex_refuse(s, begin, "it is no group that RE2 has");
        }
    }
}

static int parse_group_name(struct regex_syntax *s, size_t begin, struct span *ret)
{
    struct span rest = span_skip(s->text, s->at);
    const char *end = rest.size ? memchr(rest.data, '>', rest.size) : NULL;
    if (!end)
        return regex_refuse(s, begin, "> is missing");
    struct span name = { rest.data, (size_t)(end - rest.data) };
    for (size_t i = 0; i < name.size; i++)
        if (name.data[i] != '_' && !isalnum((unsigned char)name.data[i]))
            return regex_refuse(s, begin, "it is no name of a group");
    if (name.size == 0)
        return regex_refuse(s, begin, "it is no name of a group");
    for (uint32_t g = 1; g < s->group_count; g++)
        if (span_eq(s->names[g], name))
            return regex_refuse(s, begin, "two groups have this name");
    s->at += name.size + 1;
    *ret = name;
    return 0;
}

static int parse_group_inside(struct regex_syntax *s, size_t begin, uint32_t group,
                              struct regex_node **ret)
{
    struct regex_node *inner = NULL;
    if (s->depth >= REGEX_DEPTH_MAX)
        return regex_refuse(s, begin, "groups are nested too deeply");
    s->depth++;
    int rc = parse_alternatives(s, &inner);
    s->depth--;
    if (rc == 0 && !skip_text(s, ")"))
        return regex_refuse(s, begin, ") is missing");
    if (rc < 0 || group == 0) {
        *ret = inner;
        return rc;
    }
    *ret = regex_node_new(s, REGEX_NODE_GROUP);
    if (!*ret)
        return -ENOMEM;
    (*ret)->first = inner;
    (*ret)->group = group;
    return 0;
}

static int parse_group(struct regex_syntax *s, struct regex_node **ret)
{
    size_t begin = s->at++;
    uint32_t flags = s->flags, group = 0;
    struct span name = { NULL, 0 };
    bool is_group = true;
    int rc = 0;
    if (skip_text(s, "?P<"))
        rc = parse_group_name(s, begin, &name);
    else if (skip_text(s, "?"))
        rc = parse_flags(s, begin, &is_group);
    if (rc < 0)
        return rc;
    if (!is_group) {
        *ret = regex_node_new(s, REGEX_NODE_EMPTY);
        return *ret ? 0 : -ENOMEM;
    }
    if (name.data || s->text.data[begin + 1] != '?') {
        if (s->group_count == REGEX_GROUPS_MAX)
            return regex_refuse(s, begin, "there are too many groups");
        group = s->group_count++;
        s->names[group] = name;
    }
    rc = parse_group_inside(s, begin, group, ret);
    s->flags = flags;
    return rc;
}

/* \Q...\E: each character stands for itself. */
static int parse_quoted(struct regex_syntax *s, struct regex_node **ret)
{
    struct regex_node *all = regex_node_new(s, REGEX_NODE_EMPTY);
    while (all && s->at < s->text.size && !skip_text(s, "\\E")) {
        struct regex_node *set = regex_node_new(s, REGEX_NODE_SET);
        struct regex_node *cat = regex_node_new(s, REGEX_NODE_CAT);
        if (!set || !cat)
            return -ENOMEM;
        size_t size = 1;
        uint32_t c = regex_character(s, &size);
        s->at += size;
        set->range_begin = s->range_count;
        int rc = regex_range_add(s, c, c);
        if (rc < 0)
            return rc;
        set->range_end = s->range_count;
        cat->first = all;
        cat->second = set;
        all = cat;
    }
    *ret = all;
    return all ? 0 : -ENOMEM;
}

static int parse_atom(struct regex_syntax *s, struct regex_node **ret)
{
    size_t begin = s->at;
    char c = here(s);
    if (c == '(')
        return parse_group(s, ret);
    if (c == '*' || c == '+' || c == '?') {
        s->at++;
        return regex_refuse(s, begin, "there is nothing that could be repeated");
    }
    if (skip_text(s, "."))
        return parse_dot(s, ret);
    if (skip_text(s, "^"))
        return parse_assert(s, s->flags & REGEX_LINES ? REGEX_LINE_BEGIN : REGEX_BEGIN,
                            ret);
    if (skip_text(s, "$"))
        return parse_assert(s, s->flags & REGEX_LINES ? REGEX_LINE_END : REGEX_END,
                            ret);
    if (skip_text(s, "\\A"))
        return parse_assert(s, REGEX_BEGIN, ret);
    if (skip_text(s, "\\z"))
        return parse_assert(s, REGEX_END, ret);
    if (skip_text(s, "\\Q"))
        return parse_quoted(s, ret);
    if (skip_text(s, "\\b"))
        return parse_assert(s, REGEX_WORD_EDGE, ret);
    if (skip_text(s, "\\B"))
        return parse_assert(s, REGEX_NO_WORD_EDGE, ret);
    return regex_class_parse(s, ret);
}

/* Digits; false: there are none, or they are too many. */
static bool parse_count(struct regex_syntax *s, uint32_t *ret)
{
    size_t begin = s->at;
    uint32_t value = 0;
    while (here(s) >= '0' && here(s) <= '9' && s->at - begin < 7)
        value = value * 10 + (uint32_t)(s->text.data[s->at++] - '0');
    *ret = value;
    return s->at > begin;
}

/* {n}, {n,}, {n,m}; anything else is text, and false. */
static bool parse_bounds(struct regex_syntax *s, uint32_t *least, uint32_t *most)
{
    size_t begin = s->at++;
    bool is_good = parse_count(s, least);
    *most = *least;
    if (is_good && skip_text(s, ",") && !parse_count(s, most))
        *most = UINT32_MAX;
    if (is_good && skip_text(s, "}"))
        return true;
    s->at = begin;
    return false;
}

static bool parse_repetition(struct regex_syntax *s, uint32_t *least, uint32_t *most)
{
    char c = here(s);
    if (c == '{')
        return parse_bounds(s, least, most);
    if (c != '*' && c != '+' && c != '?')
        return false;
    s->at++;
    *least = c == '+';
    *most = c == '?' ? 1 : UINT32_MAX;
    return true;
}

static int parse_repeated(struct regex_syntax *s, struct regex_node **ret)
{
    struct regex_node *node = NULL;
    size_t begin = s->at;
    uint32_t least = 0, most = 0;
    int rc = parse_atom(s, &node);
    for (unsigned count = 0; rc == 0 && parse_repetition(s, &least, &most); count++) {
        if (count > 0)
            return regex_refuse(s, begin, "one repetition follows another");
        if (least > REGEX_REPEAT_MAX ||
            (most != UINT32_MAX && (most > REGEX_REPEAT_MAX || most < least)))
            return regex_refuse(s, begin, "the count of a repetition is out of range");
        struct regex_node *repeat = regex_node_new(s, REGEX_NODE_REPEAT);
        if (!repeat)
            return -ENOMEM;
        repeat->first = node;
        repeat->least = least;
        repeat->most = most;
        repeat->is_lazy = skip_text(s, "?") != ((s->flags & REGEX_LAZY) != 0);
        node = repeat;
    }
    *ret = node;
    return rc;
}

static int join_nodes(struct regex_syntax *s, enum regex_node_kind kind,
                      struct regex_node **left, struct regex_node *right)
{
    struct regex_node *both = regex_node_new(s, kind);
    if (!both)
        return -ENOMEM;
    both->first = *left;
    both->second = right;
    *left = both;
    return 0;
}

static int parse_sequence(struct regex_syntax *s, struct regex_node **ret)
{
    struct regex_node *all = regex_node_new(s, REGEX_NODE_EMPTY);
    int rc = all ? 0 : -ENOMEM;
    while (rc == 0 && s->at < s->text.size && here(s) != '|' && here(s) != ')') {
        struct regex_node *next = NULL;
        rc = parse_repeated(s, &next);
        if (rc == 0)
            rc = join_nodes(s, REGEX_NODE_CAT, &all, next);
    }
    *ret = all;
    return rc;
}

static int parse_alternatives(struct regex_syntax *s, struct regex_node **ret)
{
    struct regex_node *all = NULL;
    int rc = parse_sequence(s, &all);
    while (rc == 0 && skip_text(s, "|")) {
        struct regex_node *next = NULL;
        rc = parse_sequence(s, &next);
        if (rc == 0)
            rc = join_nodes(s, REGEX_NODE_ALTERNATE, &all, next);
    }
    *ret = all;
    return rc;
}

int regex_syntax_parse(struct regex_syntax *s, struct regex_node **ret)
{
    s->group_count = 1;
    int rc = parse_alternatives(s, ret);
    if (rc == 0 && s->at < s->text.size)
        return regex_refuse(s, s->at, "( is missing");
    return rc;
}
