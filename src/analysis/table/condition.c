/* SPDX-License-Identifier: Apache-2.0 */
/* condition - a formula over typed values, of which some may not be known. */
#include "analysis/table/condition.h"

#include "analysis/table/expression_tree.h"
#include "base/span.h"
#include "base/strbuf.h"

/* ---- types ---- */

struct checker {
    const struct condition_names *names;
    struct err *err;
    struct span unknown; /* a name that was not found */
};

static int typed_find(void *arg, struct span name)
{
    struct checker *c = arg;
    int at = c->names->find(c->names->arg, name);
    if (at < 0 && !c->unknown.data)
        c->unknown = name;
    return at;
}

static const struct condition_type truth = { .kind = CONDITION_TRUTH };
static const struct condition_type text = { .kind = CONDITION_TEXT };

static struct condition_type number_of(enum unit_scale scale)
{
    return (struct condition_type){ .kind = CONDITION_NUMBER,
                                    .unit = { .scale = scale } };
}

static void type_describe(const struct condition_type *type, struct strbuf *out)
{
    if (type->kind == CONDITION_TEXT)
        strbuf_adds(out, "a text");
    else if (type->kind == CONDITION_TRUTH)
        strbuf_adds(out, "a condition");
    else
        unit_describe(&type->unit, out);
}

static int is_refused(const struct checker *c, const struct expression *e,
                      const char *what, const struct condition_type *type)
{
    AUTO(strbuf_done) struct strbuf found = STRBUF_INIT;
    type_describe(type, &found);
    return err_set(c->err, EINVAL, "column %zu: %s expected, this is %s", e->at, what,
                   strbuf_text(&found));
}

/* They are compared or added. */
static int like_check(const struct checker *c, const struct expression *e,
                      const struct condition_type *a, const struct condition_type *b)
{
    AUTO(strbuf_done) struct strbuf left = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf right = STRBUF_INIT;
    const struct expression *zero = NULL;
    for (int i = 0; i < 2 && e->operand_count == 2; i++)
        if (e->operands[i]->op == OP_NUMBER && e->operands[i]->number == 0 &&
            unit_is_none(&e->operands[i]->unit))
            zero = e->operands[i];
    bool is_zero = zero && a->kind == CONDITION_NUMBER && b->kind == CONDITION_NUMBER;
    if (a->kind == b->kind && a->kind != CONDITION_TRUTH &&
        (a->kind == CONDITION_TEXT || is_zero || unit_is_like(&a->unit, &b->unit)))
        return 0;
    type_describe(a, &left);
    type_describe(b, &right);
    return err_set(c->err, EINVAL,
                   "column %zu: %s and %s are not of one kind (a number has its unit: "
                   "64MiB, 10min, 90%%)",
                   e->at, strbuf_text(&left), strbuf_text(&right));
}

static int check_type(const struct checker *c, const struct expression *e,
                      struct condition_type *ret);

static int kind_check(const struct checker *c, const struct expression *e,
                      enum condition_kind kind, struct condition_type *ret)
{
    static const char *const wanted[] = {
        [CONDITION_NUMBER] = "a number",
        [CONDITION_TEXT] = "a text",
        [CONDITION_TRUTH] = "a condition",
    };
    int rc = check_type(c, e, ret);
    return rc == 0 && ret->kind != kind ? is_refused(c, e, wanted[kind], ret) : rc;
}

/* Each operand of this kind. */
static int kinds_check(const struct checker *c, const struct expression *e,
                       enum condition_kind kind)
{
    struct condition_type type;
    int rc = 0;
    for (size_t i = 0; i < e->operand_count && rc == 0; i++)
        rc = kind_check(c, e->operands[i], kind, &type);
    return rc;
}

static int product_check(const struct checker *c, const struct expression *e,
                         struct condition_type *ret)
{
    struct condition_type a, b;
    int rc = kind_check(c, e->operands[0], CONDITION_NUMBER, &a);
    if (rc == 0)
        rc = kind_check(c, e->operands[1], CONDITION_NUMBER, &b);
    if (rc < 0)
        return rc;
    ret->kind = CONDITION_NUMBER;
    if (!unit_multiply(&a.unit, &b.unit, e->op == OP_MULTIPLY ? 1 : -1, &ret->unit))
        return err_set(c->err, EINVAL,
                       "column %zu: a product or quotient of these has no meaning",
                       e->at);
    return 0;
}

/* Of a and b, of which one is a plain 0 or 1, or a ratio: what the other is. */
static struct condition_type wider_of(const struct condition_type *a,
                                      const struct condition_type *b)
{
    bool is_second = a->kind == CONDITION_NUMBER && unit_is_none(&a->unit) &&
                     (a->unit.scale == UNIT_RATIO || !unit_is_none(&b->unit));
    return is_second ? *b : *a;
}

/* Times of day: their difference is a length, and a length later is one. */
static bool time_sum(const struct expression *e, const struct condition_type *a,
                     const struct condition_type *b, struct condition_type *ret)
{
    bool is_seconds = a->unit.seconds == 1 && b->unit.seconds == 1 &&
                      a->unit.bytes == 0 && b->unit.bytes == 0 && a->unit.joules == 0 &&
                      b->unit.joules == 0;
    if (!is_seconds || !a->unit.is_time || (b->unit.is_time && e->op == OP_ADD))
        return false;
    *ret = *a;
    ret->unit.is_time = !b->unit.is_time;
    return true;
}

static int sum_check(const struct checker *c, const struct expression *e,
                     struct condition_type *ret)
{
    struct condition_type a, b;
    int rc = kind_check(c, e->operands[0], CONDITION_NUMBER, &a);
    if (rc == 0)
        rc = kind_check(c, e->operands[1], CONDITION_NUMBER, &b);
    if (rc < 0 || (e->op != OP_REMAINDER && time_sum(e, &a, &b, ret)))
        return rc;
    if (a.unit.is_time || b.unit.is_time)
        return err_set(c->err, EINVAL, "column %zu: times of day are not added", e->at);
    rc = like_check(c, e, &a, &b);
    if (rc == 0)
        *ret = wider_of(&a, &b);
    return rc;
}

static int comparison_check(const struct checker *c, const struct expression *e,
                            struct condition_type *ret)
{
    struct condition_type a, b;
    int rc = check_type(c, e->operands[0], &a);
    if (rc == 0)
        rc = check_type(c, e->operands[1], &b);
    if (rc == 0)
        rc = like_check(c, e, &a, &b);
    *ret = truth;
    return rc;
}

/* Alternatives from the operand first on are of one kind. */
static int alternatives_check(const struct checker *c, const struct expression *e,
                              size_t first, struct condition_type *ret)
{
    struct condition_type type, next;
    int rc = check_type(c, e->operands[first], &type);
    for (size_t i = first + 1; i < e->operand_count && rc == 0; i++) {
        rc = check_type(c, e->operands[i], &next);
        bool is_truth = type.kind == CONDITION_TRUTH && next.kind == CONDITION_TRUTH;
        if (rc == 0 && !is_truth)
            rc = like_check(c, e, &type, &next);
        if (rc == 0 && !is_truth)
            type = wider_of(&type, &next);
    }
    if (rc == 0)
        *ret = type;
    return rc;
}

static int function_check(const struct checker *c, const struct expression *e,
                          struct condition_type *ret)
{
    struct condition_type type;
    int rc = 0;
    switch (e->op) {
    case OP_CONTAINS:
    case OP_STARTS:
        *ret = truth;
        return kinds_check(c, e, CONDITION_TEXT);
    case OP_BASENAME:
    case OP_LOWER:
        *ret = text;
        return kinds_check(c, e, CONDITION_TEXT);
    case OP_JOIN:
        *ret = text;
        for (size_t i = 0; i < e->operand_count && rc == 0; i++)
            rc = check_type(c, e->operands[i], &type);
        return rc;
    case OP_PART:
        rc = kind_check(c, e->operands[0], CONDITION_TEXT, &type);
        if (rc == 0)
            rc = kind_check(c, e->operands[1], CONDITION_NUMBER, &type);
        if (rc == 0)
            rc = kind_check(c, e->operands[2], CONDITION_TEXT, &type);
        *ret = text;
        return rc;
    default: /* number, bytes, seconds and time, of a text */
        *ret = number_of(UNIT_COUNT);
        ret->unit.bytes = e->op == OP_BYTES;
        ret->unit.seconds = e->op == OP_SECONDS || e->op == OP_TIME;
        ret->unit.is_time = e->op == OP_TIME;
        return kinds_check(c, e, CONDITION_TEXT);
    }
}

static int check_type(const struct checker *c, const struct expression *e,
                      struct condition_type *ret)
{
    struct condition_type ignored;
    int rc = 0;
    *ret = truth;
    switch (e->op) {
    case OP_NUMBER:
        *ret = (struct condition_type){ .kind = CONDITION_NUMBER, .unit = e->unit };
        return 0;
    case OP_TEXT:
        *ret = text;
        return 0;
    case OP_COLUMN:
        *ret = c->names->type(c->names->arg, e->column);
        return 0;
    case OP_AND:
    case OP_OR:
    case OP_NOT:
        return kinds_check(c, e, CONDITION_TRUTH);
    case OP_MISSING:
        if (e->operands[0]->op == OP_COLUMN)
            return 0;
        return err_set(c->err, EINVAL, "column %zu: missing() is of a value's name",
                       e->at);
    case OP_NEGATE:
    case OP_ABS:
    case OP_FLOOR:
        return kind_check(c, e->operands[0], CONDITION_NUMBER, ret);
    case OP_LOG10:
        rc = kind_check(c, e->operands[0], CONDITION_NUMBER, &ignored);
        *ret = number_of(UNIT_RATIO);
        return rc;
    case OP_MULTIPLY:
    case OP_DIVIDE:
        return product_check(c, e, ret);
    case OP_ADD:
    case OP_SUBTRACT:
    case OP_REMAINDER:
        return sum_check(c, e, ret);
    case OP_MIN:
    case OP_MAX:
        rc = kinds_check(c, e, CONDITION_NUMBER);
        return rc < 0 ? rc : alternatives_check(c, e, 0, ret);
    case OP_IF:
        rc = kind_check(c, e->operands[0], CONDITION_TRUTH, &ignored);
        return rc < 0 ? rc : alternatives_check(c, e, 1, ret);
    case OP_EQUAL:
    case OP_UNEQUAL:
    case OP_LESS:
    case OP_LESS_EQUAL:
    case OP_GREATER:
    case OP_GREATER_EQUAL:
        return comparison_check(c, e, ret);
    default:
        return function_check(c, e, ret);
    }
}

int condition_parse(struct span text_of, const struct condition_names *names,
                    struct arena *arena, const struct expression **ret,
                    struct condition_type *ret_type, struct err *err)
{
    struct err here = { 0 };
    struct checker c = { .names = names, .err = &here };
    struct condition_type type;
    const struct expression *e = NULL;
    int rc = expression_parse_units(text_of, typed_find, &c, arena, &e, &here);
    if (rc < 0 && c.unknown.data) {
        names->unknown(names->arg, c.unknown, &here);
        return err_set(err, EINVAL, "column %zu: %s",
                       (size_t)(c.unknown.data - text_of.data) + 1, here.text);
    }
    if (rc == 0)
        rc = check_type(&c, e, &type);
    if (rc < 0)
        return err_set(err, -rc, "%s", here.text);
    *ret = e;
    *ret_type = type;
    return 0;
}

/* ---- evaluating ---- */

/* Where a value is known, expression_eval() finds it: it differs from this in what is
 * not known alone. */
static bool is_value_known(const struct expression *e, const struct value *columns,
                           struct arena *arena);

static bool is_logic_known(const struct expression *e, const struct value *columns,
                           struct arena *arena)
{
    bool is_all_known = true;
    for (size_t i = 0; i < 2; i++) {
        if (!is_value_known(e->operands[i], columns, arena))
            is_all_known = false;
        else if (expression_is_true(e->operands[i], columns, arena) == (e->op == OP_OR))
            return true; /* whatever the other one is */
    }
    return is_all_known;
}

static bool is_value_known(const struct expression *e, const struct value *columns,
                           struct arena *arena)
{
    if (e->op == OP_COLUMN)
        return columns[e->column].kind != VALUE_MISSING;
    if (e->op == OP_MISSING)
        return true;
    if (e->op == OP_AND || e->op == OP_OR)
        return is_logic_known(e, columns, arena);
    if (e->op == OP_IF) {
        bool is_known = is_value_known(e->operands[0], columns, arena);
        size_t at =
            is_known && expression_is_true(e->operands[0], columns, arena) ? 1 : 2;
        return is_known && is_value_known(e->operands[at], columns, arena);
    }
    for (size_t i = 0; i < e->operand_count; i++)
        if (!is_value_known(e->operands[i], columns, arena))
            return false;
    /* A division by zero, a part that a text has not. */
    return expression_eval(e, columns, arena).kind != VALUE_MISSING;
}

struct value condition_value(const struct expression *e, const struct value *columns,
                             struct arena *arena)
{
    return is_value_known(e, columns, arena) ? expression_eval(e, columns, arena)
                                             : (struct value){ .kind = VALUE_MISSING };
}

enum condition_result condition_result(const struct expression *e,
                                       const struct value *columns, struct arena *arena)
{
    struct value v = condition_value(e, columns, arena);
    return v.kind == VALUE_MISSING ? CONDITION_UNKNOWN
           : value_is_true(&v)     ? CONDITION_TRUE
                                   : CONDITION_FALSE;
}
