/* SPDX-License-Identifier: Apache-2.0 */
/* test_own_line - one line of the metrics page, read again. */
#include "daemon/own_line.h"

#include "base/span.h"
#include "base/test/testing.h"

static void a_line_is_a_name_a_label_and_a_number_or_nothing(void **state)
{
    static const struct {
        const char *line, *name, *label, *value;
        double number;
        bool want;
    } cases[] = {
        { "baro_x 17", "baro_x", "", "", 17, true },
        { "baro_x{class=\"2xx\"} 1.5", "baro_x", "class", "2xx", 1.5, true },
        { "baro_x{a=\"1\",b=\"2\"} 3", "baro_x", "a", "1", 3, true },
        { "baro_x{broken 3", "baro_x{broken", "", "", 3, true },
        { "baro_x{a\"b\"} 3", "baro_x{a\"b\"}", "", "", 3, true },
        { "# HELP baro_x 17", "", "", "", 0, false },
        { "", "", "", "", 0, false },
        { "baro_x", "", "", "", 0, false },
        { "baro_x many", "", "", "", 0, false },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        enum metric_kind kind = METRIC_GAUGE;
        struct own_line line = { .value = 0 };
        bool has = own_line_parse(span_of(cases[i].line), &kind, &line);
        if (has != cases[i].want || !span_is(line.name, cases[i].name) ||
            !span_is(line.label, cases[i].label) ||
            !span_is(line.label_value, cases[i].value) ||
            line.value < cases[i].number || line.value > cases[i].number)
            fail_msg("%s", cases[i].line);
        assert_int_equal(kind, METRIC_GAUGE);
    }
}

static void a_type_holds_for_the_lines_that_follow(void **state)
{
    enum metric_kind kind = METRIC_GAUGE;
    struct own_line line;
    (void)state;
    assert_false(own_line_parse(SPAN("# TYPE baro_x counter"), &kind, &line));
    assert_int_equal(kind, METRIC_COUNTER);
    assert_true(own_line_parse(SPAN("baro_x 1"), &kind, &line));
    assert_int_equal(kind, METRIC_COUNTER);
    assert_false(own_line_parse(SPAN("# TYPE baro_y gauge"), &kind, &line));
    assert_int_equal(kind, METRIC_GAUGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_is_a_name_a_label_and_a_number_or_nothing),
        cmocka_unit_test(a_type_holds_for_the_lines_that_follow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
