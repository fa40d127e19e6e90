/* SPDX-License-Identifier: Apache-2.0 */
/* test_token_request - new tokens as administrators request them. */
#include "net/token/token_request.h"

#include "base/number.h"
#include "base/test/testing.h"

#include <string.h>

#define NOW_S INT64_C(1700000000)

static void a_request_becomes_a_token(void **state)
{
    (void)state;
    static const char *const targets[] = { "scratch-*", "home-OST0000" };
    const struct token_request request = { .role = "agent",
                                           .host = "oss01",
                                           .cluster = "alex",
                                           .targets = targets,
                                           .target_count = 2,
                                           .lifetime_ns = 3600 * NS_PER_S };
    struct token token;
    assert_int_equal(token_request_fill(&request, NOW_S, &token, NULL), 0);
    assert_int_equal(token.role, NET_ROLE_AGENT);
    assert_string_equal(token.host, "oss01");
    assert_string_equal(token.cluster, "alex");
    assert_int_equal(token.target_count, 2);
    assert_string_equal(token.targets[1], "home-OST0000");
    assert_true(token.issued_s == NOW_S && token.expires_s == NOW_S + 3600);
    assert_int_equal(strlen(token.id), TOKEN_ID_SIZE - 1);
}

static void two_tokens_have_two_ids_and_a_year_each(void **state)
{
    (void)state;
    const struct token_request request = { .role = "reader" };
    struct token a, b;
    assert_int_equal(token_request_fill(&request, NOW_S, &a, NULL), 0);
    assert_int_equal(token_request_fill(&request, NOW_S, &b, NULL), 0);
    assert_string_not_equal(a.id, b.id);
    assert_true(a.expires_s == NOW_S + INT64_C(365) * 86400);
}

static void bad_requests_are_refused_and_leave_the_token_alone(void **state)
{
    static char long_host[TOKEN_HOST_MAX + 2], long_pattern[TOKEN_PATTERN_MAX + 2];
    static const char *many[TOKEN_TARGETS_MAX + 1];
    static const char *const one[] = { long_pattern };
    memset(long_host, 'h', sizeof long_host - 1);
    memset(long_pattern, 'p', sizeof long_pattern - 1);
    for (size_t i = 0; i < COUNT_OF(many); i++)
        many[i] = "x";
    const struct {
        const char *name;
        struct token_request request;
        const char *text;
    } cases[] = {
        { "no role", { .host = "a" }, "choose agent" },
        { "a role of its own", { .role = "root" }, "'root'" },
        { "an agent of no host", { .role = "agent" }, "--cluster" },
        /* Rounded down it would be the default of a year. */
        { "half a second",
          { .role = "reader", .lifetime_ns = NS_PER_S / 2 },
          "expires" },
        { "a past end", { .role = "reader", .lifetime_ns = -NS_PER_S }, "expires" },
        { "a long host", { .role = "agent", .host = long_host }, "--host: longer" },
        { "a long cluster", { .role = "reader", .cluster = long_host }, "--cluster" },
        { "a long pattern",
          { .role = "agent", .host = "a", .targets = one, .target_count = 1 },
          "--targets: longer" },
        { "many patterns",
          { .role = "agent", .host = "a", .targets = many, .target_count = 17 },
          "16 patterns" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct token token = { .issued_s = 77 };
        struct err err = { 0 };
        int rc = token_request_fill(&cases[i].request, NOW_S, &token, &err);
        if (rc != -EINVAL || token.issued_s != 77 || !strstr(err.text, cases[i].text))
            fail_msg("%s: %d, %s", cases[i].name, rc, err.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_becomes_a_token),
        cmocka_unit_test(two_tokens_have_two_ids_and_a_year_each),
        cmocka_unit_test(bad_requests_are_refused_and_leave_the_token_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
