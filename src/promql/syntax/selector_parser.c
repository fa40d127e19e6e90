/* SPDX-License-Identifier: Apache-2.0 */
/* selector_parser - names, matchers, ranges, offset and @ of an expression. */
#include "promql/syntax/selector_parser.h"

#include "base/cleanup.h"
#include "base/span.h"
#include "promql/syntax/check.h"

#include <math.h>

#define MATCHERS_MAX 256

/* Words that mean something else where a metric's name could stand. */
static bool is_reserved(const struct lexer_token *name)
{
    static const char *const keywords[] = { "bool",       "on",          "ignoring",
                                            "group_left", "group_right", "atan2" };
    for (size_t i = 0; i < COUNT_OF(keywords); i++)
        if (token_word_is(name, keywords[i]))
            return true;
    return false;
}

static int parse_matcher(struct token_stream *s, struct matcher *ret, struct err *err)
{
    static const enum matcher_kind kinds[] = { MATCHER_EQ, MATCHER_NE, MATCHER_REGEX,
                                               MATCHER_NOT_REGEX };
    struct span name = s->token.text;
    if (s->token.kind != TOKEN_WORD)
        return token_error(s, err, "the name of a label or '}' was expected here");
    int rc = token_next(s, err);
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        if (!token_is_symbol(s, matcher_kind_text(kinds[i])))
            continue;
        rc = token_next(s, err);
        if (rc < 0)
            return rc;
        if (s->token.kind != TOKEN_STRING)
            return token_error(s, err, "a string was expected here");
        struct err reason = { "" };
        rc = matcher_init(ret, s->lexer.arena, name, kinds[i], s->token.text, &reason);
        if (rc == -EINVAL)
            return lexer_error(s->lexer.text, s->token.begin, err, "%s", reason.text);
        return rc < 0 ? rc : token_next(s, err);
    }
    return token_error(s, err, "one of = != =~ !~ was expected here");
}

static int parse_matchers(struct token_stream *s, struct matcher *list, size_t *count,
                          struct err *err)
{
    int rc = token_expect(s, "{", err);
    while (rc == 0 && !token_is_symbol(s, "}")) {
        if (*count + 1 >= MATCHERS_MAX)
            return token_error(s, err, "more than %d matchers", MATCHERS_MAX - 1);
        rc = parse_matcher(s, &list[*count], err);
        *count += rc == 0;
        if (rc < 0 || token_is_symbol(s, "}"))
            break;
        rc = token_expect(s, ",", err);
    }
    return rc < 0 ? rc : token_expect(s, "}", err);
}

static int selector_new(struct token_stream *s, size_t begin, struct span metric,
                        struct matcher *list, size_t count, const struct expr **ret,
                        struct err *err)
{
    struct expr *e = NULL;
    if (metric.size > 0)
        list[count++] =
            (struct matcher){ SPAN(LABEL_METRIC_NAME), MATCHER_EQ, metric, NULL };
    int rc = expr_new(s, EXPR_SELECTOR, begin, &e, err);
    if (rc < 0)
        return rc;
    struct matcher *matchers = arena_alloc(s->lexer.arena, (count + 1) * sizeof *list);
    if (!matchers)
        return -ENOMEM;
    memcpy(matchers, list, count * sizeof *list);
    e->selector = (struct expr_selector){ .metric = metric,
                                          .matcher_count = count,
                                          .matchers = matchers };
    rc = expr_check(e, s->lexer.text, begin, err);
    if (rc == 0)
        *ret = e;
    return rc;
}

int selector_parse(struct token_stream *s, const struct lexer_token *name,
                   const struct expr **ret, struct err *err)
{
    struct matcher list[MATCHERS_MAX];
    size_t count = 0;
    size_t begin = name ? name->begin : s->token.begin;
    if (name && is_reserved(name))
        return lexer_error(s->lexer.text, begin, err,
                           "'" SPAN_FMT "' is a keyword: for a metric of this name "
                           "write {__name__=\"" SPAN_FMT "\"}",
                           SPAN_ARG(name->text), SPAN_ARG(name->text));
    int rc = 0;
    if (token_is_symbol(s, "{"))
        rc = parse_matchers(s, list, &count, err);
    if (rc < 0)
        return rc;
    return selector_new(s, begin, name ? name->text : (struct span){ "", 0 }, list,
                        count, ret, err);
}

static int duration_expected(struct token_stream *s, int64_t *ret_ms, struct err *err)
{
    if (s->token.kind != TOKEN_DURATION)
        return token_error(s, err, "a length of time such as 5m was expected here");
    *ret_ms = s->token.duration_ms;
    return token_next(s, err);
}

static int make_range(struct token_stream *s, size_t at, const struct expr **expr,
                      int64_t range_ms, struct err *err)
{
    const struct expr *old = *expr;
    if (old->kind != EXPR_SELECTOR || old->selector.range_ms)
        return lexer_error(s->lexer.text, at, err,
                           "a range [5m] may only follow an instant vector selector; "
                           "a subquery is written [5m:1m]");
    if (old->selector.shift.offset_ms || old->selector.shift.anchor)
        return lexer_error(s->lexer.text, at, err,
                           "offset and @ come after the range: metric[5m] offset 1h");
    struct expr *e = NULL;
    int rc = expr_new(s, EXPR_SELECTOR, old->begin, &e, err);
    if (rc < 0)
        return rc;
    e->selector = old->selector;
    e->selector.range_ms = range_ms;
    rc = expr_check(e, s->lexer.text, at, err);
    if (rc == 0)
        *expr = e;
    return rc;
}

static int make_subquery(struct token_stream *s, size_t at, const struct expr **expr,
                         struct expr_subquery subquery, struct err *err)
{
    struct expr *e = NULL;
    subquery.inner = *expr;
    int rc = expr_new(s, EXPR_SUBQUERY, (*expr)->begin, &e, err);
    if (rc < 0)
        return rc;
    e->subquery = subquery;
    rc = expr_check(e, s->lexer.text, at, err);
    if (rc == 0)
        *expr = e;
    return rc;
}

static int parse_brackets(struct token_stream *s, const struct expr **expr,
                          struct err *err)
{
    struct expr_subquery subquery = { 0 };
    size_t at = s->token.begin;
    int rc = token_next(s, err);
    if (rc == 0)
        rc = duration_expected(s, &subquery.range_ms, err);
    if (rc < 0)
        return rc;
    if (token_is_symbol(s, "]")) {
        rc = token_next(s, err);
        return rc < 0 ? rc : make_range(s, at, expr, subquery.range_ms, err);
    }
    rc = token_expect(s, ":", err);
    if (rc == 0 && !token_is_symbol(s, "]"))
        rc = duration_expected(s, &subquery.step_ms, err);
    if (rc == 0)
        rc = token_expect(s, "]", err);
    return rc < 0 ? rc : make_subquery(s, at, expr, subquery, err);
}

static struct time_shift *shift_of(struct expr *e)
{
    return e->kind == EXPR_SELECTOR ? &e->selector.shift : &e->subquery.shift;
}

/* A copy of the node, whose shift may be changed. */
static int shift_copy(struct token_stream *s, size_t at, const struct expr **expr,
                      struct expr **ret, struct err *err)
{
    const struct expr *old = *expr;
    if (old->kind != EXPR_SELECTOR && old->kind != EXPR_SUBQUERY)
        return lexer_error(s->lexer.text, at, err,
                           "offset and @ may only follow a selector or a subquery");
    struct expr *e = NULL;
    int rc = expr_new(s, old->kind, old->begin, &e, err);
    if (rc < 0)
        return rc;
    *e = *old;
    *ret = e;
    *expr = e;
    return 0;
}

static int parse_offset(struct token_stream *s, const struct expr **expr,
                        struct err *err)
{
    size_t at = s->token.begin;
    struct expr *e = NULL;
    int64_t offset_ms = 0;
    int rc = token_next(s, err);
    bool is_minus = rc == 0 && token_is_symbol(s, "-");
    if (is_minus)
        rc = token_next(s, err);
    if (rc == 0)
        rc = duration_expected(s, &offset_ms, err);
    if (rc == 0)
        rc = shift_copy(s, at, expr, &e, err);
    if (rc < 0)
        return rc;
    if (shift_of(e)->offset_ms)
        return lexer_error(s->lexer.text, at, err, "offset may stand there only once");
    shift_of(e)->offset_ms = is_minus ? -offset_ms : offset_ms;
    e->end = s->previous_end;
    return 0;
}

static int parse_anchor_time(struct token_stream *s, struct time_shift *shift,
                             struct err *err)
{
    bool is_minus = token_is_symbol(s, "-");
    if (is_minus || token_is_symbol(s, "+")) {
        int rc = token_next(s, err);
        if (rc < 0)
            return rc;
    }
    if (s->token.kind != TOKEN_NUMBER)
        return token_error(s, err,
                           "a time in seconds, start() or end() was expected here");
    double t = is_minus ? -s->token.number : s->token.number;
    if (!(fabs(t) < 9e15))
        return token_error(s, err, "the time is out of range");
    shift->anchor = ANCHOR_TIME;
    shift->anchor_ms = (int64_t)round(t * 1000);
    return token_next(s, err);
}

static int parse_anchor_call(struct token_stream *s, struct time_shift *shift,
                             struct err *err)
{
    shift->anchor = token_is_word(s, "start") ? ANCHOR_START : ANCHOR_END;
    int rc = token_next(s, err);
    if (rc == 0)
        rc = token_expect(s, "(", err);
    return rc < 0 ? rc : token_expect(s, ")", err);
}

static int parse_anchor(struct token_stream *s, const struct expr **expr,
                        struct err *err)
{
    size_t at = s->token.begin;
    struct expr *e = NULL;
    int rc = token_next(s, err);
    if (rc == 0)
        rc = shift_copy(s, at, expr, &e, err);
    if (rc < 0)
        return rc;
    if (shift_of(e)->anchor)
        return lexer_error(s->lexer.text, at, err, "@ may stand there only once");
    if (token_is_word(s, "start") || token_is_word(s, "end"))
        rc = parse_anchor_call(s, shift_of(e), err);
    else
        rc = parse_anchor_time(s, shift_of(e), err);
    e->is_step_invariant = true;
    e->end = s->previous_end;
    return rc;
}

int selector_parse_suffixes(struct token_stream *s, const struct expr **expr,
                            struct err *err)
{
    int rc = 0;
    for (size_t count = 0; rc == 0; count++) {
        if (count > EXPR_DEPTH_MAX)
            return token_error(s, err, "too many modifiers");
        if (token_is_symbol(s, "["))
            rc = parse_brackets(s, expr, err);
        else if (token_is_word(s, "offset"))
            rc = parse_offset(s, expr, err);
        else if (token_is_symbol(s, "@"))
            rc = parse_anchor(s, expr, err);
        else
            break;
    }
    return rc;
}
