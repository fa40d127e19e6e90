/* SPDX-License-Identifier: Apache-2.0 */
/* test_component_pattern - which components a pattern means, and what is none. */
#include "model/component_pattern.h"

#include "base/cleanup.h"
#include "base/span.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void a_pattern_matches_level_by_level(void **state)
{
    static const struct {
        const char *path, *pattern;
        bool want;
    } rows[] = {
        { "alex/a0903", "", true },
        { "", "", true },
        { "alex/a0903", "alex/a09*", true },
        { "alex/a0903", "alex/a08*", false },
        { "alex/a0903", "alex", false },
        { "alex", "alex/*", false },
        { "alex/a0903/hwthread:7", "*/*", false },
        { "alex/a0903/hwthread:7", "*/*/hwthread:*", true },
        { "alex/a0903", "alex/a090[1-3]", true },
        { "alex/a0904", "alex/a090[1-3]", false },
        { "alex//x", "*/*/x", false },
        { "alex/r30c12", "alex/r30c[09-24]", true },
        { "alex/r30c08", "alex/r30c[09-24]", false },
        { "alex/a1", "alex,fritz/a[1-2],f1", true },
        { "fritz/f1/hwthread:71", "alex,fritz/*/hwthread:[0-71]", true },
        { "fritz/f1/hwthread:72", "alex,fritz/*/hwthread:[0-71]", false },
        { "alex/a\\x20b", "alex/a\\x20b", true },
        { "alex/a0903", "alex/", false },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (component_path_matches(span_of(rows[i].path), span_of(rows[i].pattern)) !=
            rows[i].want)
            fail_msg("'%s', pattern '%s'", rows[i].path, rows[i].pattern);
}

static void a_name_matches_patterns_sets_and_classes(void **state)
{
    static const struct {
        const char *name, *pattern;
        bool want;
    } rows[] = {
        { "n1", "n[1-3]", true },
        { "n3", "n[1-3]", true },
        { "n4", "n[1-3]", false },
        { "n", "n[1-3]", false },
        { "n01", "n[1-3]", false },  /* the range is one wide */
        { "n1", "n[01-03]", false }, /* and this two */
        { "n02", "n[01-03]", true },
        { "n100", "n[08-120]", true },
        { "n0100", "n[08-120]", false },
        { "n12", "n[12]", true }, /* a number, not one of two characters */
        { "n1", "n[12]", false },
        { "n7", "n[1,5-7]", true },
        { "n4", "n[1,5-7]", false },
        { "r1c10", "r[1-2]c[01-10]", true },
        { "r10", "r[1-3]0", true }, /* the set may take one digit or both */
        { "r1230", "r[1-200]*0", true },
        { "ax", "a[a-f]", false },
        { "ab", "a[a-f]", true },
        { "ab", "a[!a-f]", false },
        { "az", "a[!a-f]", true },
        { "a5", "a[0-9a-f]", true },
        { "a-", "a[x-]", true },
        { "abc", "a*c", true },
        { "ac", "a*c", true },
        { "acb", "a*c", false },
        { "abcabc", "*abc", true },
        { "aaaaaaaaaaaaaaaaaaaaaaab", "*a*a*a*a*a*a*a*a*c", false },
        { "abc", "a?c", true },
        { "ac", "a?c", false },
        { "a[b", "a[b", true }, /* that is not closed stands for itself */
        { "b", "a,b,c", true },
        { "n2,n3", "n[2,3]", false },
        { "n3", "m1,n[2,3],o", true },
        { "", "*", true },
        { "n99999999999999999999", "n[0-18446744073709551615]", false },
        { "n18446744073709551615", "n[0-18446744073709551615]", true },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (component_name_matches(span_of(rows[i].name), span_of(rows[i].pattern)) !=
            rows[i].want)
            fail_msg("'%s', pattern '%s'", rows[i].name, rows[i].pattern);
}

static void what_is_no_pattern_is_refused_with_the_part_that_is_not(void **state)
{
    static const struct {
        const char *pattern, *text; /* text NULL: it is one */
    } rows[] = {
        { "", NULL },
        { "alex", NULL },
        { "alex/r30c[09-24],b?/hwthread:*", NULL },
        { "*/[a-f]*", NULL },
        { "alex/r30c[09-24", "'r30c[09-24': a bracket is not closed" },
        { "alex/r30c[24-09]", "'r30c[24-09]': the range 24-09 ends before it begins" },
        { "alex/r30c[09-]",
          "'r30c[09-]': a bracket of numbers holds numbers and ranges, "
          "as [01-08,12]" },
        { "alex/r[]", "'r[]': a bracket is empty" },
        { "alex//a", "'alex//a': a level of the path is empty" },
        { "alex/", "'alex/': a level of the path is empty" },
        { "/a", "'/a': a level of the path is empty" },
        { "alex/a,,b", "'a,,b': a name is empty" },
        { "alex/a,", "'a,': a name is empty" },
        { "alex/,a", "',a': a name is empty" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct err err = { 0 };
        int rc = component_pattern_check(span_of(rows[i].pattern), &err);
        if (rc != (rows[i].text ? -EINVAL : 0) ||
            strcmp(err.text, rows[i].text ? rows[i].text : "") != 0)
            fail_msg("'%s': %d %s", rows[i].pattern, rc, err.text);
    }
}

static void a_level_is_too_long_at_1025_bytes(void **state)
{
    char text[1025];
    (void)state;
    memset(text, 'a', sizeof text);
    assert_int_equal(component_pattern_check((struct span){ text, 1024 }, NULL), 0);
    assert_int_equal(component_pattern_check((struct span){ text, 1025 }, NULL),
                     -EINVAL);
    assert_true(component_name_matches((struct span){ text, 1024 }, SPAN("a*")));
    assert_false(component_name_matches((struct span){ text, 1025 }, SPAN("[a]*")));
}

static void names_are_cut_off_at_commas_outside_brackets(void **state)
{
    struct span level = SPAN("a[1,2],b"), one;
    (void)state;
    assert_true(component_pattern_next(&level, &one));
    assert_true(span_is(one, "a[1,2]"));
    assert_true(component_pattern_next(&level, &one));
    assert_true(span_is(one, "b"));
    assert_false(component_pattern_next(&level, &one));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pattern_matches_level_by_level),
        cmocka_unit_test(a_name_matches_patterns_sets_and_classes),
        cmocka_unit_test(what_is_no_pattern_is_refused_with_the_part_that_is_not),
        cmocka_unit_test(a_level_is_too_long_at_1025_bytes),
        cmocka_unit_test(names_are_cut_off_at_commas_outside_brackets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
