/* SPDX-License-Identifier: Apache-2.0 */
/* test_metric_text - names as JSON and CSV, and the statuses of the compatible routes.
 */
#include "api/metric/metric_text.h"
#include "base/span.h"

#include "api/metric/metric_error.h"
#include "api/params.h"
#include "base/test/testing.h"

#include <errno.h>

static void names_are_quoted_where_they_have_to_be(void **state)
{
    static const struct {
        const char *text, *csv, *json;
    } cases[] = {
        { "load", "load", "\"load\"" },
        { "", "", "\"\"" },
        { "a,b", "\"a,b\"", "\"a,b\"" },
        { "a\"b", "\"a\"\"b\"", "\"a\\\"b\"" },
        { "a\nb", "\"a\nb\"", "\"a\\nb\"" },
        { "a\rb", "\"a\rb\"", "\"a\\u000db\"" },
        { "c/n1/tags:cpu=0", "c/n1/tags:cpu=0", "\"c/n1/tags:cpu=0\"" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        AUTO(strbuf_done) struct strbuf csv = STRBUF_INIT, json = STRBUF_INIT;
        metric_text_csv(&csv, span_of(cases[i].text));
        metric_text_json(&json, span_of(cases[i].text));
        assert_string_equal(strbuf_text(&csv), cases[i].csv);
        assert_string_equal(strbuf_text(&json), cases[i].json);
    }
}

static void below_api_a_status_is_400_or_a_passing_one(void **state)
{
    static const struct {
        int rc;
        unsigned want;
    } cases[] = {
        { -EINVAL, 400 },    { -EBADMSG, 400 },   { -ENOENT, 400 }, { -EACCES, 400 },
        { -EMSGSIZE, 400 },  { -EIO, 400 },       { -ENOMEM, 503 }, { -EAGAIN, 503 },
        { -ESHUTDOWN, 503 }, { -ETIMEDOUT, 504 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (metric_error_status(cases[i].rc) != cases[i].want)
            fail_msg("%d: %u", cases[i].rc, metric_error_status(cases[i].rc));
}

static void a_route_has_the_parameters_of_its_groups(void **state)
{
    static const struct {
        uint64_t groups;
        const char *name;
        bool want;
    } cases[] = {
        { PARAM_FILTER, "fs", true },
        { PARAM_FILTER, "from", false },
        { PARAM_FILTER | PARAM_WINDOW, "from", true },
        { PARAM_JOBS, "format", true },
        { PARAM_FREE, "to", true },
        { 0, "fs", false },
        { PARAM_FILTER, "", false },
        { PARAM_FILTER, "FS", false },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (api_params_have(cases[i].groups, span_of(cases[i].name)) != cases[i].want)
            fail_msg("%x: %s", cases[i].groups, cases[i].name);
    for (size_t i = 0; i < api_param_count; i++)
        assert_true(api_params[i].groups != 0 && api_params[i].help[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_quoted_where_they_have_to_be),
        cmocka_unit_test(below_api_a_status_is_400_or_a_passing_one),
        cmocka_unit_test(a_route_has_the_parameters_of_its_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
