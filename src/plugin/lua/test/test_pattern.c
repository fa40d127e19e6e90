/* SPDX-License-Identifier: Apache-2.0 */
/* test_pattern - what Lua's patterns match, and what they may cost. */
#include "base/cleanup.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "plugin/lua/pattern.h"

#include <errno.h>

static void finds_what_lua_finds(void **state)
{
    static const struct {
        const char *subject, *pattern;
        int rc;
        size_t at, end, captures;
        const char *first;
    } cases[] = {
        { "hello", "l", 1, 2, 3, 0, NULL },
        { "hello", "l+", 1, 2, 4, 0, NULL },
        { "hello", "x", 0, 0, 0, 0, NULL },
        { "hello", "^h.-o$", 1, 0, 5, 0, NULL },
        { "hello", "^e", 0, 0, 0, 0, NULL },
        { "MemFree:  123 kB", "^(%w+):%s+(%d+)", 1, 0, 13, 2, "MemFree" },
        { "key = value", "(%w+)%s*=%s*(%w+)", 1, 0, 11, 2, "key" },
        { "f(a(b)c)d", "%b()", 1, 1, 8, 0, NULL },
        { "THE (quick) fox", "%f[%a]%a+%f[%A]", 1, 0, 3, 0, NULL },
        { "abcabc", "(abc)%1", 1, 0, 6, 1, "abc" },
        { "a-b", "[a%-]+", 1, 0, 2, 0, NULL },
        { "x]y", "[]]", 1, 1, 2, 0, NULL },
        { "a1b2", "[^%a]", 1, 1, 2, 0, NULL },
        { "0x1F", "^0[xX](%x+)$", 1, 0, 4, 1, "1F" },
        { "", "^$", 1, 0, 0, 0, NULL },
        { "aaa", "a-", 1, 0, 0, 0, NULL },
        { "aaa", "a-$", 1, 0, 3, 0, NULL },
        { "ab", "a?b", 1, 0, 2, 0, NULL },
        { "a$b", "$b", 1, 1, 3, 0, NULL },
        { "x", "[", -EINVAL, 0, 0, 0, NULL },
        { "x", "%", -EINVAL, 0, 0, 0, NULL },
        { "x", "(x", -EINVAL, 0, 0, 0, NULL },
        { "x", "x)", -EINVAL, 0, 0, 0, NULL },
        { "x", "%1", -EINVAL, 0, 0, 0, NULL },
        { "x", "%bx", -EINVAL, 0, 0, 0, NULL },
        { "x", "%f", -EINVAL, 0, 0, 0, NULL },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct pattern_match m = { 0 };
        int64_t steps = 10000;
        struct span subject = span_of(cases[i].subject);
        int rc = pattern_find(subject, span_of(cases[i].pattern), 0, &steps, &m);
        if (rc != cases[i].rc)
            fail_msg("%s in '%s': %d", cases[i].pattern, cases[i].subject, rc);
        if (rc == 1 && (m.at != cases[i].at || m.end != cases[i].end ||
                        m.capture_count != cases[i].captures))
            fail_msg("%s in '%s': %zu..%zu, %zu captures", cases[i].pattern,
                     cases[i].subject, m.at, m.end, m.capture_count);
        if (cases[i].first) {
            struct span got = { subject.data + m.captures[0].at, m.captures[0].size };
            assert_true(span_is(got, cases[i].first));
        }
    }
}

static void a_pattern_that_would_run_for_ever_ends(void **state)
{
    static const struct {
        const char *pattern;
        char fill;
        size_t size;
    } bombs[] = {
        { "a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?aaaaaaaaaaaaaaaaaaaaaab", 'a',
          44 },
        { ".-.-.-.-b", 'a', 600 },
        { "(.-)(.-)(.-)(.-)b", 'a', 600 },
        { ".*.*.*.*b", 'a', 2000 },
        { "%b()", '(', 100000 },
        { "(a*)*%1b", 'a', 5000 },
        { "%f[b]", 'a', 200000 },
        { "[aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaac-z]*b", 'a', 60000 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(bombs); i++) {
        AUTO_FREE char *subject = malloc(bombs[i].size);
        assert_non_null(subject);
        memset(subject, bombs[i].fill, bombs[i].size);
        struct pattern_match m;
        int64_t steps = 1000000;
        int rc = pattern_find((struct span){ subject, bombs[i].size },
                              span_of(bombs[i].pattern), 0, &steps, &m);
        if (rc == 1 || (rc == 0 && steps < 0))
            fail_msg("%s: %d with %lld steps left", bombs[i].pattern, rc,
                     (long long)steps);
    }
}

static void a_deep_pattern_is_refused_not_nested(void **state)
{
    char pattern[4096];
    (void)state;
    for (size_t i = 0; i < sizeof pattern - 2; i += 2)
        memcpy(pattern + i, "a?", 2);
    pattern[sizeof pattern - 2] = pattern[sizeof pattern - 1] = 'b';
    struct pattern_match m;
    int64_t steps = 1000000;
    assert_int_equal(pattern_find(SPAN("aaaa"),
                                  (struct span){ pattern, sizeof pattern }, 0, &steps,
                                  &m),
                     -E2BIG);
    /* A long text is no depth. */
    char text[4096];
    memset(text, 'x', sizeof text);
    steps = 1000000;
    struct span same = { text, sizeof text };
    assert_int_equal(pattern_find(same, same, 0, &steps, &m), 1);
}

static void a_plain_search_is_bounded_too(void **state)
{
    AUTO_FREE char *subject = malloc(200000);
    (void)state;
    assert_non_null(subject);
    memset(subject, 'a', 200000);
    subject[99999] = 'b';
    struct pattern_match m;
    int64_t steps = 1000000;
    assert_int_equal(pattern_find_plain((struct span){ subject, 99990 },
                                        (struct span){ subject + 10000, 90000 }, 0,
                                        &steps, &m),
                     -E2BIG);
    steps = 1000;
    assert_int_equal(pattern_find_plain(SPAN("a.b.c"), SPAN(".b"), 0, &steps, &m), 1);
    assert_int_equal(m.at, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_lua_finds),
        cmocka_unit_test(a_pattern_that_would_run_for_ever_ends),
        cmocka_unit_test(a_deep_pattern_is_refused_not_nested),
        cmocka_unit_test(a_plain_search_is_bounded_too),
    };
    return cmocka_run_group_tests_name("pattern", tests, NULL, NULL);
}
