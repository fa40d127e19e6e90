/* SPDX-License-Identifier: Apache-2.0 */
/* test_server_counters - the page /metrics as a table, and lines that are no counters.
 */
#include "base/span.h"
#include "base/test/testing.h"
#include "client/client.h"

static void each_number_is_a_row_with_the_meaning_of_its_family(void **state)
{
    AUTO(table_done) struct table table;
    (void)state;
    table_init(&table);
    assert_int_equal(server_counters_read(
                         SPAN("# HELP baro_net_requests_total Requests received.\n"
                              "# TYPE baro_net_requests_total counter\n"
                              "baro_net_requests_total 17\n"
                              "# HELP baro_net_responses_total Responses, by class.\n"
                              "# TYPE baro_net_responses_total counter\n"
                              "baro_net_responses_total{class=\"2xx\"} 16\n"
                              "baro_net_responses_total{class=\"5xx\"} 1"),
                         &table),
                     0);
    assert_int_equal(table.column_count, 3);
    assert_int_equal(table.row_count, 3);
    assert_string_equal(table_at(&table, 0, 0)->text, "baro_net_requests_total");
    assert_true(table_at(&table, 0, 1)->dbl == 17);
    assert_string_equal(table_at(&table, 0, 2)->text, "Requests received.");
    assert_string_equal(table_at(&table, 2, 0)->text,
                        "baro_net_responses_total{class=\"5xx\"}");
    assert_true(table_at(&table, 2, 1)->dbl == 1);
    assert_string_equal(table_at(&table, 2, 2)->text, "Responses, by class.");
}

static void pages_of_other_programs_are_recognized(void **state)
{
    (void)state;
    assert_true(server_counters_are_of_barod(
        SPAN("# HELP baro_net_requests_total Requests received.\n"
             "baro_net_requests_total 17\n")));
    assert_false(server_counters_are_of_barod(SPAN("go_goroutines 8\n")));
    assert_false(server_counters_are_of_barod(SPAN("# HELP baro_net_x Of another.\n")));
    assert_false(server_counters_are_of_barod(SPAN("<!DOCTYPE html>\n")));
    assert_false(server_counters_are_of_barod(SPAN("")));
}

static void lines_without_a_number_are_skipped(void **state)
{
    static const struct {
        const char *text;
        size_t want;
    } cases[] = {
        { "", 0 },
        { "\n\n", 0 },
        { "# HELP", 0 },
        { "# HELP \n# HELP x\n# x 1\n", 0 },
        { "name\n", 0 },
        { "name \n", 0 },
        { "name one\n", 0 },
        { "name 1 2\n", 0 },
        { "name one\nother 1\n", 1 },
        { "before_any_help 1.5e3\n", 1 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(table_done) struct table table;
        table_init(&table);
        int rc = server_counters_read(span_of(cases[i].text), &table);
        if (rc != 0 || table.column_count != 3 || table.row_count != cases[i].want)
            fail_msg("\"%s\": %d, %zu rows", cases[i].text, rc, table.row_count);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_number_is_a_row_with_the_meaning_of_its_family),
        cmocka_unit_test(lines_without_a_number_are_skipped),
        cmocka_unit_test(pages_of_other_programs_are_recognized),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
