/* SPDX-License-Identifier: Apache-2.0 */
/* test_form - forms and what is read of them. */
#include "api/prometheus/question.h"
#include "base/span.h"
#include "base/test/testing.h"

static struct question question_of(struct arena *arena, const char *form,
                                   const char *url)
{
    struct question q = { 0 };
    struct err err = { 0 };
    arena_init(arena, 0);
    assert_int_equal(form_parse(span_of(form), arena, &q.form, &err), 0);
    assert_int_equal(form_parse(span_of(url), arena, &q.url, &err), 0);
    return q;
}

static void names_and_values_are_decoded(void **state)
{
    (void)state;
    AUTO(arena_done) struct arena arena;
    struct question q =
        question_of(&arena, "query=up%7Ba%3D%22b+c%22%7d&x&&=&y=1=2", "");
    assert_true(span_is(question_text(&q, "query"), "up{a=\"b c\"}"));
    assert_true(span_is(question_text(&q, "x"), ""));
    assert_true(span_is(question_text(&q, "y"), "1=2"));
    assert_true(question_text(&q, "z").data == NULL);
    assert_int_equal((long long)q.form.count, 4);
}

static void the_form_counts_before_the_url(void **state)
{
    (void)state;
    AUTO(arena_done) struct arena arena;
    struct span value;
    struct question q = question_of(&arena, "m=a&m=b", "m=c");
    assert_true(span_is(question_text(&q, "m"), "a"));
    assert_true(question_text_at(&q, "m", 2, &value) && span_is(value, "c"));
    assert_true(!question_text_at(&q, "m", 3, &value));
}

static void a_broken_escape_is_refused_with_its_byte(void **state)
{
    (void)state;
    static const char *const broken[] = { "a=%", "a=%1", "a=%zz", "ab%" };
    for (size_t i = 0; i < COUNT_OF(broken); i++) {
        AUTO(arena_done) struct arena arena;
        struct form form;
        struct err err = { 0 };
        arena_init(&arena, 0);
        assert_int_equal(form_parse(span_of(broken[i]), &arena, &form, &err), -EINVAL);
        assert_string_equal(err.text,
                            "byte 3 of the form: % wants two hexadecimal digits");
    }
}

static void times_are_seconds_or_rfc_3339(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int rc;
        int64_t t_ms;
    } cases[] = {
        { "t=1668988800", 0, 1668988800000 },
        { "t=1668988800.1239", 0, 1668988800124 },
        { "t=-1.5", 0, -1500 },
        { "t=2022-11-21T00:00:00Z", 0, 1668988800000 },
        { "t=2022-11-21T01:00:00%2B01:00", 0, 1668988800000 },
        { "t=", 0, 42 },
        { "u=1", 0, 42 },
        { "t=now", -EINVAL, 0 },
        { "t=1e400", -EINVAL, 0 },
        { "t=1e13", -EINVAL, 0 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(arena_done) struct arena arena;
        struct question q = question_of(&arena, cases[i].text, "");
        struct err err = { 0 };
        int64_t t_ms = 0;
        assert_int_equal(question_time(&q, "t", 42, &t_ms, &err), cases[i].rc);
        if (cases[i].rc == 0)
            assert_int_equal(t_ms, cases[i].t_ms);
    }
}

static void durations_are_above_zero(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int rc;
        int64_t length_ms;
    } cases[] = {
        { "step=15", 0, 15000 },      { "step=0.5", 0, 500 },
        { "step=1h30m", 0, 5400000 }, { "step=0", -EINVAL, 0 },
        { "step=-3", -EINVAL, 0 },    { "step=", -EINVAL, 0 },
        { "step=x", -EINVAL, 0 },     { "other=1", 0, 42 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(arena_done) struct arena arena;
        struct question q = question_of(&arena, cases[i].text, "");
        struct err err = { 0 };
        int64_t length_ms = 0;
        assert_int_equal(question_duration(&q, "step", 42, &length_ms, &err),
                         cases[i].rc);
        if (cases[i].rc == 0)
            assert_int_equal(length_ms, cases[i].length_ms);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_values_are_decoded),
        cmocka_unit_test(the_form_counts_before_the_url),
        cmocka_unit_test(a_broken_escape_is_refused_with_its_byte),
        cmocka_unit_test(times_are_seconds_or_rfc_3339),
        cmocka_unit_test(durations_are_above_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
