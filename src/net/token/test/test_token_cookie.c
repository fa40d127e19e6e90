/* SPDX-License-Identifier: Apache-2.0 */
/* test_token_cookie - a token among the cookies of a header. */
#include "net/token/token_cookie.h"

#include "base/span.h"
#include "base/test/testing.h"

static void one_of_the_name_is_found(void **state)
{
    (void)state;
    static const struct {
        const char *header, *want; /* NULL: none */
    } cases[] = {
        { "sid=abc.def", "abc.def" }, { "a=1; sid=abc; b=2", "abc" },
        { "a=1;sid=abc", "abc" },     { " sid = abc ;", "abc" },
        { "sid=a=b==", "a=b==" },     { "sid=", "" },
        { "sid=abc; sid=def", NULL }, { "sid=abc; sid=abc", NULL },
        { "sid=; sid=abc", NULL },    { "sid", NULL },
        { "SID=abc", NULL },          { "xsid=abc", NULL },
        { "sidx=abc", NULL },         { "a=sid=abc", NULL },
        { ";;;=;=", NULL },           { "", NULL },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct span got = token_cookie_find(span_of(cases[i].header), "sid");
        if (!got.data != !cases[i].want ||
            (cases[i].want && !span_is(got, cases[i].want)))
            fail_msg("'%s': got '" SPAN_FMT "'", cases[i].header, SPAN_ARG(got));
    }
    assert_null(token_cookie_find((struct span){ 0 }, "sid").data);
}

static void names_have_no_separators(void **state)
{
    (void)state;
    static const char *const bad[] = { "", "a b", "a=b", "a;b", "a\tb", "\xc3\xa4" };
    char longest[TOKEN_COOKIE_NAME_MAX + 2];
    assert_true(token_cookie_is_name("__Host-baro.token_1"));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(token_cookie_is_name(bad[i]));
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    assert_false(token_cookie_is_name(longest));
    assert_true(token_cookie_is_name(longest + 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_of_the_name_is_found),
        cmocka_unit_test(names_have_no_separators),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
