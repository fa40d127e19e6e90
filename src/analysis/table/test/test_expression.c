/* SPDX-License-Identifier: Apache-2.0 */
/* test_expression - formulas and their values. */
#include "analysis/table/table.h"
#include "base/span.h"
#include "base/test/testing.h"

#include <math.h>

static const char *const names[] = { "two",  "three",    "path",
                                     "none", "odd name", "write [GiB/s]" };

static int column_of(void *arg, struct span name)
{
    (void)arg;
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (span_is(name, names[i]))
            return (int)i;
    return -ENOENT;
}

static struct value eval(const char *text, struct arena *arena)
{
    const struct value columns[] = {
        value_number(2),
        value_number(3),
        { .kind = VALUE_TEXT, .text = SPAN("/apps/bin/ior") },
        value_of_text(SPAN("")),
        value_number(7),
        value_number(65),
    };
    const struct expression *e = NULL;
    struct err err = { 0 };
    if (expression_parse(span_of(text), column_of, NULL, arena, &e, &err) < 0)
        fail_msg("%s: %s", text, err.text);
    return expression_eval(e, columns, arena);
}

static void formulas_have_the_values_of_their_grammar(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
    } cases[] = {
        { "1 + 2 * 3", 7 },
        { "(1 + 2) * 3", 9 },
        { "two - three - 1", -2 },
        { "-two * -three", 6 },
        { "8 / 2 / 2", 2 },
        { "17 % 5", 2 },
        { "1.5e3", 1500 },
        { "two < three and not two = three", 1 },
        { "1 or 0 and 0", 1 },
        { "not 1 = 2", 1 },
        { "if(two > three, 10, 20)", 20 },
        { "max(two, three, none)", 3 },
        { "min(two, 1)", 1 },
        { "abs(-4) + floor(2.7) + log10(1000)", 9 },
        { "log10(0.01)", -2 },
        { "missing(none) + missing(two)", 1 },
        { "contains(path, \"bin\")", 1 },
        { "starts(path, \"bin\")", 0 },
        { "basename(path) = \"ior\"", 1 },
        { "path != \"x\"", 1 },
        { "[odd name] + [write [GiB/s]]", 72 },
        { "join(basename(path), \"_\", two) = \"ior_2\"", 1 },
        { "[odd name] + two", 9 },
        { "none > 1", 0 },
        { "none = none", 0 },
        { "not none > 1", 1 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(arena_done) struct arena arena;
        arena_init(&arena, 0);
        struct value v = eval(cases[i].text, &arena);
        if (v.kind != VALUE_NUMBER || fabs(v.number - cases[i].value) > 1e-12)
            fail_msg("%s is %g", cases[i].text, v.number);
    }
}

static void what_is_missing_spreads(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "none + 1", "1 / 0",     "5 % 0",    "none",       "-none",
        "path * 2", "max(none)", "log10(0)", "join(none)", "if(none, 1, none)"
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(arena_done) struct arena arena;
        arena_init(&arena, 0);
        struct value v = eval(cases[i], &arena);
        if (v.kind != VALUE_MISSING)
            fail_msg("%s is there", cases[i]);
    }
}

/* Also where what came of it is not missing: a comparison is false then. */
static void a_division_by_zero_is_seen_in_all_that_it_went_into(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool is_by_zero;
    } cases[] = {
        { "1 / 0", true },
        { "5 % 0 + 1", true },
        { "two / (three - 3) > 5", true },
        { "not two / 0 > 5", true },
        { "max(1 / 0, two)", true },
        { "if(1 / 0 > 1, two, three)", true },
        { "missing(1 / 0)", true },
        { "join(path, 1 / 0)", true },
        { "1 / 0 > 1 or two = 2", true },
        { "two = 2 or 1 / 0 > 1", false }, /* it is not come to */
        { "two = 3 and 1 / 0 > 1", false },
        { "if(three = 3, two, 1 / 0)", false },
        { "none / 0", false }, /* missing anyway */
        { "0 / two", false },
        { "1 / none", false },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct arena arena;
        arena_init(&arena, 0);
        struct value v = eval(cases[i].text, &arena);
        if (v.is_by_zero != cases[i].is_by_zero)
            fail_msg("%s", cases[i].text);
        arena_done(&arena);
    }
}

static void a_wrong_formula_says_where_and_what(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } cases[] = {
        { "1 +", "column 4" },
        { "(1", "')' expected" },
        { "absent", "no column 'absent'" },
        { "two three", "an operator or the end" },
        { "sin(1)", "before '('" },
        { "if(1, 2)", "more operands" },
        { "abs(1, 2)", "fewer operands" },
        { "\"open", "closing" },
        { "[open", "closing" },
        { "[write [GiB/s]", "closing" },
        { "", "a number" },
        { "1 = 2 = 3", "an operator or the end" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(arena_done) struct arena arena;
        const struct expression *e = NULL;
        struct err err = { 0 };
        arena_init(&arena, 0);
        assert_int_equal(
            expression_parse(span_of(cases[i].text), column_of, NULL, &arena, &e, &err),
            -EINVAL);
        if (!strstr(err.text, cases[i].says))
            fail_msg("%s: %s", cases[i].text, err.text);
        assert_int_equal(
            expression_parse(span_of(cases[i].text), column_of, NULL, &arena, &e, NULL),
            -EINVAL);
    }
}

static void depth_and_length_have_an_end(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf deep = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf wide = STRBUF_INIT;
    AUTO(arena_done) struct arena arena;
    const struct expression *e = NULL;
    arena_init(&arena, 0);
    for (int i = 0; i < 10000; i++) {
        strbuf_adds(&deep, i % 2 ? "(" : "-not ");
        strbuf_adds(&wide, "1+");
    }
    strbuf_adds(&wide, "1");
    assert_int_equal(
        expression_parse(strbuf_span(&deep), column_of, NULL, &arena, &e, NULL),
        -EINVAL);
    assert_int_equal(
        expression_parse(strbuf_span(&wide), column_of, NULL, &arena, &e, NULL),
        -EINVAL);
}

static void names_in_brackets_have_theirs_in_pairs(void **state)
{
    (void)state;
    assert_true(expression_can_name(SPAN("a b")));
    assert_true(expression_can_name(SPAN("write [GiB/s]")));
    assert_true(expression_can_name(SPAN("[a][b[c]]")));
    assert_false(expression_can_name(SPAN("a]")));
    assert_false(expression_can_name(SPAN("[a")));
    assert_false(expression_can_name(SPAN("]a[")));
    assert_false(expression_can_name(SPAN("")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formulas_have_the_values_of_their_grammar),
        cmocka_unit_test(what_is_missing_spreads),
        cmocka_unit_test(a_division_by_zero_is_seen_in_all_that_it_went_into),
        cmocka_unit_test(a_wrong_formula_says_where_and_what),
        cmocka_unit_test(depth_and_length_have_an_end),
        cmocka_unit_test(names_in_brackets_have_theirs_in_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
