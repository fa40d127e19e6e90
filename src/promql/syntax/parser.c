/* SPDX-License-Identifier: Apache-2.0 */
/* parser - the text of an expression to its tree. */
#include "promql/syntax/parser.h"

#include "base/cleanup.h"
#include "base/span.h"
#include "promql/syntax/check.h"
#include "promql/syntax/lexer.h"
#include "promql/syntax/selector_parser.h"
#include "promql/syntax/token_stream.h"

#include <strings.h>

enum precedence {
    PRECEDENCE_OR = 1,
    PRECEDENCE_AND,
    PRECEDENCE_COMPARISON,
    PRECEDENCE_ADD,
    PRECEDENCE_MUL,
    PRECEDENCE_POW,
};

static enum precedence precedence_of(enum operation operation)
{
    if (operation == OPERATION_OR)
        return PRECEDENCE_OR;
    if (operation_is_set(operation))
        return PRECEDENCE_AND;
    if (operation_is_comparison(operation))
        return PRECEDENCE_COMPARISON;
    if (operation <= OPERATION_SUB)
        return PRECEDENCE_ADD;
    return operation == OPERATION_POW ? PRECEDENCE_POW : PRECEDENCE_MUL;
}

static int parse_binary(struct token_stream *s, enum precedence least,
                        const struct expr **ret, struct err *err);

/* The operator that stands here; false: none. */
static bool operation_here(const struct token_stream *s, enum operation *ret)
{
    if (s->token.kind != TOKEN_SYMBOL && s->token.kind != TOKEN_WORD)
        return false;
    for (enum operation o = 0; o < _OPERATION_COUNT; o++) {
        const char *text = operation_text(o);
        if (strlen(text) == s->token.text.size &&
            strncasecmp(text, s->token.text.data, s->token.text.size) == 0) {
            *ret = o;
            return true;
        }
    }
    return false;
}

static int parse_group_modifier(struct token_stream *s, struct expr_binary *binary,
                                struct err *err)
{
    bool is_left = token_is_word(s, "group_left");
    if (!is_left && !token_is_word(s, "group_right"))
        return 0;
    binary->cardinality = is_left ? MANY_TO_ONE : ONE_TO_MANY;
    int rc = token_next(s, err);
    if (rc == 0 && token_is_symbol(s, "("))
        rc = label_names_parse(s, &binary->include, err);
    return rc;
}

static int parse_matching(struct token_stream *s, struct expr_binary *binary,
                          struct err *err)
{
    int rc = 0;
    if (token_is_word(s, "bool")) {
        binary->returns_bool = true;
        rc = token_next(s, err);
    }
    bool is_on = token_is_word(s, "on");
    if (rc < 0 || (!is_on && !token_is_word(s, "ignoring")))
        return rc;
    binary->has_matching = true;
    binary->is_on = is_on;
    rc = token_next(s, err);
    if (rc == 0)
        rc = label_names_parse(s, &binary->matching, err);
    return rc < 0 ? rc : parse_group_modifier(s, binary, err);
}

/* What follows the left operand: operator, modifiers, right operand. */
static int parse_right_of(struct token_stream *s, enum operation operation,
                          const struct expr **left, struct err *err)
{
    struct expr_binary binary = { .operation = operation, .left = *left };
    if (operation_is_set(operation))
        binary.cardinality = MANY_TO_MANY;
    size_t operator_at = s->token.begin;
    int rc = token_next(s, err);
    if (rc == 0)
        rc = parse_matching(s, &binary, err);
    enum precedence least = precedence_of(operation);
    if (rc == 0)
        rc = parse_binary(s, least + (least != PRECEDENCE_POW), &binary.right, err);
    if (rc < 0)
        return rc;
    struct expr *e = NULL;
    rc = expr_new(s, EXPR_BINARY, binary.left->begin, &e, err);
    if (rc < 0)
        return rc;
    e->end = binary.right->end;
    e->binary = binary;
    rc = expr_check(e, s->lexer.text, operator_at, err);
    if (rc == 0)
        *left = e;
    return rc;
}

static int parse_list(struct token_stream *s, size_t count_max,
                      const struct expr **list, size_t *ret_count, struct err *err)
{
    size_t count = 0;
    int rc = token_expect(s, "(", err);
    while (rc == 0 && !token_is_symbol(s, ")")) {
        if (count == count_max)
            return token_error(s, err, "more than %zu arguments", count_max);
        rc = parse_binary(s, PRECEDENCE_OR, &list[count], err);
        count += rc == 0;
        if (rc < 0 || token_is_symbol(s, ")"))
            break;
        rc = token_expect(s, ",", err);
        if (rc == 0 && token_is_symbol(s, ")"))
            return token_error(s, err, "an argument is missing behind the comma");
    }
    if (rc == 0)
        rc = token_expect(s, ")", err);
    *ret_count = count;
    return rc;
}

#define ARGUMENTS_MAX 64

static int parse_call(struct token_stream *s, const struct lexer_token *name,
                      const struct expr **ret, struct err *err)
{
    const struct function *function = function_find(name->text);
    if (!function && function_is_of_native_histograms(name->text))
        return lexer_error(s->lexer.text, name->begin, err,
                           "function '" SPAN_FMT "': native histograms are not "
                           "supported; histogram_quantile() reads classic buckets",
                           SPAN_ARG(name->text));
    if (!function)
        return lexer_error(s->lexer.text, name->begin, err,
                           "unknown function '" SPAN_FMT "'", SPAN_ARG(name->text));
    const struct expr *list[ARGUMENTS_MAX];
    struct expr *e = NULL;
    size_t count = 0;
    int rc = parse_list(s, ARGUMENTS_MAX, list, &count, err);
    if (rc == 0)
        rc = expr_new(s, EXPR_CALL, name->begin, &e, err);
    if (rc < 0)
        return rc;
    const struct expr **arguments =
        arena_alloc(s->lexer.arena, sizeof list[0] * (count + 1));
    if (!arguments)
        return -ENOMEM;
    memcpy(arguments, list, sizeof list[0] * count);
    e->call = (struct expr_call){ function, count, arguments };
    rc = expr_check(e, s->lexer.text, name->begin, err);
    if (rc == 0)
        *ret = e;
    return rc;
}

static int parse_grouping(struct token_stream *s, struct expr_aggregate *aggregate,
                          struct err *err)
{
    bool is_without = token_is_word(s, "without");
    if (aggregate->has_grouping || (!is_without && !token_is_word(s, "by")))
        return 0;
    aggregate->has_grouping = true;
    aggregate->is_without = is_without;
    int rc = token_next(s, err);
    return rc < 0 ? rc : label_names_parse(s, &aggregate->grouping, err);
}

static int parse_aggregate(struct token_stream *s, const struct lexer_token *name,
                           enum aggregator aggregator, const struct expr **ret,
                           struct err *err)
{
    struct expr_aggregate aggregate = { .aggregator = aggregator };
    const struct expr *list[3];
    size_t count = 0;
    struct expr *e = NULL;
    int rc = parse_grouping(s, &aggregate, err);
    if (rc == 0)
        rc = parse_list(s, COUNT_OF(list), list, &count, err);
    size_t want = 1 + aggregator_has_parameter(aggregator);
    if (rc == 0 && count != want)
        return lexer_error(
            s->lexer.text, name->begin, err, "%s() has %zu argument%s, not %zu",
            aggregator_text(aggregator), want, want == 1 ? "" : "s", count);
    if (rc == 0)
        rc = parse_grouping(s, &aggregate, err);
    if (rc == 0)
        rc = expr_new(s, EXPR_AGGREGATE, name->begin, &e, err);
    if (rc < 0)
        return rc;
    aggregate.inner = list[count - 1];
    aggregate.parameter = count == 2 ? list[0] : NULL;
    e->aggregate = aggregate;
    rc = expr_check(e, s->lexer.text, name->begin, err);
    if (rc == 0)
        *ret = e;
    return rc;
}

/* A word begins a call, an aggregation or a selector. */
static int parse_word(struct token_stream *s, const struct expr **ret, struct err *err)
{
    struct lexer_token name = s->token;
    int rc = token_next(s, err);
    if (rc < 0)
        return rc;
    for (enum aggregator a = 0; a < _AGGREGATOR_COUNT; a++)
        if (token_word_is(&name, aggregator_text(a)) &&
            (token_is_symbol(s, "(") || token_is_word(s, "by") ||
             token_is_word(s, "without")))
            return parse_aggregate(s, &name, a, ret, err);
    if (token_is_symbol(s, "("))
        return parse_call(s, &name, ret, err);
    return selector_parse(s, &name, ret, err);
}

static int parse_paren(struct token_stream *s, const struct expr **ret, struct err *err)
{
    size_t begin = s->token.begin;
    const struct expr *inner = NULL;
    struct expr *e = NULL;
    int rc = token_next(s, err);
    if (rc == 0)
        rc = parse_binary(s, PRECEDENCE_OR, &inner, err);
    if (rc == 0)
        rc = token_expect(s, ")", err);
    if (rc == 0)
        rc = expr_new(s, EXPR_PAREN, begin, &e, err);
    if (rc < 0)
        return rc;
    e->inner = inner;
    rc = expr_check(e, s->lexer.text, begin, err);
    if (rc == 0)
        *ret = e;
    return rc;
}

static int parse_literal(struct token_stream *s, const struct expr **ret,
                         struct err *err)
{
    struct expr *e = NULL;
    struct lexer_token token = s->token;
    bool is_number = token.kind == TOKEN_NUMBER;
    int rc = token_next(s, err);
    if (rc == 0)
        rc = expr_new(s, is_number ? EXPR_NUMBER : EXPR_STRING, token.begin, &e, err);
    if (rc < 0)
        return rc;
    if (is_number)
        e->number = token.number;
    else
        e->string = token.text;
    rc = expr_check(e, s->lexer.text, token.begin, err);
    if (rc == 0)
        *ret = e;
    return rc;
}

/* A sign binds less than ^ and more than *; in front of a number it is part of it. */
static int parse_unary(struct token_stream *s, const struct expr **ret, struct err *err)
{
    size_t begin = s->token.begin;
    bool is_minus = token_is_symbol(s, "-");
    const struct expr *inner = NULL;
    struct expr *e = NULL;
    int rc = token_next(s, err);
    if (rc == 0)
        rc = parse_binary(s, PRECEDENCE_POW, &inner, err);
    if (rc == 0)
        rc = expr_new(s, inner->kind == EXPR_NUMBER ? EXPR_NUMBER : EXPR_UNARY, begin,
                      &e, err);
    if (rc < 0)
        return rc;
    if (inner->kind == EXPR_NUMBER) {
        e->number = is_minus ? -inner->number : inner->number;
    } else {
        e->unary.is_minus = is_minus;
        e->unary.inner = inner;
    }
    rc = expr_check(e, s->lexer.text, begin, err);
    if (rc == 0)
        *ret = e;
    return rc;
}

static int parse_operand(struct token_stream *s, const struct expr **ret,
                         struct err *err)
{
    int rc;
    if (token_is_symbol(s, "-") || token_is_symbol(s, "+"))
        return parse_unary(s, ret, err);
    if (token_is_symbol(s, "("))
        rc = parse_paren(s, ret, err);
    else if (s->token.kind == TOKEN_NUMBER || s->token.kind == TOKEN_STRING)
        rc = parse_literal(s, ret, err);
    else if (s->token.kind == TOKEN_WORD)
        rc = parse_word(s, ret, err);
    else if (token_is_symbol(s, "{"))
        rc = selector_parse(s, NULL, ret, err);
    else
        return token_error(s, err, "an expression was expected here");
    return rc < 0 ? rc : selector_parse_suffixes(s, ret, err);
}

static int parse_binary(struct token_stream *s, enum precedence least,
                        const struct expr **ret, struct err *err)
{
    if (s->depth >= EXPR_DEPTH_MAX)
        return token_error(s, err, "nested more than %d levels deep", EXPR_DEPTH_MAX);
    s->depth++;
    enum operation operation;
    const struct expr *left = NULL;
    int rc = parse_operand(s, &left, err);
    while (rc == 0 && operation_here(s, &operation) &&
           precedence_of(operation) >= least)
        rc = parse_right_of(s, operation, &left, err);
    s->depth--;
    if (rc == 0)
        *ret = left;
    return rc;
}

int promql_parse(struct span text, struct arena *arena, const struct expr **ret,
                 struct err *err)
{
    if (text.size > EXPR_TEXT_MAX)
        return err_set(err, EINVAL, "an expression of %zu bytes; at most %zu",
                       text.size, EXPR_TEXT_MAX);
    struct token_stream s = { 0 };
    const struct expr *e = NULL;
    lexer_init(&s.lexer, text, arena);
    int rc = token_next(&s, err);
    if (rc == 0 && s.token.kind == TOKEN_END)
        rc = lexer_error(text, 0, err, "no expression found: the text is empty");
    if (rc == 0)
        rc = parse_binary(&s, PRECEDENCE_OR, &e, err);
    if (rc == 0 && s.token.kind != TOKEN_END)
        rc = token_error(&s, err, "an operator or the end was expected here");
    if (rc == 0)
        *ret = e;
    return rc == -ENOMEM ? err_set(err, ENOMEM, "memory for the expression is out")
                         : rc;
}
