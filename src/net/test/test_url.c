/* SPDX-License-Identifier: Apache-2.0 */
/* test_url - paths with parameters, percent-encoded. */
#include "base/span.h"
#include "base/test/testing.h"
#include "net/url.h"

static void parameters_are_encoded_as_rfc_3986_wants(void **state)
{
    static const struct {
        const char *name, *value, *want;
    } cases[] = {
        { "plain", "aZ09-._~", "/v1/x?plain=aZ09-._~" },
        { "separators", "a&b=c?d#e/f", "/v1/x?separators=a%26b%3Dc%3Fd%23e%2Ff" },
        { "blank", "a b+c", "/v1/x?blank=a%20b%2Bc" },
        { "percent", "100%", "/v1/x?percent=100%25" },
        { "utf8", "\xc3\xa4", "/v1/x?utf8=%C3%A4" },
        { "control", "a\nb", "/v1/x?control=a%0Ab" },
        { "empty", "", "/v1/x?empty=" },
        { "absent", NULL, "/v1/x" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(net_url_done) struct net_url url;
        net_url_init(&url, "/v1/x");
        net_url_add(&url, cases[i].name, cases[i].value);
        assert_string_equal(strbuf_text(&url.text), cases[i].want);
    }
}

static void the_first_parameter_follows_a_question_mark(void **state)
{
    AUTO(net_url_done) struct net_url url;
    (void)state;
    net_url_init(&url, "/v1/jobstats/job");
    net_url_add_segment(&url, SPAN("a/b 7"));
    net_url_add(&url, "absent", NULL);
    net_url_add_span(&url, "from", (struct span){ "-2hours", 3 });
    net_url_add_u64(&url, "limit", UINT64_MAX);
    assert_string_equal(
        strbuf_text(&url.text),
        "/v1/jobstats/job/a%2Fb%207?from=-2h&limit=18446744073709551615");
}

static void a_nul_byte_is_encoded_like_any_other(void **state)
{
    AUTO(net_url_done) struct net_url url;
    (void)state;
    net_url_init(&url, "/");
    net_url_add_span(&url, "x", (struct span){ "a\0b", 3 });
    assert_string_equal(strbuf_text(&url.text), "/?x=a%00b");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters_are_encoded_as_rfc_3986_wants),
        cmocka_unit_test(the_first_parameter_follows_a_question_mark),
        cmocka_unit_test(a_nul_byte_is_encoded_like_any_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
