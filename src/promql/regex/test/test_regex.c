/* SPDX-License-Identifier: Apache-2.0 */
/* test_regex - regular expressions of RE2's syntax: what fits, what is refused. */
#include "base/span.h"
#include "promql/regex/regex.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static bool fits(const char *pattern, const char *text)
{
    AUTO(arena_done) struct arena arena;
    const struct regex *regex = NULL;
    struct err err = { "" };
    arena_init(&arena, 0);
    if (regex_parse(span_of(pattern), &arena, &regex, &err) < 0)
        fail_msg("%s: %s", pattern, err.text);
    struct regex_groups groups;
    bool result = regex_matches(regex, span_of(text));
    assert_int_equal(regex_match_groups(regex, span_of(text), &groups), result);
    return result;
}

static void patterns_fit_whole_texts(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *yes, *no;
    } cases[] = {
        { "abc", "abc", "abcd" },
        { "", "", "a" },
        { "a|b|cd", "cd", "c" },
        { "a.c",
          "a\xc3\xa4"
          "c",
          "a\nc" },
        { "(?s)a.c", "a\nc", "ac" },
        { "a*", "aaa", "aab" },
        { "a+?b??", "aab", "" },
        { "a{2}", "aa", "aaa" },
        { "a{2,}", "aaaa", "a" },
        { "a{1,3}", "aaa", "aaaa" },
        { "a{,3}", "a{,3}", "aaa" },
        { "\\ba\\b-\\bb.*", "a-b_c", "a-" },
        { "a\\Bb\\b", "ab", "a" },
        { "[a-cx]+", "abcx", "d" },
        { "[^a-c]", "d", "b" },
        { "[]a]+", "]a", "b" },
        { "[a-]", "-", "b" },
        { "[[:alpha:][:digit:]]+", "a1", "-" },
        { "[[:^alpha:]]", "1", "a" },
        { "\\d+\\.\\w\\s", "12.a ", "12,a " },
        { "\\D\\W\\S", "a-a", "1-a" },
        { "[\\d\\.]+", "1.2", "a" },
        { "(?i)Abc[d-f]", "aBCE", "abcg" },
        { "(?i:a)b", "Ab", "AB" },
        { "(?i)k", "\xe2\x84\xaa", "q" },
        { "\\x41\\x{e4}\\101",
          "A\xc3\xa4"
          "A",
          "A" },
        { "^a$", "a", "b" },
        { "\\Aa\\z", "a", "b" },
        { "(?m)a$\n^b", "a\nb", "ab" },
        { "\\Qa.b\\E.", "a.bc", "axbc" },
        { "(?P<n>a)(?:b)", "ab", "a" },
        { "(?U)a+", "aaa", "b" },
        { "((a|b)*c)*", "abcbc", "ab" },
        { "(|a)+", "aa", "b" },
        { "\\t\\n\\a\\f\\r\\v", "\t\n\a\f\r\v", "t" },
        { "\xff", "\xff", "a" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        if (!fits(cases[i].pattern, cases[i].yes))
            fail_msg("%s does not fit %s", cases[i].pattern, cases[i].yes);
        if (fits(cases[i].pattern, cases[i].no))
            fail_msg("%s fits %s", cases[i].pattern, cases[i].no);
    }
}

static void groups_are_those_of_the_first_alternative(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *text, *first;
    } cases[] = {
        { "(a+)(a*)", "aaa", "aaa" },      { "(a+?)(a*)", "aaa", "a" },
        { "(a|ab)(c|bcd)?", "abcd", "a" }, { "x*(y)?", "xx", NULL },
        { "(.*)-(.*)", "a-b-c", "a-b" },   { "(?:(a)|b)*", "ab", "a" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(arena_done) struct arena arena;
        const struct regex *regex = NULL;
        struct regex_groups groups;
        arena_init(&arena, 0);
        assert_int_equal(regex_parse(span_of(cases[i].pattern), &arena, &regex, NULL),
                         0);
        assert_true(regex_match_groups(regex, span_of(cases[i].text), &groups));
        assert_true(span_is(groups.groups[0], cases[i].text));
        if (!cases[i].first)
            assert_null(groups.groups[1].data);
        else if (!span_is(groups.groups[1], cases[i].first))
            fail_msg("%s: got " SPAN_FMT, cases[i].pattern, SPAN_ARG(groups.groups[1]));
    }
}

static void a_group_is_found_by_its_name(void **state)
{
    (void)state;
    AUTO(arena_done) struct arena arena;
    const struct regex *regex = NULL;
    arena_init(&arena, 0);
    assert_int_equal(regex_parse(SPAN("(a)(?P<two>b)"), &arena, &regex, NULL), 0);
    assert_int_equal(regex_group_named(regex, SPAN("two")), 2);
    assert_int_equal(regex_group_named(regex, SPAN("one")), -1);
}

static void bad_patterns_are_refused_by_name(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *want;
    } cases[] = {
        { "(", ") is missing" },
        { "a)", "( is missing" },
        { "[a", "] is missing" },
        { "[b-a]", "ends before it begins" },
        { "*a", "nothing that could be repeated" },
        { "a**", "one repetition follows another" },
        { "a{1001}", "out of range" },
        { "a{3,2}", "out of range" },
        { "(?=a)", "no group" },
        { "(?<=a)", "no group" },
        { "(?P<n>a)(?P<n>b)", "this name" },
        { "(?P<>a)", "no name" },
        { "(?P<n", "> is missing" },
        { "\\p{Greek}", "Unicode classes" },
        { "(?i)\xc3\xa4", "outside ASCII" },
        { "\\1", "no escape" },
        { "\\", "backslash at the end" },
        { "\\x{110000}", "no character" },
        { "\\xg", "no escape" },
        { "[[:none:]]", "no class" },
        { "((a{1000}){1000}){1000}", "too large" },
        { "(((((){1000}){1000}){1000}){1000}){1000}", "too large" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(arena_done) struct arena arena;
        const struct regex *regex = NULL;
        struct err err = { "" };
        arena_init(&arena, 0);
        int rc = regex_parse(span_of(cases[i].pattern), &arena, &regex, &err);
        if (rc != -EINVAL || regex || !strstr(err.text, cases[i].want))
            fail_msg("%s: got %d %s", cases[i].pattern, rc, err.text);
    }
}

static void nested_repetition_takes_linear_time(void **state)
{
    (void)state;
    char text[4001];
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    assert_false(fits("(a*)*(a*)*(a|a)*b", text));
    assert_true(fits("(a*)*(a*)*(a|a)*", text));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_fit_whole_texts),
        cmocka_unit_test(groups_are_those_of_the_first_alternative),
        cmocka_unit_test(a_group_is_found_by_its_name),
        cmocka_unit_test(bad_patterns_are_refused_by_name),
        cmocka_unit_test(nested_repetition_takes_linear_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
