/* SPDX-License-Identifier: Apache-2.0 */
/* test_login_form - the form as browsers send it, hostile ones, and the page. */
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "signin/login_form.h"

#include <errno.h>
#include <string.h>

static void a_form_is_decoded(void **state)
{
    static const struct {
        const char *text, *user, *password, *next;
    } cases[] = {
        { "user=alice&password=a+b%26c%3d%2B&next=%2Fv1%2Fjobs%2F5%2Fpage", "alice",
          "a b&c=+", "/v1/jobs/5/page" },
        { "password=%C3%A4%F0%9F%94%91&user=bob", "bob", "\xc3\xa4\xf0\x9f\x94\x91",
          "" },
        { "user=&password=", "", "", "" },
        { "user=alice", "alice", "", "" },
        { "", "", "", "" },
        { "colour=red&user=x&&=&y", "x", "", "" },
        /* Another server's, or what a browser could understand as one. */
        { "next=https%3A%2F%2Fevil.example%2F", "", "", "" },
        { "next=%2F%2Fevil.example%2Fv1%2F", "", "", "" },
        { "next=%2Fv1%2F%5Cevil", "", "", "" },
        { "next=%2Fv1%2Fa%0d%0aSet-Cookie:x", "", "", "" },
        { "next=%2Fv1%2F%22%3E", "", "", "" },
        { "next=%2Fping", "", "", "" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct login_form form;
        struct err err = { 0 };
        if (login_form_parse(span_of(cases[i].text), &form, &err) < 0)
            fail_msg("%s: %s", cases[i].text, err.text);
        assert_string_equal(form.user, cases[i].user);
        assert_string_equal(form.password, cases[i].password);
        assert_string_equal(form.next, cases[i].next);
    }
}

static void what_is_no_form_is_refused(void **state)
{
    static const char *const cases[] = {
        "user=a&user=b",
        "password=a&password=a",
        "user=a%00b",
        "user=%",
        "user=%4",
        "user=%zz",
        "user=a%",
        "form=a&form=a",
        "password=%00secret",
    };
    char long_user[LOGIN_USER_MAX + 8] = "user=";
    (void)state;
    struct login_form form;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct err err = { 0 };
        int rc = login_form_parse(span_of(cases[i]), &form, &err);
        if (rc != -EINVAL || !err.text[0])
            fail_msg("%s: %d", cases[i], rc);
        assert_int_equal(form.password[0], 0);
    }
    memset(long_user + 5, 'a', LOGIN_USER_MAX);
    assert_int_equal(login_form_parse(span_of(long_user), &form, NULL), 0);
    long_user[5 + LOGIN_USER_MAX] = 'a';
    assert_int_equal(login_form_parse(span_of(long_user), &form, NULL), -EINVAL);
}

static void a_name_is_one_account_in_whatever_case(void **state)
{
    static const struct {
        const char *a, *b;
        bool want;
    } cases[] = {
        { "alice", "alice", true },
        { "alice", "ALICE", true },
        { "aLiCe-1", "AlIcE-1", true },
        { "[z@`{", "[Z@`{", true },
        { "alice", "alice2", false },
        { "alice", "alic", false },
        { "alice", "alice@site", false },
        { "alice@SITE", "alice@site", true },
        { "@alice", "`alice", false },
        { "[a", "{a", false },
        { "\xc3\x84", "\xc3\xa4", false },
        { "\xc3\x84X", "\xc3\x84x", true },
        { "", "", true },
    };
    char longest[LOGIN_USER_MAX + 1], folded[LOGIN_USER_MAX + 1];
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        if (login_name_is_same(cases[i].a, cases[i].b) != cases[i].want)
            fail_msg("%s %s", cases[i].a, cases[i].b);
    memset(longest, 'X', LOGIN_USER_MAX);
    longest[LOGIN_USER_MAX] = '\0';
    login_name_fold(longest, folded);
    assert_int_equal(strlen(folded), LOGIN_USER_MAX);
    assert_int_equal(folded[LOGIN_USER_MAX - 1], 'x');
}

static void secrets_are_compared_whole(void **state)
{
    const char *own = "0123456789abcdef0123456789abcdef";
    (void)state;
    assert_true(login_secret_is(own, SPAN("0123456789abcdef0123456789abcdef")));
    assert_false(login_secret_is(own, SPAN("0123456789abcdef0123456789abcdee")));
    assert_false(login_secret_is(own, SPAN("0123456789abcdef")));
    assert_false(login_secret_is(own, SPAN("")));
    assert_false(login_secret_is("", SPAN("")));
    assert_false(login_secret_is("", (struct span){ 0 }));
}

static void the_page_escapes_what_it_shows(void **state)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct login_page page = {
        .secret = "s", .roles = "user", .expires = "", .user = SPAN("<b>&\"'")
    };
    (void)state;
    login_page_print(&page, &out);
    assert_non_null(strstr(strbuf_text(&out), "&lt;b&gt;&amp;&quot;&#39;"));
    assert_null(strstr(strbuf_text(&out), "<b>"));
    assert_null(strstr(strbuf_text(&out), "<script"));
    strbuf_clear(&out);
    page.user = (struct span){ 0 };
    page.next = SPAN("/v1/\"><x>");
    login_page_print(&page, &out);
    assert_null(strstr(strbuf_text(&out), "<x>"));
    assert_non_null(strstr(strbuf_text(&out), "type=\"password\""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_form_is_decoded),
        cmocka_unit_test(what_is_no_form_is_refused),
        cmocka_unit_test(a_name_is_one_account_in_whatever_case),
        cmocka_unit_test(secrets_are_compared_whole),
        cmocka_unit_test(the_page_escapes_what_it_shows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
