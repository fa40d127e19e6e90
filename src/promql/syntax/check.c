/* SPDX-License-Identifier: Apache-2.0 */
/* check - types of a node and its operands. */
#include "promql/syntax/check.h"

#include "base/span.h"
#include "promql/syntax/lexer.h"

struct checked_text {
    struct span text;
    size_t at;
};

#define REFUSE(c, err, ...) lexer_error((c)->text, (c)->at, err, __VA_ARGS__)

static void add_operand(struct expr *e, const struct expr *operand)
{
    if (e->depth <= operand->depth)
        e->depth = operand->depth + 1;
    e->is_step_invariant = e->is_step_invariant && operand->is_step_invariant;
}

static bool is_scalar_or_vector(const struct expr *e)
{
    return e->type == TYPE_SCALAR || e->type == TYPE_VECTOR;
}

static int check_selector(struct expr *e, const struct checked_text *c, struct err *err)
{
    const struct expr_selector *s = &e->selector;
    bool selects = false;
    e->type = s->range_ms ? TYPE_MATRIX : TYPE_VECTOR;
    e->is_step_invariant = s->shift.anchor != ANCHOR_NONE;
    for (size_t i = 0; i < s->matcher_count; i++) {
        selects = selects || !matcher_fits_text(&s->matchers[i], SPAN(""));
        if (s->metric.size > 0 && i + 1 < s->matcher_count &&
            span_is(s->matchers[i].name, LABEL_METRIC_NAME))
            return REFUSE(c, err, "the metric's name stands there twice");
    }
    if (!selects)
        return REFUSE(c, err,
                      "a selector needs a name or a matcher that does not fit the "
                      "empty text, so that not every series is read");
    return 0;
}

static int check_subquery(struct expr *e, const struct checked_text *c, struct err *err)
{
    const struct expr *inner = e->subquery.inner;
    add_operand(e, inner);
    e->type = TYPE_MATRIX;
    e->is_step_invariant = e->subquery.shift.anchor != ANCHOR_NONE;
    if (inner->type != TYPE_VECTOR)
        return REFUSE(c, err, "a subquery needs an instant vector before it, not a %s",
                      value_type_text(inner->type));
    return 0;
}

static int check_unary(struct expr *e, const struct checked_text *c, struct err *err)
{
    const struct expr *inner = e->unary.inner;
    add_operand(e, inner);
    e->type = inner->type;
    if (!is_scalar_or_vector(inner))
        return REFUSE(c, err, "a sign needs a scalar or an instant vector, not a %s",
                      value_type_text(inner->type));
    return 0;
}

static int check_matching(const struct expr_binary *b, const struct checked_text *c,
                          struct err *err)
{
    for (size_t i = 0; i < b->matching.count && b->is_on; i++)
        if (label_names_have(&b->include, b->matching.names[i]))
            return REFUSE(c, err,
                          "label '" SPAN_FMT "' stands in on() and in the group: "
                          "leave it out of the group",
                          SPAN_ARG(b->matching.names[i]));
    if (operation_is_set(b->operation) && b->cardinality != MANY_TO_MANY)
        return REFUSE(c, err, "'%s' has no group_left or group_right",
                      operation_text(b->operation));
    return 0;
}

static int check_binary(struct expr *e, const struct checked_text *c, struct err *err)
{
    struct expr_binary *b = &e->binary;
    enum value_type left = b->left->type, right = b->right->type;
    const char *text = operation_text(b->operation);
    bool is_set = operation_is_set(b->operation);
    bool is_comparison = operation_is_comparison(b->operation);
    add_operand(e, b->left);
    add_operand(e, b->right);
    e->type = left == TYPE_SCALAR && right == TYPE_SCALAR ? TYPE_SCALAR : TYPE_VECTOR;
    if (!is_scalar_or_vector(b->left) || !is_scalar_or_vector(b->right))
        return REFUSE(c, err,
                      "operands of '%s' are scalars or instant vectors, not a %s", text,
                      value_type_text(is_scalar_or_vector(b->left) ? right : left));
    if (b->returns_bool && !is_comparison)
        return REFUSE(c, err, "bool may only follow a comparison, not '%s'", text);
    if (e->type == TYPE_SCALAR && is_comparison && !b->returns_bool)
        return REFUSE(c, err, "a comparison of two scalars needs bool: '%s bool'",
                      text);
    if (is_set && (left == TYPE_SCALAR || right == TYPE_SCALAR))
        return REFUSE(c, err, "operands of '%s' are instant vectors, not scalars",
                      text);
    if (left == TYPE_VECTOR && right == TYPE_VECTOR)
        return check_matching(b, c, err);
    if (b->matching.count > 0)
        return REFUSE(c, err, "on() and ignoring() need instant vectors on both sides");
    return 0;
}

static int check_aggregate(struct expr *e, const struct checked_text *c,
                           struct err *err)
{
    const struct expr_aggregate *a = &e->aggregate;
    const char *text = aggregator_text(a->aggregator);
    add_operand(e, a->inner);
    e->type = TYPE_VECTOR;
    if (a->inner->type != TYPE_VECTOR)
        return REFUSE(c, err, "%s() needs an instant vector, not a %s", text,
                      value_type_text(a->inner->type));
    if (!a->parameter)
        return 0;
    add_operand(e, a->parameter);
    enum value_type want =
        a->aggregator == AGGREGATOR_COUNT_VALUES ? TYPE_STRING : TYPE_SCALAR;
    if (a->parameter->type != want)
        return REFUSE(c, err, "the parameter of %s() is a %s, not a %s", text,
                      value_type_text(want), value_type_text(a->parameter->type));
    return 0;
}

static int check_call(struct expr *e, const struct checked_text *c, struct err *err)
{
    const struct function *f = e->call.function;
    size_t count = e->call.argument_count;
    e->type = f->result;
    e->is_step_invariant = !function_depends_on_time(f->id);
    if (count < f->arguments_min)
        return REFUSE(c, err, "%s() has at least %d arguments, not %zu", f->name,
                      f->arguments_min, count);
    if (count > f->arguments_max)
        return REFUSE(c, err, "%s() has at most %d arguments, not %zu", f->name,
                      f->arguments_max, count);
    for (size_t i = 0; i < count; i++) {
        const struct expr *argument = e->call.arguments[i];
        enum value_type want = function_argument_type(f, i);
        add_operand(e, argument);
        if (argument->type != want)
            return REFUSE(c, err, "argument %zu of %s() is a %s, not a %s%s", i + 1,
                          f->name, value_type_text(want),
                          value_type_text(argument->type),
                          want == TYPE_MATRIX && argument->type == TYPE_VECTOR
                              ? ": add a range such as [5m]"
                              : "");
    }
    return 0;
}

static int check_kind(struct expr *e, const struct checked_text *c, struct err *err)
{
    switch (e->kind) {
    case EXPR_NUMBER:
        e->type = TYPE_SCALAR;
        return 0;
    case EXPR_STRING:
        e->type = TYPE_STRING;
        return 0;
    case EXPR_SELECTOR:
        return check_selector(e, c, err);
    case EXPR_SUBQUERY:
        return check_subquery(e, c, err);
    case EXPR_PAREN:
        add_operand(e, e->inner);
        e->type = e->inner->type;
        return 0;
    case EXPR_UNARY:
        return check_unary(e, c, err);
    case EXPR_BINARY:
        return check_binary(e, c, err);
    case EXPR_AGGREGATE:
        return check_aggregate(e, c, err);
    case EXPR_CALL:
        break;
    }
    return check_call(e, c, err);
}

int expr_check(struct expr *e, struct span text, size_t at, struct err *err)
{
    struct checked_text c = { text, at };
    e->depth = 1;
    e->is_step_invariant = true;
    int rc = check_kind(e, &c, err);
    if (rc < 0)
        return rc;
    if (e->depth > EXPR_DEPTH_MAX)
        return REFUSE(&c, err, "nested more than %d levels deep", EXPR_DEPTH_MAX);
    return 0;
}
