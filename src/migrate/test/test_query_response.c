/* SPDX-License-Identifier: Apache-2.0 */
/* test_query_response - what a store responds to /api/query. */
#include "base/span.h"
#include "migrate/query_response.h"

#include "base/strbuf.h"

#include "base/test/testing.h"

#include <math.h>
#include <stdio.h>

static void results_have_their_values(void **state)
{
    static const char json[] =
        "{\"queries\":[{\"metric\":\"x\"}],\"results\":[[{\"data\":[1.5,null,-3],"
        "\"from\":"
        "60,\"to\":240,\"resolution\":60,\"stats\":{\"data\":[9]}},{\"data\":[8]}],[],"
        "[{\"error\":\"no such metric\"}]]}";
    AUTO(query_response_done) struct query_response r = { 0 };
    struct err err = { 0 };
    (void)state;
    for (int again = 0; again < 2; again++) {
        assert_int_equal(query_response_parse(span_of(json), &r, &err), 0);
        assert_int_equal(r.result_count, 3);
        assert_int_equal(r.results[0].from_s, 60);
        assert_int_equal(r.results[0].step_s, 60);
        assert_int_equal(r.results[0].count, 3);
        assert_true(r.results[0].is_found);
        assert_true(r.values[0] == 1.5 && isnan(r.values[1]) && r.values[2] == -3);
        assert_false(r.results[1].is_found);
        assert_int_equal(r.results[1].count, 0);
        assert_string_equal(r.results[2].error, "no such metric");
        assert_int_equal(r.value_count, 3);
    }
}

static void a_long_error_is_cut(void **state)
{
    AUTO(query_response_done) struct query_response r = { 0 };
    char json[512];
    (void)state;
    (void)snprintf(json, sizeof json, "{\"results\":[[{\"error\":\"%0300d\"}]]}", 7);
    assert_int_equal(query_response_parse(span_of(json), &r, NULL), 0);
    assert_int_equal(strlen(r.results[0].error), sizeof r.results[0].error - 1);
}

static void what_is_no_response_is_refused(void **state)
{
    static const char *const texts[] = {
        "",
        "<html>",
        "{\"results\":[[{\"data\":[1}]]}",
        "{\"results\":[[{\"from\":-1}]]}",
        "{\"results\":[[{\"from\":9223372036854775807}]]}",
        "{\"results\":[[{\"resolution\":1.5}]]}",
        "{\"results\":[[{\"resolution\":-60}]]}",
        "{\"results\":[[{\"data\":[1e400]}]]}",
        "{\"results\":{\"a\":{\"b\":{\"data\":[1]}}}}",
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        AUTO(query_response_done) struct query_response r = { 0 };
        struct err err = { 0 };
        int rc = query_response_parse(span_of(texts[i]), &r, &err);
        if (rc != -EBADMSG || !err.text[0])
            fail_msg("%s: %d '%s'", texts[i], rc, err.text);
    }
}

static void a_response_without_results_has_none(void **state)
{
    AUTO(query_response_done) struct query_response r = { 0 };
    (void)state;
    assert_int_equal(
        query_response_parse(SPAN("{\"data\":[[{\"data\":[1]}]]}"), &r, NULL), 0);
    assert_int_equal(r.result_count, 0);
}

static void results_are_limited(void **state)
{
    AUTO(query_response_done) struct query_response r = { 0 };
    AUTO(strbuf_done) struct strbuf json = STRBUF_INIT;
    (void)state;
    strbuf_adds(&json, "{\"results\":[[]");
    for (int i = 0; i < 10000; i++)
        strbuf_adds(&json, ",[]");
    strbuf_adds(&json, "]}");
    assert_int_equal(query_response_parse(strbuf_span(&json), &r, NULL), -EMSGSIZE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_have_their_values),
        cmocka_unit_test(a_long_error_is_cut),
        cmocka_unit_test(what_is_no_response_is_refused),
        cmocka_unit_test(a_response_without_results_has_none),
        cmocka_unit_test(results_are_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
