/* SPDX-License-Identifier: Apache-2.0 */
/* test_metrics_text - Prometheus' text, written, and read again by own_line. */
#include "base/span.h"
#include "daemon/metrics/metrics_text.h"

#include "base/test/testing.h"
#include "daemon/own_line.h"

static void a_metric_is_a_head_and_a_value(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    metrics_add_count(&out, "net_requests_total", "counter", "Requests.", UINT64_MAX);
    metrics_add_double(&out, "process_cpu_seconds_total", "counter", "CPU.", 0.5);
    assert_string_equal(strbuf_text(&out),
                        "# HELP baro_net_requests_total Requests.\n"
                        "# TYPE baro_net_requests_total counter\n"
                        "baro_net_requests_total 18446744073709551615\n"
                        "# HELP baro_process_cpu_seconds_total CPU.\n"
                        "# TYPE baro_process_cpu_seconds_total counter\n"
                        "baro_process_cpu_seconds_total 0.5\n");
}

static void a_label_is_escaped(void **state)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        { "nodes", "baro_x{scrape=\"nodes\"} 7\n" },
        { "a\"b\\c", "baro_x{scrape=\"a\\\"b\\\\c\"} 7\n" },
        { "two\nlines", "baro_x{scrape=\"two\\nlines\"} 7\n" },
        { "", "baro_x{scrape=\"\"} 7\n" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        metrics_add_labelled(&out, "x", "scrape", cases[i].text, 7);
        assert_string_equal(strbuf_text(&out), cases[i].want);
    }
}

static void lines_are_read_as_they_were_written(void **state)
{
    static const struct {
        const char *line;
        bool want;
        const char *name, *label, *label_value;
        double value;
    } cases[] = {
        { "baro_a_total 17", true, "baro_a_total", "", "", 17 },
        { "baro_a{class=\"2xx\"} 0.5", true, "baro_a", "class", "2xx", 0.5 },
        { "baro_a{} 1", true, "baro_a{}", "", "", 1 },
        { "baro_a{class=2xx} 1", true, "baro_a{class=2xx}", "", "", 1 },
        { "# HELP baro_a Of 7", false, "", "", "", 0 },
        { "# TYPE baro_a counter", false, "", "", "", 0 },
        { "baro_a", false, "", "", "", 0 },
        { "baro_a many", false, "", "", "", 0 },
        { "", false, "", "", "", 0 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        enum metric_kind kind = METRIC_GAUGE;
        struct own_line got = { .value = 77 };
        bool rc = own_line_parse(span_of(cases[i].line), &kind, &got);
        bool is_as_wanted = rc ? span_is(got.name, cases[i].name) &&
                                     span_is(got.label, cases[i].label) &&
                                     span_is(got.label_value, cases[i].label_value) &&
                                     got.value == cases[i].value
                               : got.value == 77;
        if (rc != cases[i].want || !is_as_wanted)
            fail_msg("%s: " SPAN_FMT, cases[i].line, SPAN_ARG(got.name));
    }
}

static void a_type_holds_for_the_lines_behind_it(void **state)
{
    (void)state;
    enum metric_kind kind = METRIC_GAUGE;
    struct own_line line;
    assert_false(own_line_parse(SPAN("# TYPE baro_a counter"), &kind, &line));
    assert_int_equal(kind, METRIC_COUNTER);
    assert_true(own_line_parse(SPAN("baro_a 1"), &kind, &line));
    assert_int_equal(kind, METRIC_COUNTER);
    assert_false(own_line_parse(SPAN("# TYPE baro_b gauge"), &kind, &line));
    assert_int_equal(kind, METRIC_GAUGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_metric_is_a_head_and_a_value),
        cmocka_unit_test(a_label_is_escaped),
        cmocka_unit_test(lines_are_read_as_they_were_written),
        cmocka_unit_test(a_type_holds_for_the_lines_behind_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
