/* SPDX-License-Identifier: Apache-2.0 */
/* expression - a small formula over the columns of one row. */
#include "analysis/table/expression.h"

#include "analysis/table/expression_tree.h"
#include "analysis/table/quantity.h"
#include "analysis/table/time_form.h"
#include "base/decimal_text.h"
#include "base/number.h"
#include "base/span.h"
#include "base/strbuf.h"

#include <math.h>

#define PARTS_MAX 256
#define DEPTH_MAX 32

struct function {
    const char *name;
    enum op op;
    size_t operands_min, operands_max;
};

static const struct function functions[] = {
    { "if", OP_IF, 3, 3 },
    { "min", OP_MIN, 1, OPERANDS_MAX },
    { "max", OP_MAX, 1, OPERANDS_MAX },
    { "abs", OP_ABS, 1, 1 },
    { "floor", OP_FLOOR, 1, 1 },
    { "log10", OP_LOG10, 1, 1 },
    { "missing", OP_MISSING, 1, 1 },
    { "contains", OP_CONTAINS, 2, 2 },
    { "starts", OP_STARTS, 2, 2 },
    { "basename", OP_BASENAME, 1, 1 },
    { "join", OP_JOIN, 1, OPERANDS_MAX },
    { "number", OP_NUMBER_OF, 1, 1 },
    { "bytes", OP_BYTES, 1, 1 },
    { "seconds", OP_SECONDS, 1, 1 },
    { "time", OP_TIME, 1, 2 },
    { "lower", OP_LOWER, 1, 1 },
    { "part", OP_PART, 3, 3 },
};

/* ---- values ---- */

struct value value_of_text(struct span text)
{
    double number;
    if (text.size == 0 || span_is(text, "nan") || span_is(text, "NaN"))
        return (struct value){ .kind = VALUE_MISSING };
    if (number_parse_double(text, &number) == 0)
        return (struct value){ .kind = VALUE_NUMBER, .number = number, .text = text };
    return (struct value){ .kind = VALUE_TEXT, .text = text };
}

double value_as_number(const struct value *value)
{
    return value->kind == VALUE_NUMBER ? value->number : NAN;
}

struct span value_as_text(const struct value *value, struct arena *arena)
{
    if (value->kind == VALUE_TEXT || value->text.size > 0)
        return value->text;
    char digits[DECIMAL_TEXT_MAX];
    size_t size = 0;
    if (value->kind == VALUE_NUMBER && isfinite(value->number))
        size = decimal_print_shortest(digits, value->number);
    else if (value->kind == VALUE_NUMBER)
        size = (size_t)snprintf(digits, sizeof digits, "%g", value->number);
    const char *copy = arena_dup(arena, (struct span){ digits, size });
    return span_of(copy ? copy : "");
}

bool value_is_true(const struct value *value)
{
    return value->kind == VALUE_TEXT ||
           (value->kind == VALUE_NUMBER && value->number != 0);
}

/* ---- reading ---- */

struct parser {
    struct span all, rest;
    expression_column_fn *column_fn;
    void *arg;
    struct arena *arena;
    struct err *err;
    size_t part_count;
    unsigned depth;
    bool has_units;
};

static const struct expression *parse_or(struct parser *p);

static void blanks_skip(struct parser *p)
{
    while (p->rest.size > 0 && (*p->rest.data == ' ' || *p->rest.data == '\t'))
        p->rest = span_skip(p->rest, 1);
}

static const struct expression *wanted(struct parser *p, const char *what)
{
    if (p->err && !p->err->text[0])
        (void)err_set(p->err, EINVAL, "column %zu: %s expected",
                      (size_t)(p->rest.data - p->all.data) + 1, what);
    return NULL;
}

static struct expression *part_new(struct parser *p, enum op op)
{
    struct expression *e = NULL;
    if (p->part_count < PARTS_MAX)
        e = arena_alloc(p->arena, sizeof *e);
    if (!e) {
        (void)wanted(p, "a formula of fewer parts");
        return NULL;
    }
    p->part_count++;
    e->op = op;
    e->at = (size_t)(p->rest.data - p->all.data) + 1;
    e->unit = (struct unit){ .scale = UNIT_COUNT };
    e->is_typed = p->has_units;
    return e;
}

static const struct expression *binary(struct parser *p, enum op op,
                                       const struct expression *left,
                                       const struct expression *right)
{
    struct expression *e = left && right ? part_new(p, op) : NULL;
    if (!e)
        return NULL;
    e->at = left->at;
    e->operand_count = 2;
    e->operands[0] = left;
    e->operands[1] = right;
    return e;
}

static const struct expression *unary(struct parser *p, enum op op,
                                      const struct expression *operand)
{
    struct expression *e = operand ? part_new(p, op) : NULL;
    if (!e)
        return NULL;
    e->operand_count = 1;
    e->operands[0] = operand;
    return e;
}

static bool is_name_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_' || c == '.';
}

/* A word that is not the beginning of a longer one. */
static bool word_take(struct parser *p, const char *word)
{
    size_t size = strlen(word);
    blanks_skip(p);
    if (!span_starts(p->rest, word))
        return false;
    if (is_name_byte(*word) && p->rest.size > size && is_name_byte(p->rest.data[size]))
        return false;
    p->rest = span_skip(p->rest, size);
    return true;
}

static const struct expression *parse_column(struct parser *p, struct span name)
{
    int column = p->column_fn(p->arg, name);
    if (column < 0) {
        if (p->err && !p->err->text[0])
            (void)err_set(p->err, EINVAL, "there is no column '" SPAN_FMT "'",
                          SPAN_ARG(name));
        return NULL;
    }
    struct expression *e = part_new(p, OP_COLUMN);
    if (e) {
        e->column = column;
        e->at = (size_t)(name.data - p->all.data) + 1;
    }
    return e;
}

static bool is_rate_next(const struct parser *p)
{
    return span_starts(p->rest, "/s") &&
           (p->rest.size == 2 || !is_name_byte(p->rest.data[2]));
}

/* The number that word begins with, and its unit: "64MiB"; "%" and "/s" may follow. */
static const struct expression *parse_quantity(struct parser *p, struct span word)
{
    struct unit unit = { .scale = UNIT_COUNT };
    double number = 0, factor = 1;
    size_t digits = 0;
    if (number_parse_double(word, &number) == 0)
        digits = word.size;
    while (digits < word.size &&
           (word.data[digits] == '.' ||
            (word.data[digits] >= '0' && word.data[digits] <= '9')))
        digits++;
    const struct span name = span_skip(word, digits);
    const struct span head = { word.data, digits };
    bool is_known = number_parse_double(head, &number) == 0 &&
                    (name.size == 0 || unit_of_name(name, &unit, &factor));
    if (!is_known) {
        p->rest = name;
        return wanted(p, "a unit of a number (kB MB GB TB KiB MiB GiB TiB s min h d J "
                         "kWh W kW %)");
    }
    if (name.size == 0 && span_starts(p->rest, "%")) {
        p->rest = span_skip(p->rest, 1);
        unit.scale = UNIT_SHARE;
        factor = 0.01;
    } else if (is_rate_next(p)) {
        p->rest = span_skip(p->rest, 2);
        unit.seconds = (signed char)(unit.seconds - 1);
    } else if (name.size == 0 && (number == 0 || number == 1)) {
        unit.scale = UNIT_RATIO;
    }
    struct expression *e = part_new(p, OP_NUMBER);
    if (e) {
        e->number = number * factor;
        e->unit = unit;
        e->at = (size_t)(word.data - p->all.data) + 1;
    }
    return e;
}

static const struct expression *parse_call(struct parser *p, struct span name)
{
    const struct function *f = NULL;
    for (size_t i = 0; i < COUNT_OF(functions) && !f; i++)
        if (span_is(name, functions[i].name))
            f = &functions[i];
    if (!f)
        return wanted(p, "if, min, max, abs, floor, log10, missing, contains, starts, "
                         "basename, join, lower, part, number, bytes, seconds or time "
                         "before '('");
    struct expression *e = part_new(p, f->op);
    while (e) {
        if (e->operand_count >= f->operands_max)
            return wanted(p, "fewer operands");
        const struct expression *operand = parse_or(p);
        if (!operand)
            return NULL;
        e->operands[e->operand_count++] = operand;
        if (word_take(p, ")"))
            break;
        if (!word_take(p, ","))
            return wanted(p, "',' or ')'");
    }
    return !e || e->operand_count >= f->operands_min ? e : wanted(p, "more operands");
}

static const struct expression *parse_name(struct parser *p)
{
    size_t size = 0;
    while (size < p->rest.size && is_name_byte(p->rest.data[size]))
        size++;
    struct span name = { p->rest.data, size };
    if (size == 0)
        return wanted(p, "a number, a \"text\", a column or '('");
    p->rest = span_skip(p->rest, size);
    if (word_take(p, "("))
        return parse_call(p, name);
    double number;
    if (p->has_units && *name.data >= '0' && *name.data <= '9')
        return parse_quantity(p, name);
    if (number_parse_double(name, &number) < 0)
        return parse_column(p, name);
    struct expression *e = part_new(p, OP_NUMBER);
    if (e)
        e->number = number;
    return e;
}

/* "text": up to the closing byte, nothing is special inside. */
static bool text_take(struct parser *p, struct span *ret)
{
    struct span rest = span_skip(p->rest, 1);
    struct span body;
    if (!span_cut(&rest, '"', &body)) {
        (void)wanted(p, "a closing '\"'");
        return false;
    }
    *ret = body;
    p->rest = rest;
    return true;
}

/* How many bytes of text lie before the ']' that closes a name in brackets; brackets
 * inside go in pairs, since units often stand in them.  SIZE_MAX: none closes it. */
static size_t name_size(struct span text)
{
    size_t depth = 0;
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] == '[')
            depth++;
        else if (text.data[i] == ']' && depth-- == 0)
            return i;
    }
    return SIZE_MAX;
}

bool expression_can_name(struct span name)
{
    size_t depth = 0;
    for (size_t i = 0; i < name.size; i++) {
        depth += name.data[i] == '[';
        if (name.data[i] == ']' && depth-- == 0)
            return false;
    }
    return depth == 0 && name.size > 0;
}

/* [name of a column] */
static const struct expression *parse_bracketed(struct parser *p)
{
    struct span body = span_skip(p->rest, 1);
    size_t size = name_size(body);
    if (size == SIZE_MAX)
        return wanted(p, "a closing ']'");
    p->rest = span_skip(body, size + 1);
    return parse_column(p, (struct span){ body.data, size });
}

static const struct expression *parse_primary(struct parser *p)
{
    struct span body;
    blanks_skip(p);
    char c = p->rest.size ? *p->rest.data : '\0';
    if (c == '"') {
        struct expression *e = text_take(p, &body) ? part_new(p, OP_TEXT) : NULL;
        if (e)
            e->text = body;
        return e;
    }
    if (c == '[')
        return parse_bracketed(p);
    if (c != '(')
        return parse_name(p);
    p->rest = span_skip(p->rest, 1);
    const struct expression *e = parse_or(p);
    return !e || word_take(p, ")") ? e : wanted(p, "')'");
}

static const struct expression *parse_sign(struct parser *p)
{
    if (++p->depth > DEPTH_MAX)
        return wanted(p, "a formula that is less deep");
    const struct expression *e =
        word_take(p, "-") ? unary(p, OP_NEGATE, parse_sign(p)) : parse_primary(p);
    p->depth--;
    return e;
}

static const struct expression *parse_product(struct parser *p)
{
    const struct expression *e = parse_sign(p);
    while (e) {
        if (word_take(p, "*"))
            e = binary(p, OP_MULTIPLY, e, parse_sign(p));
        else if (word_take(p, "/"))
            e = binary(p, OP_DIVIDE, e, parse_sign(p));
        else if (word_take(p, "%"))
            e = binary(p, OP_REMAINDER, e, parse_sign(p));
        else
            break;
    }
    return e;
}

static const struct expression *parse_sum(struct parser *p)
{
    const struct expression *e = parse_product(p);
    while (e) {
        if (word_take(p, "+"))
            e = binary(p, OP_ADD, e, parse_product(p));
        else if (word_take(p, "-"))
            e = binary(p, OP_SUBTRACT, e, parse_product(p));
        else
            break;
    }
    return e;
}

static const struct expression *parse_comparison(struct parser *p)
{
    static const struct {
        const char *sign;
        enum op op;
    } signs[] = {
        { "!=", OP_UNEQUAL },       { "<=", OP_LESS_EQUAL }, { "<", OP_LESS },
        { ">=", OP_GREATER_EQUAL }, { ">", OP_GREATER },     { "=", OP_EQUAL },
    };
    const struct expression *e = parse_sum(p);
    for (size_t i = 0; e && i < COUNT_OF(signs); i++)
        if (word_take(p, signs[i].sign))
            return binary(p, signs[i].op, e, parse_sum(p));
    return e;
}

static const struct expression *parse_not(struct parser *p)
{
    if (++p->depth > DEPTH_MAX)
        return wanted(p, "a formula that is less deep");
    const struct expression *e =
        word_take(p, "not") ? unary(p, OP_NOT, parse_not(p)) : parse_comparison(p);
    p->depth--;
    return e;
}

static const struct expression *parse_and(struct parser *p)
{
    const struct expression *e = parse_not(p);
    while (e && word_take(p, "and"))
        e = binary(p, OP_AND, e, parse_not(p));
    return e;
}

static const struct expression *parse_or(struct parser *p)
{
    if (++p->depth > DEPTH_MAX)
        return wanted(p, "a formula that is less deep");
    const struct expression *e = parse_and(p);
    while (e && word_take(p, "or"))
        e = binary(p, OP_OR, e, parse_and(p));
    p->depth--;
    return e;
}

static const struct expression *parse_all(struct parser *p)
{
    const struct expression *e = parse_or(p);
    blanks_skip(p);
    return e && p->rest.size > 0 ? wanted(p, "an operator or the end") : e;
}

int expression_parse_units(struct span text, expression_column_fn *column_fn, void *arg,
                           struct arena *arena, const struct expression **ret,
                           struct err *err)
{
    struct err here = { 0 };
    struct parser p = { .all = text,
                        .rest = text,
                        .column_fn = column_fn,
                        .arg = arg,
                        .arena = arena,
                        .err = &here,
                        .has_units = true };
    const struct expression *e = parse_all(&p);
    if (!e)
        return err_set(err, EINVAL, "%s", here.text);
    *ret = e;
    return 0;
}

int expression_parse(struct span text, expression_column_fn *column_fn, void *arg,
                     struct arena *arena, const struct expression **ret,
                     struct err *err)
{
    struct err here = { 0 };
    struct parser p = { .all = text,
                        .rest = text,
                        .column_fn = column_fn,
                        .arg = arg,
                        .arena = arena,
                        .err = &here };
    const struct expression *e = parse_all(&p);
    if (!e)
        return err_set(err, EINVAL, "'" SPAN_FMT "': %s", SPAN_ARG(text), here.text);
    *ret = e;
    return 0;
}

/* ---- evaluating ---- */

static int text_order(struct span a, struct span b)
{
    size_t size = a.size < b.size ? a.size : b.size;
    int order = size ? memcmp(a.data, b.data, size) : 0;
    return order ? order : (a.size > b.size) - (a.size < b.size);
}

static bool compare(enum op op, const struct value *a, const struct value *b)
{
    int order;
    if (a->kind != b->kind || a->kind == VALUE_MISSING)
        return op == OP_UNEQUAL && a->kind != VALUE_MISSING && b->kind != VALUE_MISSING;
    if (a->kind == VALUE_TEXT)
        order = text_order(a->text, b->text);
    else
        order = (a->number > b->number) - (a->number < b->number);
    switch (op) {
    case OP_EQUAL:
        return order == 0;
    case OP_UNEQUAL:
        return order != 0;
    case OP_LESS:
        return order < 0;
    case OP_LESS_EQUAL:
        return order <= 0;
    case OP_GREATER:
        return order > 0;
    default:
        return order >= 0;
    }
}

static double arithmetic(enum op op, double a, double b)
{
    switch (op) {
    case OP_ADD:
        return a + b;
    case OP_SUBTRACT:
        return a - b;
    case OP_MULTIPLY:
        return a * b;
    case OP_DIVIDE:
        return b == 0 ? NAN : a / b;
    default:
        return b == 0 ? NAN : fmod(a, b);
    }
}

/* v, which a division by zero went into where one did into its operands. */
static struct value marked(struct value v, bool is_by_zero)
{
    v.is_by_zero = v.is_by_zero || is_by_zero;
    return v;
}

/* Of those that are there, as a person means it. */
static struct value extreme(const struct expression *e, const struct value *columns,
                            struct arena *arena)
{
    double best = NAN;
    bool is_by_zero = false;
    for (size_t i = 0; i < e->operand_count; i++) {
        struct value v = expression_eval(e->operands[i], columns, arena);
        is_by_zero |= v.is_by_zero;
        double number = value_as_number(&v);
        best = e->op == OP_MIN ? fmin(best, number) : fmax(best, number);
    }
    return marked(value_number(best), is_by_zero);
}

static struct value join(const struct expression *e, const struct value *columns,
                         struct arena *arena)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    bool is_by_zero = false;
    for (size_t i = 0; i < e->operand_count; i++) {
        struct value v = expression_eval(e->operands[i], columns, arena);
        is_by_zero |= v.is_by_zero;
        strbuf_add_span(&text, value_as_text(&v, arena));
    }
    const char *copy =
        strbuf_error(&text) < 0 ? NULL : arena_dup(arena, strbuf_span(&text));
    struct value ret = { .kind = VALUE_MISSING };
    if (copy && *copy)
        ret = (struct value){ .kind = VALUE_TEXT, .text = span_of(copy) };
    return marked(ret, is_by_zero);
}

static bool contains(struct span text, struct span part, enum op op)
{
    if (part.size > text.size)
        return false;
    size_t places = op == OP_STARTS ? 1 : text.size - part.size + 1;
    for (size_t i = 0; i < places; i++)
        if (memcmp(text.data + i, part.data, part.size) == 0)
            return true;
    return false;
}

static struct value basename_of(const struct value *v)
{
    struct value ret = *v;
    for (size_t i = v->kind == VALUE_TEXT ? v->text.size : 0; i > 0; i--) {
        if (v->text.data[i - 1] != '/')
            continue;
        ret.text = span_skip(v->text, i);
        break;
    }
    return ret;
}

static struct value lower_of(struct span text, struct arena *arena)
{
    char *copy = arena_dup(arena, text);
    for (size_t i = 0; copy && i < text.size; i++)
        if (copy[i] >= 'A' && copy[i] <= 'Z')
            copy[i] = (char)(copy[i] + ('a' - 'A'));
    return copy && text.size > 0
               ? (struct value){ .kind = VALUE_TEXT, .text = { copy, text.size } }
               : (struct value){ .kind = VALUE_MISSING };
}

/* The n-th piece of a text, from 1; below 0 from its end. */
static struct value part_of(struct span text, double n, struct span separator)
{
    struct span rest = text;
    struct span piece;
    double count = 1;
    if (separator.size != 1 || n != n)
        return (struct value){ .kind = VALUE_MISSING };
    for (size_t i = 0; n < 0 && i < text.size; i++)
        count += text.data[i] == *separator.data;
    double wanted_n = n < 0 ? count + 1 + n : n;
    bool is_more = true;
    for (double i = 1; is_more; i++) {
        is_more = span_cut(&rest, *separator.data, &piece);
        if (i == wanted_n)
            return value_of_text(piece);
    }
    return (struct value){ .kind = VALUE_MISSING };
}

/* Seconds since 1970; a text without a zone is UTC. */
static struct value time_of(struct span text, struct span format, struct arena *arena)
{
    struct time_form form = { .has_zone = true };
    int64_t t_ns;
    if (format.size > 0)
        form.format = arena_dup(arena, format);
    if (time_form_parse(&form, text, &t_ns, NULL) < 0)
        return (struct value){ .kind = VALUE_MISSING };
    return value_number((double)t_ns / 1e9);
}

/* Functions of a text as people write it. */
static struct value apply_text(const struct expression *e, const struct value *columns,
                               struct arena *arena)
{
    struct value a = expression_eval(e->operands[0], columns, arena);
    struct value b = { .kind = VALUE_MISSING };
    struct span text = value_as_text(&a, arena);
    if (e->operand_count > 1)
        b = expression_eval(e->operands[1], columns, arena);
    if (a.kind == VALUE_MISSING)
        return a;
    switch (e->op) {
    case OP_NUMBER_OF:
        return value_number(quantity_number(text));
    case OP_BYTES:
        return value_number(quantity_bytes(text));
    case OP_SECONDS:
        return value_number(quantity_seconds(text));
    case OP_TIME:
        return time_of(text, value_as_text(&b, arena), arena);
    case OP_LOWER:
        return lower_of(text, arena);
    default: {
        struct value c = expression_eval(e->operands[2], columns, arena);
        struct value v = part_of(text, value_as_number(&b), value_as_text(&c, arena));
        if (e->is_typed && v.kind == VALUE_NUMBER)
            v.kind = VALUE_TEXT; /* as it was written */
        return v;
    }
    }
}

/* Functions of one number or text. */
static struct value apply(enum op op, const struct value *a)
{
    double x = value_as_number(a);
    switch (op) {
    case OP_NEGATE:
        return value_number(-x);
    case OP_NOT:
        return value_number(!value_is_true(a));
    case OP_ABS:
        return value_number(fabs(x));
    case OP_FLOOR:
        return value_number(floor(x));
    case OP_LOG10:
        return value_number(x > 0 ? log10(x) : NAN);
    case OP_MISSING:
        return value_number(a->kind == VALUE_MISSING);
    default:
        return basename_of(a);
    }
}

static struct value eval_two(const struct expression *e, const struct value *columns,
                             struct arena *arena)
{
    struct value a = expression_eval(e->operands[0], columns, arena);
    if (e->op == OP_AND && !value_is_true(&a))
        return marked(value_number(0), a.is_by_zero);
    if (e->op == OP_OR && value_is_true(&a))
        return value_number(1);
    struct value b = expression_eval(e->operands[1], columns, arena);
    bool is_by_zero = a.is_by_zero || b.is_by_zero;
    switch (e->op) {
    case OP_AND:
    case OP_OR:
        return marked(value_number(value_is_true(&b)), is_by_zero);
    case OP_CONTAINS:
    case OP_STARTS:
        return marked(value_number(contains(value_as_text(&a, arena),
                                            value_as_text(&b, arena), e->op)),
                      is_by_zero);
    case OP_ADD:
    case OP_SUBTRACT:
    case OP_MULTIPLY:
        return marked(
            value_number(arithmetic(e->op, value_as_number(&a), value_as_number(&b))),
            is_by_zero);
    case OP_DIVIDE:
    case OP_REMAINDER:
        is_by_zero |=
            value_as_number(&a) == value_as_number(&a) && value_as_number(&b) == 0;
        return marked(
            value_number(arithmetic(e->op, value_as_number(&a), value_as_number(&b))),
            is_by_zero);
    default:
        return marked(value_number(compare(e->op, &a, &b)), is_by_zero);
    }
}

struct value expression_eval(const struct expression *e, const struct value *columns,
                             struct arena *arena)
{
    struct value a;
    switch (e->op) {
    case OP_NUMBER:
        return value_number(e->number);
    case OP_TEXT:
        return (struct value){ .kind = VALUE_TEXT, .text = e->text };
    case OP_COLUMN:
        return columns[e->column];
    case OP_MIN:
    case OP_MAX:
        return extreme(e, columns, arena);
    case OP_JOIN:
        return join(e, columns, arena);
    case OP_NUMBER_OF:
    case OP_BYTES:
    case OP_SECONDS:
    case OP_TIME:
    case OP_LOWER:
    case OP_PART:
        return apply_text(e, columns, arena);
    case OP_IF:
        a = expression_eval(e->operands[0], columns, arena);
        return marked(
            expression_eval(e->operands[value_is_true(&a) ? 1 : 2], columns, arena),
            a.is_by_zero);
    default:
        if (e->operand_count == 2)
            return eval_two(e, columns, arena);
        a = expression_eval(e->operands[0], columns, arena);
        return marked(apply(e->op, &a), a.is_by_zero);
    }
}

bool expression_is_true(const struct expression *e, const struct value *columns,
                        struct arena *arena)
{
    struct value v = expression_eval(e, columns, arena);
    return value_is_true(&v);
}
