/* SPDX-License-Identifier: Apache-2.0 */
/* format - an expression as text. */
#include "promql/syntax/format.h"

#include "base/cleanup.h"
#include "base/span.h"
#include "promql/syntax/float_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static void add_quoted(struct strbuf *out, struct span text)
{
    strbuf_addc(out, '"');
    for (size_t i = 0; i < text.size; i++) {
        static const char names[] = "abfnrtv", values[] = "\a\b\f\n\r\t\v";
        char c = text.data[i];
        const char *value = c ? strchr(values, c) : NULL;
        if (c == '"' || c == '\\')
            strbuf_addf(out, "\\%c", c);
        else if (value)
            strbuf_addf(out, "\\%c", names[value - values]);
        else if ((unsigned char)c < 32 || c == 127)
            strbuf_addf(out, "\\x%02x", (unsigned char)c);
        else
            strbuf_addc(out, c);
    }
    strbuf_addc(out, '"');
}

/* The largest units first; years, weeks and days only where nothing remains. */
static void add_duration(struct strbuf *out, int64_t ms)
{
    static const struct {
        const char *unit;
        int64_t ms;
        bool is_exact;
    } units[] = {
        { "y", 31536000000, true }, { "w", 604800000, true }, { "d", 86400000, true },
        { "h", 3600000, false },    { "m", 60000, false },    { "s", 1000, false },
        { "ms", 1, false },
    };
    for (size_t i = 0; i < COUNT_OF(units); i++) {
        if (ms < units[i].ms || (units[i].is_exact && ms % units[i].ms != 0))
            continue;
        strbuf_addf(out, "%" PRId64 "%s", ms / units[i].ms, units[i].unit);
        ms %= units[i].ms;
    }
}

static void add_shift(struct strbuf *out, const struct time_shift *shift)
{
    if (shift->anchor == ANCHOR_TIME)
        strbuf_addf(out, " @ %s%" PRId64 ".%03d", shift->anchor_ms < 0 ? "-" : "",
                    (shift->anchor_ms < 0 ? -shift->anchor_ms : shift->anchor_ms) /
                        1000,
                    (int)(shift->anchor_ms < 0 ? -(shift->anchor_ms % 1000)
                                               : shift->anchor_ms % 1000));
    else if (shift->anchor)
        strbuf_adds(out, shift->anchor == ANCHOR_START ? " @ start()" : " @ end()");
    if (shift->offset_ms == 0)
        return;
    strbuf_adds(out, shift->offset_ms < 0 ? " offset -" : " offset ");
    add_duration(out, shift->offset_ms < 0 ? -shift->offset_ms : shift->offset_ms);
}

static void add_matcher(struct strbuf *out, const struct matcher *matcher)
{
    strbuf_add_span(out, matcher->name);
    strbuf_adds(out, matcher_kind_text(matcher->kind));
    add_quoted(out, matcher->value);
}

static int compare_matchers(const void *a, const void *b)
{
    AUTO(strbuf_done) struct strbuf x = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf y = STRBUF_INIT;
    add_matcher(&x, a);
    add_matcher(&y, b);
    return strcmp(strbuf_text(&x), strbuf_text(&y));
}

/* In the order of their texts. */
static void add_matchers(struct strbuf *out, const struct matcher *matchers,
                         size_t count)
{
    AUTO_FREE struct matcher *sorted = calloc(count, sizeof *sorted);
    if (!sorted) {
        out->error = -ENOMEM;
        return;
    }
    memcpy(sorted, matchers, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_matchers);
    strbuf_addc(out, '{');
    for (size_t i = 0; i < count; i++) {
        strbuf_adds(out, i ? "," : "");
        add_matcher(out, &sorted[i]);
    }
    strbuf_addc(out, '}');
}

static void add_selector(struct strbuf *out, const struct expr_selector *s)
{
    size_t count = s->matcher_count - (s->metric.size > 0);
    strbuf_add_span(out, s->metric);
    if (count > 0)
        add_matchers(out, s->matchers, count);
    if (s->range_ms) {
        strbuf_addc(out, '[');
        add_duration(out, s->range_ms);
        strbuf_addc(out, ']');
    }
    add_shift(out, &s->shift);
}

static void add_subquery_suffix(struct strbuf *out, const struct expr_subquery *s)
{
    strbuf_addc(out, '[');
    add_duration(out, s->range_ms);
    strbuf_addc(out, ':');
    if (s->step_ms)
        add_duration(out, s->step_ms);
    strbuf_addc(out, ']');
    add_shift(out, &s->shift);
}

static void add_names(struct strbuf *out, const char *before,
                      const struct label_names *names)
{
    strbuf_addf(out, "%s(", before);
    for (size_t i = 0; i < names->count; i++) {
        strbuf_adds(out, i ? ", " : "");
        strbuf_add_span(out, names->names[i]);
    }
    strbuf_addc(out, ')');
}

static void add_aggregation(struct strbuf *out, const struct expr_aggregate *a)
{
    strbuf_adds(out, aggregator_text(a->aggregator));
    if (!a->is_without && a->grouping.count == 0)
        return;
    add_names(out, a->is_without ? " without " : " by ", &a->grouping);
    strbuf_addc(out, ' ');
}

static void add_operator(struct strbuf *out, const struct expr_binary *b)
{
    strbuf_adds(out, operation_text(b->operation));
    strbuf_adds(out, b->returns_bool ? " bool" : "");
    bool is_matched = b->left->type == TYPE_VECTOR && b->right->type == TYPE_VECTOR;
    if (!is_matched || (b->matching.count == 0 && !b->is_on))
        return;
    add_names(out, b->is_on ? " on " : " ignoring ", &b->matching);
    if (b->cardinality == MANY_TO_ONE)
        add_names(out, " group_left ", &b->include);
    else if (b->cardinality == ONE_TO_MANY)
        add_names(out, " group_right ", &b->include);
}

static void add_arguments(struct strbuf *out, const struct expr_call *call)
{
    for (size_t i = 0; i < call->argument_count; i++) {
        strbuf_adds(out, i ? ", " : "");
        format_add_line(out, call->arguments[i]);
    }
}

/* +Inf ^ 2 would be read as a sign before Inf ^ 2. */
static void add_left(struct strbuf *out, const struct expr_binary *b)
{
    if (b->operation == OPERATION_POW && b->left->kind == EXPR_NUMBER &&
        isinf(b->left->number))
        strbuf_adds(out, "Inf");
    else
        format_add_line(out, b->left);
}

static void add_operands(struct strbuf *out, const struct expr *e)
{
    if (e->kind == EXPR_BINARY) {
        add_left(out, &e->binary);
        strbuf_addc(out, ' ');
        add_operator(out, &e->binary);
        strbuf_addc(out, ' ');
        format_add_line(out, e->binary.right);
        return;
    }
    if (e->kind == EXPR_AGGREGATE) {
        add_aggregation(out, &e->aggregate);
        strbuf_addc(out, '(');
        if (e->aggregate.parameter) {
            format_add_line(out, e->aggregate.parameter);
            strbuf_adds(out, ", ");
        }
        format_add_line(out, e->aggregate.inner);
    } else {
        strbuf_addf(out, "%s(", e->call.function->name);
        add_arguments(out, &e->call);
    }
    strbuf_addc(out, ')');
}

void format_add_line(struct strbuf *out, const struct expr *e)
{
    switch (e->kind) {
    case EXPR_NUMBER:
        float_text_add_short(out, e->number);
        return;
    case EXPR_STRING:
        add_quoted(out, e->string);
        return;
    case EXPR_SELECTOR:
        add_selector(out, &e->selector);
        return;
    case EXPR_SUBQUERY:
        format_add_line(out, e->subquery.inner);
        add_subquery_suffix(out, &e->subquery);
        return;
    case EXPR_PAREN:
        strbuf_addc(out, '(');
        format_add_line(out, e->inner);
        strbuf_addc(out, ')');
        return;
    case EXPR_UNARY:
        strbuf_addc(out, e->unary.is_minus ? '-' : '+');
        format_add_line(out, e->unary.inner);
        return;
    default:
        add_operands(out, e);
    }
}

static void add_indent(struct strbuf *out, unsigned level)
{
    for (unsigned i = 0; i < level; i++)
        strbuf_adds(out, "  ");
}

static void add_broken(struct strbuf *out, const struct expr *e, unsigned level);

/* What stands within brackets, each part on lines of its own. */
static void add_broken_list(struct strbuf *out, const struct expr *const *parts,
                            size_t count, unsigned level)
{
    strbuf_adds(out, "(\n");
    for (size_t i = 0; i < count; i++) {
        add_broken(out, parts[i], level + 1);
        strbuf_adds(out, i + 1 < count ? ",\n" : "\n");
    }
    add_indent(out, level);
    strbuf_addc(out, ')');
}

static void add_broken_aggregate(struct strbuf *out, const struct expr_aggregate *a,
                                 unsigned level)
{
    const struct expr *parts[2] = { a->inner };
    size_t count = 0;
    if (a->parameter)
        parts[count++] = a->parameter;
    parts[count++] = a->inner;
    add_aggregation(out, a);
    add_broken_list(out, parts, count, level);
}

static void add_broken_binary(struct strbuf *out, const struct expr_binary *b,
                              unsigned level)
{
    if (b->left->kind == EXPR_NUMBER) {
        add_indent(out, level + 1);
        add_left(out, b);
    } else {
        add_broken(out, b->left, level + 1);
    }
    strbuf_addc(out, '\n');
    add_indent(out, level);
    add_operator(out, b);
    strbuf_addc(out, '\n');
    add_broken(out, b->right, level + 1);
}

/* Without its own indent, which the caller has written. */
static void add_broken_inside(struct strbuf *out, const struct expr *e, unsigned level)
{
    switch (e->kind) {
    case EXPR_AGGREGATE:
        add_broken_aggregate(out, &e->aggregate, level);
        return;
    case EXPR_CALL:
        strbuf_adds(out, e->call.function->name);
        add_broken_list(out, e->call.arguments, e->call.argument_count, level);
        return;
    case EXPR_PAREN:
        add_broken_list(out, &e->inner, 1, level);
        return;
    default:
        format_add_line(out, e);
    }
}

static void add_broken(struct strbuf *out, const struct expr *e, unsigned level)
{
    AUTO(strbuf_done) struct strbuf line = STRBUF_INIT;
    format_add_line(&line, e);
    if (line.size <= FORMAT_COLUMNS) {
        /* Prometheus does not indent a subquery that fits. */
        add_indent(out, e->kind == EXPR_SUBQUERY ? 0 : level);
        strbuf_add_span(out, strbuf_span(&line));
    } else if (e->kind == EXPR_BINARY) {
        add_broken_binary(out, &e->binary, level);
    } else if (e->kind == EXPR_SUBQUERY) {
        add_broken(out, e->subquery.inner, level);
        add_subquery_suffix(out, &e->subquery);
    } else if (e->kind == EXPR_UNARY) {
        AUTO(strbuf_done) struct strbuf inner = STRBUF_INIT;
        add_broken(&inner, e->unary.inner, level);
        add_indent(out, level);
        strbuf_addc(out, e->unary.is_minus ? '-' : '+');
        strbuf_add_span(out, span_trim(strbuf_span(&inner)));
    } else {
        add_indent(out, level);
        add_broken_inside(out, e, level);
    }
}

void format_add(struct strbuf *out, const struct expr *e)
{
    add_broken(out, e, 0);
}
