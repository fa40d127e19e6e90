/* SPDX-License-Identifier: Apache-2.0 */
/* test_suggest - the nearest of the known words, and words that are like none. */
#include "base/suggest.h"

#include "base/cleanup.h"
#include "base/span.h"
#include "base/test/testing.h"

#include <stdint.h>
#include <string.h>

static void edits_are_counted(void **state)
{
    static const struct {
        const char *a, *b;
        size_t want;
    } cases[] = {
        { "", "", 0 },         { "", "abc", 3 },        { "top", "top", 0 },
        { "tpo", "top", 1 },   { "tablr", "table", 1 }, { "jsn", "json", 1 },
        { "csvv", "csv", 1 },  { "user", "uses", 1 },   { "kitten", "sitting", 3 },
        { "abcd", "badc", 2 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct span a = span_of(cases[i].a), b = span_of(cases[i].b);
        if (suggest_distance(a, b) != cases[i].want ||
            suggest_distance(b, a) != cases[i].want)
            fail_msg("%s, %s: %zu", cases[i].a, cases[i].b, suggest_distance(a, b));
    }
}

static void a_word_that_is_too_long_is_like_no_other(void **state)
{
    char text[SUGGEST_WORD_MAX + 1];
    (void)state;
    memset(text, 'x', sizeof text);
    struct span longest = { text, SUGGEST_WORD_MAX };
    struct span longer = { text, sizeof text };
    assert_int_equal(suggest_distance(longest, longest), 0);
    assert_true(suggest_distance(longest, longer) == SIZE_MAX);
    assert_true(suggest_distance(longer, longest) == SIZE_MAX);
}

static void the_nearest_of_a_list_is_proposed(void **state)
{
    static const struct {
        const char *value, *want;
    } cases[] = {
        { "tablr", "--output: invalid value 'tablr' (choose table, json, csv); did you "
                   "mean 'table'?" },
        { "jsno", "--output: invalid value 'jsno' (choose table, json, csv); did you "
                  "mean 'json'?" },
        { "cs", "--output: invalid value 'cs' (choose table, json, csv)" },
        { "xml", "--output: invalid value 'xml' (choose table, json, csv)" },
        { "", "--output: invalid value '' (choose table, json, csv)" },
        { "a word that has more letters than any word that is known has",
          "--output: invalid value 'a word that has more letters than any word that is "
          "known has' (choose table, json, csv)" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct err err = { 0 };
        assert_int_equal(suggest_invalid(&err, "--output", span_of(cases[i].value),
                                         "table, json, csv"),
                         -EINVAL);
        assert_string_equal(err.text, cases[i].want);
    }
    assert_int_equal(suggest_invalid(NULL, "by", SPAN("jbo"), "job"), -EINVAL);
}

static void of_equally_near_words_the_first_stays(void **state)
{
    struct suggest suggest;
    (void)state;
    suggest_init(&suggest, SPAN("--form"));
    suggest_offer(&suggest, SPAN("--from"));
    suggest_offer(&suggest, SPAN("--farm"));
    assert_true(span_is(suggest.nearest, "--from"));
    assert_int_equal(suggest.distance, 1);
}

static void a_long_error_is_not_overrun(void **state)
{
    struct suggest suggest;
    struct err err;
    (void)state;
    memset(err.text, 'e', sizeof err.text - 1);
    err.text[sizeof err.text - 1] = '\0';
    suggest_init(&suggest, SPAN("form"));
    suggest_offer(&suggest, SPAN("from"));
    assert_int_equal(suggest_add(&suggest, "", -EINVAL, &err), -EINVAL);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
    assert_int_equal(err.text[sizeof err.text - 2], 'e');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edits_are_counted),
        cmocka_unit_test(a_word_that_is_too_long_is_like_no_other),
        cmocka_unit_test(the_nearest_of_a_list_is_proposed),
        cmocka_unit_test(of_equally_near_words_the_first_stays),
        cmocka_unit_test(a_long_error_is_not_overrun),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
