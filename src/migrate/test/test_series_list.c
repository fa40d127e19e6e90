/* SPDX-License-Identifier: Apache-2.0 */
/* test_series_list - every series that a barod has. */
#include "base/span.h"
#include "migrate/series_list.h"

#include "migrate/test/peer.h"

static void names_are_listed_in_order(void **state)
{
    static const char *const responses[] = {
        "component,metric,step\nc/h,cpu_load,60\n\"c/h,2\",\"m\"\"x\",\nc/h,last,15\n"
    };
    struct test_peer peer = { .responses = responses, .response_count = 1 };
    const struct http_peer barod = test_peer_make(&peer);
    AUTO(series_list_done) struct series_list list = { 0 };
    (void)state;
    assert_int_equal(series_list_get(&barod, "c/*", &list, NULL), 0);
    assert_int_equal(list.count, 3);
    assert_true(span_is(list.items[0].component, "c/h"));
    assert_true(span_is(list.items[0].metric, "cpu_load"));
    assert_true(span_is(list.items[1].component, "c/h,2"));
    assert_true(span_is(list.items[1].metric, "m\"x"));
    assert_true(span_is(list.items[2].metric, "last"));
    assert_string_equal(strbuf_text(&peer.paths),
                        "/v1/series?component=c%2F%2A&format=csv\n");
    strbuf_done(&peer.paths);
}

static void no_pattern_is_no_parameter(void **state)
{
    static const char *const responses[] = { "component,metric,step\n",
                                             "component,metric,step\n" };
    static const char *const patterns[] = { NULL, "" };
    struct test_peer peer = { .responses = responses, .response_count = 2 };
    const struct http_peer barod = test_peer_make(&peer);
    (void)state;
    for (size_t i = 0; i < COUNT_OF(patterns); i++) {
        AUTO(series_list_done) struct series_list list = { 0 };
        assert_int_equal(series_list_get(&barod, patterns[i], &list, NULL), 0);
        assert_int_equal(list.count, 0);
    }
    assert_string_equal(strbuf_text(&peer.paths),
                        "/v1/series?format=csv\n/v1/series?format=csv\n");
    strbuf_done(&peer.paths);
}

static void what_is_no_list_is_refused(void **state)
{
    static const struct {
        const char *response;
        int want;
    } cases[] = {
        { "", -EBADMSG },
        { "{\"columns\":[]}", -EBADMSG },
        { "metric,component,step\nm,c/h,60\n", -EBADMSG },
        { NULL, -ENOTCONN },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct test_peer peer = { .responses = &cases[i].response,
                                  .response_count = 1,
                                  .error = -ENOTCONN };
        const struct http_peer barod = test_peer_make(&peer);
        AUTO(series_list_done) struct series_list list = { 0 };
        struct err err = { 0 };
        assert_int_equal(series_list_get(&barod, "", &list, &err), cases[i].want);
        assert_int_equal(list.count, 0);
        assert_true(err.text[0]);
        strbuf_done(&peer.paths);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_listed_in_order),
        cmocka_unit_test(no_pattern_is_no_parameter),
        cmocka_unit_test(what_is_no_list_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
