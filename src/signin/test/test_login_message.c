/* SPDX-License-Identifier: Apache-2.0 */
/* test_login_message - question and result, there and back, and what is neither. */
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "signin/login_message.h"

#include <errno.h>
#include <string.h>

static void a_question_comes_back(void **state)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    const struct login_question question = {
        .address = SPAN("192.0.2.1"),
        .user = SPAN("alice"),
        .password = SPAN("a b\n"),
        .groups = { SPAN("help"), SPAN("phys") },
        .group_count = 2,
    };
    struct login_question found;
    (void)state;
    assert_int_equal(login_question_print(&question, &out), 0);
    assert_int_equal(login_question_parse(strbuf_span(&out), &found), 0);
    assert_true(span_is(found.address, "192.0.2.1"));
    assert_true(span_is(found.user, "alice"));
    assert_true(span_is(found.password, "a b\n"));
    assert_int_equal(found.group_count, 2);
    assert_true(span_is(found.groups[1], "phys"));
    /* Cut anywhere but between groups it is none. */
    for (size_t size = 0; size + 1 < out.size; size++) {
        int rc = login_question_parse((struct span){ out.data, size }, &found);
        bool is_between = size > 20 && out.data[size - 1] == '\0';
        if ((rc == 0) != is_between)
            fail_msg("%zu bytes: %d", size, rc);
    }
}

static void a_password_with_a_nul_is_none(void **state)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    const struct login_question question = { .address = SPAN("a"),
                                             .user = SPAN("alice"),
                                             .password = { "a\0root", 6 } };
    (void)state;
    assert_int_equal(login_question_print(&question, &out), -EINVAL);
}

static void a_result_comes_back(void **state)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    const struct login_result result = { LOGIN_OK, true, 0x80000001, "alice" };
    struct login_result found;
    (void)state;
    login_result_print(&result, &out);
    assert_string_equal(strbuf_text(&out), "ok 1 80000001 alice\n");
    assert_int_equal(login_result_parse(strbuf_span(&out), &found), 0);
    assert_int_equal(found.verdict, LOGIN_OK);
    assert_true(found.is_known);
    assert_int_equal(found.groups, 0x80000001);
    assert_string_equal(found.user, "alice");
}

#define TEXT(literal)                  \
    {                                  \
        (literal), sizeof(literal) - 1 \
    }

static void what_a_module_printed_is_no_result(void **state)
{
    static const struct span cases[] = {
        TEXT(""),
        TEXT("\n"),
        TEXT("ok\n"),
        TEXT("ok 1 0 alice"),
        TEXT("ok 1 0 \n"),
        TEXT("OK 1 0 alice\n"),
        TEXT("ok 2 0 alice\n"),
        TEXT("ok 1 x alice\n"),
        TEXT("ok 1 123456789 alice\n"),
        TEXT("ok 1 -1 alice\n"),
        TEXT("hello\nok 1 0 alice\n"),
        TEXT("ok 1 0 al\nice\n"),
        TEXT("ok 1 0 al\0ice\n"),
        TEXT("ok 1 0 alice \n"),
        TEXT("denied 1 0 al\0ice\n"),
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct login_result found = { .verdict = LOGIN_UNAVAILABLE };
        if (login_result_parse(cases[i], &found) != -EBADMSG ||
            found.verdict != LOGIN_UNAVAILABLE)
            fail_msg("case %zu", i);
    }
    struct login_result found;
    assert_int_equal(login_result_parse(SPAN("denied 0 0 \n"), &found), 0);
    assert_int_equal(found.verdict, LOGIN_DENIED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_question_comes_back),
        cmocka_unit_test(a_password_with_a_nul_is_none),
        cmocka_unit_test(a_result_comes_back),
        cmocka_unit_test(what_a_module_printed_is_no_result),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
