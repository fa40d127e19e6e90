/* SPDX-License-Identifier: Apache-2.0 */
/* test_parser - expressions to trees: what they mean, what is refused and where. */
#include "base/span.h"
#include "promql/syntax/syntax.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* The tree with a bracket around each operator, so that its shape can be read. */
static void print_shape(struct strbuf *out, const struct expr *e)
{
    if (e->kind == EXPR_BINARY) {
        strbuf_addc(out, '[');
        print_shape(out, e->binary.left);
        strbuf_addf(out, " %s ", operation_text(e->binary.operation));
        print_shape(out, e->binary.right);
        strbuf_addc(out, ']');
    } else if (e->kind == EXPR_UNARY) {
        strbuf_addc(out, e->unary.is_minus ? '~' : '+');
        print_shape(out, e->unary.inner);
    } else if (e->kind == EXPR_PAREN) {
        print_shape(out, e->inner);
    } else {
        format_add_line(out, e);
    }
}

static void operators_bind_as_prometheus_has_it(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        { "1 + 2 * 3", "[1 + [2 * 3]]" },
        { "1 - 2 - 3", "[[1 - 2] - 3]" },
        { "2 ^ 3 ^ 4", "[2 ^ [3 ^ 4]]" },
        { "a ^ b * c", "[[a ^ b] * c]" },
        { "-a ^ b", "~[a ^ b]" },
        { "-a * b", "[~a * b]" },
        { "-1", "-1" },
        { "2 ^ -1", "[2 ^ -1]" },
        { "a == b + c", "[a == [b + c]]" },
        { "a or b and c unless d", "[a or [[b and c] unless d]]" },
        { "a and b > c", "[a and [b > c]]" },
        { "a atan2 b % c", "[[a atan2 b] % c]" },
        { "a AND b", "[a and b]" },
        { "(a or b) and c", "[[a or b] and c]" },
        { "+a", "+a" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(arena_done) struct arena arena;
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        struct err err = { "" };
        const struct expr *e = NULL;
        arena_init(&arena, 0);
        if (promql_parse(span_of(cases[i][0]), &arena, &e, &err) < 0)
            fail_msg("%s: %s", cases[i][0], err.text);
        print_shape(&out, e);
        if (strcmp(strbuf_text(&out), cases[i][1]) != 0)
            fail_msg("%s: got %s, want %s", cases[i][0], strbuf_text(&out),
                     cases[i][1]);
    }
}

static void text_is_printed_in_one_form(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        { "sum(x)by(a,b)", "sum by (a, b) (x)" },
        { "sum without(a)(x)", "sum without (a) (x)" },
        { "topk(3,x)", "topk(3, x)" },
        { "x{b='1',a!=\"2\",}", "x{a!=\"2\",b=\"1\"}" },
        { "{__name__='x'}[90s] offset -1h", "{__name__=\"x\"}[1m30s] offset -1h" },
        { "x[1h:]@5 offset 1d", "x[1h:] @ 5.000 offset 1d" },
        { "x[1h:30s] @ end()", "x[1h:30s] @ end()" },
        { "x @ start()", "x @ start()" },
        { "x @ -1.5", "x @ -1.500" },
        { "a*on(b)group_left(c)d", "a * on (b) group_left (c) d" },
        { "a*ignoring(b)group_right d", "a * ignoring (b) group_right () d" },
        { "a> bool 1", "a > bool 1" },
        { "rate(x[5m])#comment", "rate(x[5m])" },
        { "\"a\\n'\\x01\"", "\"a\\n'\\x01\"" },
        { "`a\\`", "\"a\\\\\"" },
        { "0x1F", "31" },
        { "010", "8" },
        { "1e-5", "1e-05" },
        { "1234567", "1.234567e+06" },
        { "inf", "+Inf" },
        { "0 ^inf^ 0", "0 ^ Inf ^ 0" },
        { "NaN", "NaN" },
        { "x[1w1d]", "x[8d]" },
        { "x[1y]", "x[1y]" },
        { "x[1001ms]", "x[1s1ms]" },
        { "sum", "sum" },
        { "by{offset='a'}", "by{offset=\"a\"}" },
        { "a:b", "a:b" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(arena_done) struct arena arena;
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        struct err err = { "" };
        const struct expr *e = NULL;
        arena_init(&arena, 0);
        if (promql_parse(span_of(cases[i][0]), &arena, &e, &err) < 0)
            fail_msg("%s: %s", cases[i][0], err.text);
        format_add(&out, e);
        if (strcmp(strbuf_text(&out), cases[i][1]) != 0)
            fail_msg("%s: got %s, want %s", cases[i][0], strbuf_text(&out),
                     cases[i][1]);
    }
}

static void long_expressions_are_broken_at_their_operands(void **state)
{
    (void)state;
    AUTO(arena_done) struct arena arena;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    const struct expr *e = NULL;
    arena_init(&arena, 0);
    static const char text[] =
        "-(quantile by (label_one) (0.5, label_replace(metric_name_one{a=\"b\"}, "
        "\"destination\", \"replacement\", \"source\", \"regex\")) + on (x) y[5m:1m] "
        "offset 1m)";
    assert_int_equal(promql_parse(SPAN("sum(a) + sum(b)"), &arena, &e, NULL), 0);
    format_add(&out, e);
    assert_string_equal(strbuf_text(&out), "sum(a) + sum(b)");
    assert_int_equal(promql_parse(span_of(text), &arena, &e, NULL), -EINVAL);
    AUTO(strbuf_done) struct strbuf good = STRBUF_INIT;
    strbuf_add(&good, text, strlen(text) - strlen("[5m:1m] offset 1m)"));
    strbuf_addc(&good, ')');
    assert_int_equal(promql_parse(strbuf_span(&good), &arena, &e, NULL), 0);
    strbuf_clear(&out);
    format_add(&out, e);
    assert_string_equal(
        strbuf_text(&out),
        "-(\n    quantile by (label_one) (\n      0.5,\n      label_replace("
        "metric_name_one{a=\"b\"}, \"destination\", \"replacement\", \"source\", "
        "\"regex\")\n    )\n  + on (x)\n    y\n)");
}

/* Text, and a part of the error. */
static const char *const mistakes[][2] = {
    { "", "1:1: parse error: no expression" },
    { "  \n sum(", "2:6: parse error: unexpected end" },
    { "a b", "1:3: parse error: unexpected 'b': an operator" },
    { "a + ", "1:5" },
    { "(a", "')' was expected" },
    { "a)", "unexpected ')'" },
    { "a{b=c}", "a string was expected" },
    { "a{b}", "one of = != =~ !~" },
    { "a{1=\"\"}", "unexpected character" },
    { "a{b=\"c\" d=\"e\"}", "',' was expected" },
    { "a{b=~\"(\"}", "1:6: parse error: bad regular expression" },
    { "{}", "not every series" },
    { "{a=~\".*\"}", "not every series" },
    { "x{__name__=\"y\"}", "the metric's name stands there twice" },
    { "a[5]", "no unit" },
    { "a[0s]", "greater than 0" },
    { "a[5x]", "bad number or length of time" },
    { "a[30m1h]", "bad number" },
    { "a[99999999999999y]", "too long" },
    { "a[5m", "':' was expected" },
    { "a[5m][5m]", "may only follow an instant vector selector" },
    { "(a)[5m]", "may only follow an instant vector selector" },
    { "a offset 5m[5m]", "come after the range" },
    { "sum(a) offset 5m", "may only follow a selector" },
    { "a offset 5m offset 5m", "only once" },
    { "a @ 1 @ 2", "only once" },
    { "a @ b", "a time in seconds" },
    { "a @ 1e300", "out of range" },
    { "a offset x", "a length of time" },
    { "1 > 2", "needs bool" },
    { "1 + bool 2", "bool may only follow a comparison" },
    { "1 and a", "not scalars" },
    { "1 + on(a) b", "on both sides" },
    { "a and on(b) group_left c", "no group_left" },
    { "a + on(b) group_left(b) c", "leave it out of the group" },
    { "a + on(b:c) d", "the name of a label" },
    { "a + \"b\"", "not a string" },
    { "-\"a\"", "a sign needs" },
    { "a[5m] + 1", "not a range vector" },
    { "sum(1)", "needs an instant vector" },
    { "sum(a, b)", "sum() has 1 argument, not 2" },
    { "topk(a)", "topk() has 2 arguments, not 1" },
    { "topk(\"a\", b)", "the parameter of topk() is a scalar" },
    { "count_values(1, b)", "the parameter of count_values() is a string" },
    { "rate(a)", "add a range such as [5m]" },
    { "rate(a[5m],)", "missing behind the comma" },
    { "time(1)", "at most 0 arguments" },
    { "clamp(a)", "at least 3 arguments" },
    { "nothing(a)", "unknown function 'nothing'" },
    { "histogram_sum(a)", "native histograms are not supported" },
    { "1[5m:]", "a subquery needs" },
    { "on", "keyword" },
    { "group_left{a=\"b\"}", "keyword" },
    { "\"abc", "unterminated string" },
    { "'a\nb'", "unterminated string" },
    { "\"\\q\"", "unknown escape" },
    { "\"\\xg0\"", "unknown escape" },
    { "\"\\ud800\"", "unknown escape" },
    { "1_000", "bad number" },
    { "1.5m", "bad number" },
    { "a ! b", "unexpected character '!'" },
    { "a \x01", "byte 0x01" },
    { "a = b", "an operator or the end" },
};

static void mistakes_are_refused_with_their_position(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(mistakes); i++) {
        AUTO(arena_done) struct arena arena;
        struct err err = { "" };
        const struct expr *e = NULL;
        arena_init(&arena, 0);
        int rc = promql_parse(span_of(mistakes[i][0]), &arena, &e, &err);
        if (rc != -EINVAL || e || !strstr(err.text, mistakes[i][1]))
            fail_msg("%s: got %d %s, want %s", mistakes[i][0], rc, err.text,
                     mistakes[i][1]);
    }
}

static void depth_length_and_memory_have_limits(void **state)
{
    (void)state;
    static const char *const parts[] = { "(", "-", "abs(", "1 + ", "2 ^ ", "a or " };
    for (size_t i = 0; i < COUNT_OF(parts); i++) {
        AUTO(arena_done) struct arena arena;
        AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
        struct err err = { "" };
        const struct expr *e = NULL;
        arena_init(&arena, 0);
        for (size_t n = 0; n < 10000; n++)
            strbuf_adds(&text, parts[i]);
        assert_int_equal(promql_parse(strbuf_span(&text), &arena, &e, &err), -EINVAL);
        if (!strstr(err.text, "nested"))
            fail_msg("%s: %s", parts[i], err.text);
    }
    AUTO(arena_done) struct arena small;
    const struct expr *e = NULL;
    struct err err = { "" };
    arena_init(&small, 100);
    assert_int_equal(promql_parse(SPAN("a + b"), &small, &e, &err), -ENOMEM);
    AUTO_FREE char *text = malloc(EXPR_TEXT_MAX + 1);
    assert_non_null(text);
    memset(text, ' ', EXPR_TEXT_MAX + 1);
    assert_int_equal(
        promql_parse((struct span){ text, EXPR_TEXT_MAX + 1 }, &small, &e, &err),
        -EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operators_bind_as_prometheus_has_it),
        cmocka_unit_test(text_is_printed_in_one_form),
        cmocka_unit_test(long_expressions_are_broken_at_their_operands),
        cmocka_unit_test(mistakes_are_refused_with_their_position),
        cmocka_unit_test(depth_length_and_memory_have_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
