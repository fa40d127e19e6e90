/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_login - what a browser submits to sign in, and what the helper sends back.
 *
 * The first byte, modulo 3: a form, a question to the helper, its result.
 */
#include "base/span.h"
#include "fuzz/fuzz.h"
#include "signin/login_form.h"

static void check_form(struct span text)
{
    struct login_form form;
    struct err err = { 0 };
    if (login_form_parse(text, &form, &err) < 0) {
        fuzz_check(err.text[0] != '\0' && form.password[0] == '\0');
        return;
    }
    fuzz_check(memchr(form.user, 0, sizeof form.user) != NULL);
    fuzz_check(memchr(form.password, 0, sizeof form.password) != NULL);
    fuzz_check(form.next[0] == '\0' || login_next_is_ours(span_of(form.next)));
    fuzz_check(!strpbrk(form.next, "\r\n\"<>\\ "));

    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    const struct login_page page = { .secret = "",
                                     .next = span_of(form.next),
                                     .roles = "user",
                                     .expires = "",
                                     .user = span_of(form.user) };
    login_page_print(&page, &out);
    fuzz_check(strbuf_error(&out) == 0);
}

static void check_question(struct span text)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct login_question question;
    if (login_question_parse(text, &question) < 0)
        return;
    fuzz_check(login_question_print(&question, &out) == 0);
    fuzz_check(span_eq(strbuf_span(&out), text));
}

static void check_result(struct span text)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct login_result result, back;
    if (login_result_parse(text, &result) < 0)
        return;
    fuzz_check(result.verdict < _LOGIN_VERDICT_COUNT);
    fuzz_check(memchr(result.user, 0, sizeof result.user) != NULL);
    login_result_print(&result, &out);
    fuzz_check(login_result_parse(strbuf_span(&out), &back) == 0);
    fuzz_check(back.verdict == result.verdict && back.groups == result.groups &&
               strcmp(back.user, result.user) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    struct span rest = { (const char *)data + 1, size - 1 };
    if (data[0] % 3 == 0)
        check_form(rest);
    else if (data[0] % 3 == 1)
        check_question(rest);
    else
        check_result(rest);
    return 0;
}
