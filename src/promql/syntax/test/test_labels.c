/* SPDX-License-Identifier: Apache-2.0 */
/* test_labels - sets of labels: order, keys, reduction, changes. */
#include "base/span.h"
#include "promql/syntax/syntax.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static const struct label pairs[] = { { SPAN("b"), SPAN("2") },
                                      { SPAN("__name__"), SPAN("x") },
                                      { SPAN("empty"), SPAN("") },
                                      { SPAN("a"), SPAN("1") } };

static void printed(const struct labels *labels, const char *want)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    labels_print(&out, labels);
    assert_string_equal(strbuf_text(&out), want);
}

static void a_copy_is_sorted_and_has_no_empty_values(void **state)
{
    (void)state;
    AUTO(arena_done) struct arena arena;
    struct labels labels, other;
    const struct label twice[] = { pairs[0], pairs[0] };
    arena_init(&arena, 0);
    assert_int_equal(labels_copy(&arena, &(struct labels){ 4, pairs }, &labels), 0);
    printed(&labels, "{__name__=\"x\", a=\"1\", b=\"2\"}");
    assert_true(span_is(labels_get(&labels, SPAN("b")), "2"));
    assert_int_equal(labels_get(&labels, SPAN("empty")).size, 0);
    assert_int_equal(labels_copy(&arena, &(struct labels){ 2, twice }, &other),
                     -EINVAL);
    assert_int_equal(
        labels_copy(&arena, &(struct labels){ LABELS_MAX + 1, pairs }, &other),
        -EINVAL);
    arena.bytes_max = arena.used_bytes;
    assert_int_equal(labels_copy(&arena, &labels, &other), -ENOMEM);
}

static void labels_are_set_replaced_and_removed(void **state)
{
    (void)state;
    AUTO(arena_done) struct arena arena;
    struct labels labels, changed;
    arena_init(&arena, 0);
    assert_int_equal(labels_copy(&arena, &(struct labels){ 4, pairs }, &labels), 0);
    static const struct {
        struct label pair;
        const char *want;
    } cases[] = {
        { { SPAN("a"), SPAN("9") }, "{__name__=\"x\", a=\"9\", b=\"2\"}" },
        { { SPAN("a"), SPAN("") }, "{__name__=\"x\", b=\"2\"}" },
        { { SPAN("aa"), SPAN("\"\\\n") },
          "{__name__=\"x\", a=\"1\", aa=\"\\\"\\\\\\n\", b=\"2\"}" },
        { { SPAN("c"), SPAN("3") }, "{__name__=\"x\", a=\"1\", b=\"2\", c=\"3\"}" },
        { { SPAN("none"), SPAN("") }, "{__name__=\"x\", a=\"1\", b=\"2\"}" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        assert_int_equal(labels_set(&arena, &labels, cases[i].pair, &changed), 0);
        printed(&changed, cases[i].want);
    }
    assert_int_equal(labels_drop_metric_name(&arena, &labels, &changed), 0);
    printed(&changed, "{a=\"1\", b=\"2\"}");
}

static void a_reduced_key_is_that_of_the_reduced_set(void **state)
{
    (void)state;
    AUTO(arena_done) struct arena arena;
    const struct span listed[] = { SPAN("a"), SPAN("other") };
    const struct label_names names = { 2, listed };
    struct labels labels, reduced;
    arena_init(&arena, 0);
    assert_int_equal(labels_copy(&arena, &(struct labels){ 4, pairs }, &labels), 0);
    for (enum labels_mode mode = LABELS_ONLY; mode <= LABELS_EXCEPT; mode++) {
        AUTO(strbuf_done) struct strbuf one = STRBUF_INIT;
        AUTO(strbuf_done) struct strbuf two = STRBUF_INIT;
        assert_int_equal(labels_reduce(&arena, &labels, mode, &names, &reduced), 0);
        printed(&reduced, mode == LABELS_ONLY ? "{a=\"1\"}" : "{b=\"2\"}");
        labels_add_key(&one, &reduced);
        labels_add_reduced_key(&two, &labels, mode, &names);
        assert_true(span_eq(strbuf_span(&one), strbuf_span(&two)));
    }
}

static void sets_have_an_order(void **state)
{
    (void)state;
    static const struct label a1 = { SPAN("a"), SPAN("1") },
                              a2 = { SPAN("a"), SPAN("2") };
    static const struct label b1 = { SPAN("b"), SPAN("1") };
    const struct label both[] = { a1, b1 };
    const struct labels sets[] = {
        { 0, NULL }, { 1, &a1 }, { 2, both }, { 1, &a2 }, { 1, &b1 }
    };
    for (size_t i = 0; i < COUNT_OF(sets); i++)
        for (size_t n = 0; n < COUNT_OF(sets); n++) {
            int order = labels_compare(&sets[i], &sets[n]);
            assert_int_equal((order > 0) - (order < 0), (i > n) - (i < n));
        }
}

static void names_are_checked(void **state)
{
    (void)state;
    assert_true(label_name_is_valid(SPAN("_a1")));
    assert_false(label_name_is_valid(SPAN("1a")));
    assert_false(label_name_is_valid(SPAN("a:b")));
    assert_false(label_name_is_valid(SPAN("")));
    assert_true(metric_name_is_valid(SPAN("a:b")));
    assert_false(metric_name_is_valid(SPAN("a-b")));
}

static void matchers_read_a_missing_label_as_empty(void **state)
{
    (void)state;
    AUTO(arena_done) struct arena arena;
    arena_init(&arena, 0);
    const struct labels labels = { 1, pairs };
    static const struct {
        const char *name;
        enum matcher_kind kind;
        const char *value;
        bool fits;
    } cases[] = {
        { "b", MATCHER_EQ, "2", true },
        { "b", MATCHER_EQ, "1", false },
        { "b", MATCHER_NE, "1", true },
        { "none", MATCHER_EQ, "", true },
        { "b", MATCHER_REGEX, "[0-9]", true },
        { "b", MATCHER_NOT_REGEX, "2|3", false },
        { "none", MATCHER_REGEX, ".*", true },
        { "none", MATCHER_REGEX, ".+", false },
        { "none", MATCHER_NOT_REGEX, ".+", true },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct matcher matcher;
        assert_int_equal(matcher_init(&matcher, &arena, span_of(cases[i].name),
                                      cases[i].kind, span_of(cases[i].value), NULL),
                         0);
        assert_int_equal(matchers_fit(&matcher, 1, &labels), cases[i].fits);
    }
}

static void numbers_are_printed_as_prometheus_does(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *plain, *json, *code;
    } cases[] = {
        { 0, "0", "0", "0" },
        { -0.0, "-0", "-0", "-0" },
        { 1.5, "1.5", "1.5", "1.5" },
        { 1e20, "100000000000000000000", "100000000000000000000", "1e+20" },
        { 1e21, "1000000000000000000000", "1e+21", "1e+21" },
        { 1.25e-7, "0.000000125", "1.25e-07", "1.25e-07" },
        { -1e-6, "-0.000001", "-0.000001", "-1e-06" },
        { 100, "100", "100", "100" },
        { 120000.5, "120000.5", "120000.5", "120000.5" },
        { 1.0 / 3, "0.3333333333333333", "0.3333333333333333", "0.3333333333333333" },
        { INFINITY, "+Inf", "+Inf", "+Inf" },
        { -INFINITY, "-Inf", "-Inf", "-Inf" },
        { (double)NAN, "NaN", "NaN", "NaN" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf plain = STRBUF_INIT;
        AUTO(strbuf_done) struct strbuf json = STRBUF_INIT;
        AUTO(strbuf_done) struct strbuf code = STRBUF_INIT;
        float_text_add_plain(&plain, cases[i].value);
        float_text_add(&json, cases[i].value);
        float_text_add_short(&code, cases[i].value);
        assert_string_equal(strbuf_text(&plain), cases[i].plain);
        assert_string_equal(strbuf_text(&json), cases[i].json);
        assert_string_equal(strbuf_text(&code), cases[i].code);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_copy_is_sorted_and_has_no_empty_values),
        cmocka_unit_test(labels_are_set_replaced_and_removed),
        cmocka_unit_test(a_reduced_key_is_that_of_the_reduced_set),
        cmocka_unit_test(sets_have_an_order),
        cmocka_unit_test(names_are_checked),
        cmocka_unit_test(matchers_read_a_missing_label_as_empty),
        cmocka_unit_test(numbers_are_printed_as_prometheus_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
