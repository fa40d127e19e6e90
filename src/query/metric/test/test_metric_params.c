/* SPDX-License-Identifier: Apache-2.0 */
/* test_metric_params - the parameters of a request for samples: read, refused, settled.
 */
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "query/metric/metric.h"

#include <errno.h>

#define NOW (INT64_C(1700000000) * NS_PER_S)

static void each_value_is_read_as_its_type_says(void **state)
{
    struct metric_params p;
    static const char *const given[][2] = {
        { "from", "@1600000000" }, { "to", "@1600003600" }, { "last", "2h" },
        { "aggregate", "avg" },    { "step", "1m" },        { "resample", "triangles" },
        { "counters", "rate" },    { "by", "max" },         { "top", "7" },
        { "statistics", "yes" },   { "format", "csv" },
    };
    (void)state;
    metric_params_init(&p, NOW);
    for (size_t i = 0; i < COUNT_OF(given); i++)
        assert_int_equal(metric_param_parse(&p, span_of(given[i][0]),
                                            span_of(given[i][1]), NOW, NULL),
                         0);
    assert_int_equal(metric_params_settle(&p, NULL), 0);
    assert_int_equal(p.from_ns, INT64_C(1600000000) * NS_PER_S);
    assert_int_equal(p.to_ns, INT64_C(1600003600) * NS_PER_S);
    assert_int_equal(p.last_ns, 7200 * NS_PER_S);
    assert_int_equal(p.step_ns, 60 * NS_PER_S);
    assert_true(p.is_together && p.aggregation == AGGREGATE_AVG);
    assert_int_equal(p.resampling, RESAMPLE_TRIANGLES);
    assert_int_equal(p.counters, METRIC_COUNTERS_RATE);
    assert_int_equal(p.by, METRIC_BY_MAX);
    assert_int_equal(p.top, 7);
    assert_int_equal(p.want, METRIC_WANT_DATA | METRIC_WANT_STATS);
    assert_int_equal(p.form, METRIC_FORM_CSV);
}

static void without_any_it_is_the_last_hour_as_it_was_sent(void **state)
{
    struct metric_params p;
    (void)state;
    metric_params_init(&p, NOW);
    assert_int_equal(metric_params_settle(&p, NULL), 0);
    assert_int_equal(p.to_ns, NOW);
    assert_int_equal(p.from_ns, NOW - 3600 * NS_PER_S);
    assert_false(p.is_together);
    assert_int_equal(p.counters, METRIC_COUNTERS_RAW);
    assert_int_equal(p.resampling, RESAMPLE_AVERAGE);
    assert_int_equal(p.want, METRIC_WANT_DATA);
    assert_int_equal(p.form, METRIC_FORM_JSON);
}

static void a_wrong_value_is_refused_with_what_may_be(void **state)
{
    static const struct {
        const char *name, *value, *text;
    } rows[] = {
        { "aggregate", "median", "aggregate: invalid value 'median' (choose sum|avg)" },
        { "resample", "", "resample: invalid value '' (choose triangles|average)" },
        { "step", "10", "step: invalid value '10' (write it as 30s, 10m, 1h, 7d)" },
        { "from", "yesterday",
          "from: invalid value 'yesterday' (write it as 2026-11-21T06:00Z, -2h, "
          "@1669010520, now)" },
        { "top", "-1", "top: invalid value '-1' (write it as 0, 1, 2, ...)" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct metric_params p;
        struct err err = { 0 };
        metric_params_init(&p, NOW);
        assert_int_equal(metric_param_parse(&p, span_of(rows[i].name),
                                            span_of(rows[i].value), NOW, &err),
                         -EINVAL);
        assert_string_equal(err.text, rows[i].text);
    }
}

static void what_is_no_parameter_is_none(void **state)
{
    struct metric_params p;
    (void)state;
    metric_params_init(&p, NOW);
    assert_int_equal(metric_param_parse(&p, SPAN("hours"), SPAN("now"), NOW, NULL),
                     -ENOENT);
}

static void a_range_ends_after_it_begins_and_a_top_wants_numbers(void **state)
{
    struct metric_params p;
    struct err err = { 0 };
    (void)state;
    metric_params_init(&p, NOW);
    (void)metric_param_parse(&p, SPAN("from"), SPAN("now"), NOW, NULL);
    (void)metric_param_parse(&p, SPAN("to"), SPAN("-1h"), NOW, NULL);
    assert_int_equal(metric_params_settle(&p, &err), -EINVAL);
    assert_string_equal(err.text, "from: is after to");
    metric_params_init(&p, NOW);
    (void)metric_param_parse(&p, SPAN("top"), SPAN("3"), NOW, NULL);
    assert_int_equal(metric_params_settle(&p, &err), 0);
    assert_int_equal(p.want, METRIC_WANT_STATS);
    metric_params_init(&p, NOW); /* longer than there is time */
    (void)metric_param_parse(&p, SPAN("last"), SPAN("100000d"), NOW, NULL);
    assert_int_equal(metric_params_settle(&p, &err), 0);
    assert_int_equal(p.from_ns, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_value_is_read_as_its_type_says),
        cmocka_unit_test(without_any_it_is_the_last_hour_as_it_was_sent),
        cmocka_unit_test(a_wrong_value_is_refused_with_what_may_be),
        cmocka_unit_test(what_is_no_parameter_is_none),
        cmocka_unit_test(a_range_ends_after_it_begins_and_a_top_wants_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
