/* SPDX-License-Identifier: Apache-2.0 */
/* test_engine - queries over a few samples, to the text of their results. */
#include "base/span.h"
#include "promql/promql.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* c{i="1"} grows by 4 in 60 s and is reset once; c{i="2"} ends by a mark. */
static const int64_t times_1[] = { 0, 60000, 120000, 180000 };
static const double values_1[] = { 1, 5, 9, 2 };
static const int64_t times_2[] = { 30000, 90000, 150000 };
static double values_2[] = { 2, 8, 0 };

static int select_two(void *arg, const struct promql_selection *s,
                      promql_series_fn *put, void *put_arg, struct err *err)
{
    const struct label one[] = { { SPAN("__name__"), SPAN("c") },
                                 { SPAN("i"), SPAN("1") },
                                 { SPAN("job"), SPAN("a") } };
    const struct label two[] = { { SPAN("__name__"), SPAN("c") },
                                 { SPAN("i"), SPAN("2") },
                                 { SPAN("job"), SPAN("b") } };
    const struct labels labels[] = { { 3, two }, { 3, one } };
    struct promql_samples samples[] = { { 3, times_2, values_2 },
                                        { 4, times_1, values_1 } };
    uint64_t stale = STALE_BITS;
    memcpy(&values_2[2], &stale, sizeof stale);
    if (arg)
        return err_set(err, EIO, "the source is broken");
    for (size_t i = 0; i < 2; i++) {
        struct promql_samples part = samples[i];
        while (part.count > 0 && part.times_ms[part.count - 1] > s->to_ms)
            part.count--;
        int rc = 0;
        if (part.count > 0 && matchers_fit(s->matchers, s->matcher_count, &labels[i]))
            rc = put(put_arg, &labels[i], &part);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static int query_text(struct promql_request request, const char *text, void *arg,
                      struct strbuf *out)
{
    AUTO(promql_result_free) struct promql_result *result = NULL;
    struct promql_source source = { arg, select_two };
    struct err err = { "" };
    request.text = span_of(text);
    strbuf_clear(out);
    int rc = promql_query(&request, &source, &result, &err);
    if (rc < 0) {
        assert_null(result);
        strbuf_adds(out, err.text);
    } else {
        result_json_add(out, result, NULL, 0);
    }
    return rc;
}

static void check_results(struct promql_request request, const char *const (*cases)[2],
                          size_t count)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    for (size_t i = 0; i < count; i++) {
        (void)query_text(request, cases[i][0], NULL, &out);
        if (!strstr(strbuf_text(&out), cases[i][1]))
            fail_msg("%s: got %s, want %s", cases[i][0], strbuf_text(&out),
                     cases[i][1]);
    }
}

static void an_instant_query_has_the_result_of_each_kind(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        { "1 + 2 * 3 ^ 2", "\"scalar\",\"result\":[120,\"19\"]" },
        { "-2 ^ 2", "\"-4\"" },
        { "2 ^ 3 ^ 2", "\"512\"" },
        { "'a\\tb'", "\"string\",\"result\":[120,\"a\\tb\"]" },
        { "c{i=\"1\"}",
          "{\"__name__\":\"c\",\"i\":\"1\",\"job\":\"a\"},\"value\":[120,\"9\"]" },
        { "sum(c)", "{\"metric\":{},\"value\":[120,\"17\"]}" },
        { "c{i='1'}[2m]", "\"values\":[[0,\"1\"],[60,\"5\"],[120,\"9\"]]" },
        { "rate(c{i='1'}[2m])", "\"0.06666666666666667\"" },
        { "c{job=~\"a|x\"} offset 1m", "[120,\"5\"]" },
        { "c{i='1'} @ 60", "[120,\"5\"]" },
        { "sum by (job) (c) > 8",
          "[{\"metric\":{\"job\":\"a\"},\"value\":[120,\"9\"]}]" },
        { "topk(1, c)", "\"i\":\"1\"" },
        { "bottomk(1, c)", "\"i\":\"2\"" },
        { "count_values('v', c)", "{\"v\":\"9\"}" },
        { "quantile(0.5, c)", "\"8.5\"" },
        { "avg(c)", "\"8.5\"" },
        { "stddev(c)", "\"0.5\"" },
        { "c{i='1'} + on(job) group_left c{i='1'}", "\"18\"" },
        { "c and on(job) c{i='2'}",
          "\"result\":[{\"metric\":{\"__name__\":\"c\",\"i\":\"2\"" },
        { "c unless c{i='2'}",
          "\"result\":[{\"metric\":{\"__name__\":\"c\",\"i\":\"1\"" },
        { "absent(none{a=\"b\"})", "{\"a\":\"b\"},\"value\":[120,\"1\"]" },
        { "label_replace(c{i='1'}, 'x', '<$1>', 'job', '(.)')",
          "\"x\":\"\\u003ca\\u003e\"" },
        { "label_join(c{i='1'}, 'x', '-', 'i', 'job')", "\"x\":\"1-a\"" },
        { "max_over_time(c{i='1'}[2m:1m])", "\"9\"" },
        { "scalar(c)", "\"NaN\"" },
        { "time()", "[120,\"120\"]" },
        { "hour(vector(7200))", "\"2\"" },
        { "timestamp(c{i='2'})", "\"90\"" },
        { "sort_desc(c)", "[120,\"9\"]}" },
        { "clamp(c{i='1'}, 0, 3)", "\"3\"" },
        { "holt_winters(c{i='1'}[2m], 0.5, 0.5)", "\"9\"" },
        { "histogram_quantile(0.5, label_replace(c{i='1'}, 'le', '10', '', '') or "
          "label_replace(c{i='1'} + 9, 'le', '+Inf', '', ''))",
          "{\"i\":\"1\",\"job\":\"a\"},\"value\":[120,\"10\"]" },
        { "histogram_quantile(0.5, c)", "\"result\":[]" },
        { "min(c)", "\"8\"" },
        { "max(c)", "\"9\"" },
        { "group(c)", "\"1\"" },
        { "count without (i) (c)", "{\"job\":\"b\"},\"value\":[120,\"1\"]" },
        { "c == bool 9", "{\"i\":\"2\",\"job\":\"b\"},\"value\":[120,\"0\"]" },
        { "8 < c", "\"i\":\"1\"" },
        { "c{i='2'} < ignoring(i, job) group_right c", "\"i\":\"1\"" },
        { "c{i='1'} or c{i='2'}", "\"i\":\"2\"" },
        { "-c{i='1'}", "{\"i\":\"1\",\"job\":\"a\"},\"value\":[120,\"-9\"]" },
        { "clamp_min(c{i='1'}, 10)", "\"10\"" },
        { "clamp_max(c{i='1'}, NaN)", "\"NaN\"" },
        { "clamp(c, 5, 1)", "\"result\":[]" },
        { "round(c{i='1'} / 2)", "\"5\"" },
        { "round(c{i='1'}, 5)", "\"10\"" },
        { "vector(pi())", "\"3.141592653589793\"" },
        { "label_replace(c{i='1'}, 'x', '${n}$$$', 'job', '(?P<n>.)')",
          "\"x\":\"a$$\"" },
        { "absent_over_time(none{a='b'}[5m])", "{\"a\":\"b\"}" },
        { "count_values without (i) ('v', c)", "{\"job\":\"a\",\"v\":\"9\"}" },
        { "1e300 * 1e300", "\"+Inf\"" },
    };
    check_results((struct promql_request){ .start_ms = 120000, .end_ms = 120000 },
                  cases, COUNT_OF(cases));
}

static void a_range_query_has_a_point_a_step(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        { "c{i='1'}", "\"values\":[[0,\"1\"],[60,\"5\"],[120,\"9\"],[180,\"2\"]]" },
        { "c{i='2'}", "\"values\":[[60,\"2\"],[120,\"8\"]]" },
        { "1",
          "{\"metric\":{},\"values\":[[0,\"1\"],[60,\"1\"],[120,\"1\"],[180,\"1\"]]" },
        { "resets(c{i='1'}[3m])", "[180,\"1\"]" },
        { "c{i='1'} @ end()", "[[0,\"2\"],[60,\"2\"],[120,\"2\"],[180,\"2\"]]" },
        { "bottomk(1, c)",
          "\"i\":\"2\",\"job\":\"b\"},\"values\":[[60,\"2\"],[120,\"8\"]]" },
    };
    struct promql_request request = { .end_ms = 180000, .step_ms = 60000 };
    check_results(request, cases, COUNT_OF(cases));
}

static void errors_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int rc;
        const char *want;
    } cases[] = {
        { "sum(", -EINVAL, "1:5: parse error" },
        { "c + on(job) c + ignoring() 1 +", -EINVAL, "unexpected end" },
        { "c * on(nothing) c", -EDOM, "duplicate series" },
        { "label_replace(c, 'i', '', 'i', '.*') + 0", 0, "" },
        { "label_replace(c, 'i', '', 'i', '(')", -EDOM, "regular expression" },
        { "label_replace(c, '1', '', 'i', '')", -EDOM, "not the name of a label" },
        { "count_values('1', c)", -EDOM, "not the name of a label" },
        { "topk(NaN, c)", -EDOM, "64 bits" },
        { "holt_winters(c[5m], 1, 0.5)", -EDOM, "smoothing" },
        { "max_over_time(c[9y:1ms])", -E2BIG, "samples" },
        { "histogram_count(c)", -EINVAL, "native histograms" },
    };
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        int rc =
            query_text((struct promql_request){ .start_ms = 120000, .end_ms = 120000 },
                       cases[i].text, NULL, &out);
        if (rc != cases[i].rc || !strstr(strbuf_text(&out), cases[i].want))
            fail_msg("%s: got %d %s", cases[i].text, rc, strbuf_text(&out));
    }
}

static int cancel(void *arg)
{
    return *(int *)arg;
}

static void limits_end_a_query(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    int reason = -ECANCELED;
    struct promql_request r = { .end_ms = 11000000, .step_ms = 1000 };
    assert_int_equal(query_text(r, "1", NULL, &out), -EINVAL);
    assert_non_null(strstr(strbuf_text(&out), "11,000 points"));
    r.end_ms -= 1000;
    assert_int_equal(query_text(r, "1", NULL, &out), 0);
    r.samples_max = 100;
    assert_int_equal(query_text(r, "1", NULL, &out), -E2BIG);
    r.samples_max = 0;
    r.memory_bytes_max = 1000;
    assert_int_equal(query_text(r, "c + c", NULL, &out), -E2BIG);
    r.memory_bytes_max = 0;
    r.is_canceled = cancel;
    r.cancel_arg = &reason;
    assert_int_equal(query_text(r, "c", NULL, &out), -ECANCELED);
    reason = -ETIMEDOUT;
    assert_int_equal(query_text(r, "c", NULL, &out), -ETIMEDOUT);
    reason = 0;
    assert_int_equal(query_text(r, "c", &reason, &out), -EIO);
    assert_string_equal(strbuf_text(&out), "the source is broken");
    static const struct promql_request bad[] = {
        { .start_ms = 1 },
        { .end_ms = 1 },
        { .end_ms = 1, .step_ms = -1 },
        { .end_ms = INT64_MAX, .step_ms = 1 },
    };
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        assert_int_equal(query_text(bad[i], "1", NULL, &out), -EINVAL);
    assert_int_equal(query_text((struct promql_request){ .end_ms = 5, .step_ms = 1 },
                                "c[5m]", NULL, &out),
                     -EINVAL);
}

static void errors_and_warnings_have_their_json(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    result_json_add_error(&out, -EINVAL, "a \"b\"");
    assert_string_equal(strbuf_text(&out), "{\"status\":\"error\",\"errorType\":"
                                           "\"bad_data\",\"error\":\"a \\\"b\\\"\"}");
    static const struct {
        int rc;
        const char *want;
    } types[] = { { -EDOM, "execution" },     { -E2BIG, "execution" },
                  { -ECANCELED, "canceled" }, { -ETIMEDOUT, "timeout" },
                  { -EIO, "internal" },       { -EINVAL, "bad_data" } };
    for (size_t i = 0; i < COUNT_OF(types); i++)
        assert_string_equal(result_json_error_type(types[i].rc), types[i].want);
    struct promql_result result = { .type = TYPE_SCALAR,
                                    .scalar = 1,
                                    .steps = { -1500, 1, 1 } };
    struct span warning = SPAN("late");
    strbuf_clear(&out);
    result_json_add(&out, &result, &warning, 1);
    assert_string_equal(strbuf_text(&out),
                        "{\"status\":\"success\",\"data\":{\"resultType\":\"scalar\","
                        "\"result\":[-1.500,\"1\"]},\"warnings\":[\"late\"]}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_instant_query_has_the_result_of_each_kind),
        cmocka_unit_test(a_range_query_has_a_point_a_step),
        cmocka_unit_test(errors_are_named),
        cmocka_unit_test(limits_end_a_query),
        cmocka_unit_test(errors_and_warnings_have_their_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
