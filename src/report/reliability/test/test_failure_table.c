/* SPDX-License-Identifier: Apache-2.0 */
/* test_failure_table - a row a class, and one for each of its worst. */
#include "report/reliability/reliability.h"

#include "base/number.h"
#include "base/span.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#define HOUR_NS (3600 * NS_PER_S)

static void state_of(struct failure_report *report, const char *component, int hour,
                     enum resource_health health)
{
    const struct resource_statement s = { .component = span_of(component),
                                          .source = SPAN("system:ping"),
                                          .health = health,
                                          .t_ns = hour * HOUR_NS };
    assert_int_equal(failure_report_add(report, &s), 0);
}

static double number_at(const struct table *table, size_t row, const char *column)
{
    int at = table_find_column(table, column);
    assert_true(at >= 0);
    const struct table_cell *cell = table_at(table, row, (size_t)at);
    assert_false(cell->is_null);
    return table->columns[at].type == TABLE_DOUBLE ? cell->dbl : (double)cell->u64;
}

static void hours_and_shares_are_as_they_were(void **state)
{
    const struct failure_report_opts opts = { .from_ns = 100 * HOUR_NS,
                                              .to_ns = 200 * HOUR_NS,
                                              .worst = 1 };
    AUTO(failure_report_free) struct failure_report *report = NULL;
    AUTO(table_done) struct table table;
    (void)state;
    table_init(&table);
    assert_int_equal(failure_report_new(&opts, &report), 0);
    state_of(report, "alex/a1", 100, RESOURCE_UP);
    state_of(report, "alex/a1", 120, RESOURCE_DOWN);
    state_of(report, "alex/a1", 125, RESOURCE_UP);
    state_of(report, "alex/a1", 160, RESOURCE_DOWN);
    state_of(report, "alex/a1", 175, RESOURCE_UP);
    state_of(report, "scratch/scratch-OST0000", 150, RESOURCE_UP);
    assert_int_equal(failure_report_flush(report), 0);
    failure_report_finish(report);
    assert_int_equal(failure_table_make(report, &table), 0);
    assert_int_equal(table.row_count, 3);
    for (size_t row = 0; row < 2; row++) {
        assert_true(number_at(&table, row, "observed") == 100);
        assert_true(number_at(&table, row, "failures") == 2);
        assert_true(number_at(&table, row, "mtbf") == 50);
        assert_true(number_at(&table, row, "repair_mean") == 10);
        assert_true(number_at(&table, row, "repair_median") == 10);
        assert_true(number_at(&table, row, "availability") == 80);
        assert_true(number_at(&table, row, "interval_p50") == 40);
    }
    assert_string_equal(table_at(&table, 1, 1)->text, "alex/a1");
    int mtbf = table_find_column(&table, "mtbf");
    assert_true(table_at(&table, 2, (size_t)mtbf)->is_null);
    assert_int_equal(table.note_count, 1);
    assert_string_equal(table.notes[0], "ost: no failure in 50.0 hours");
}

static void what_is_in_other_is_stated(void **state)
{
    const struct failure_report_opts opts = { .from_ns = 100 * HOUR_NS,
                                              .to_ns = 200 * HOUR_NS };
    (void)state;
    for (int more = 0; more < 3; more += 2) {
        AUTO(failure_report_free) struct failure_report *report = NULL;
        AUTO(table_done) struct table table;
        char path[32];
        table_init(&table);
        assert_int_equal(failure_report_new(&opts, &report), 0);
        for (int i = 1000; i < 1000 + FAILURE_CLASSES_MAX + more; i++) {
            (void)snprintf(path, sizeof path, "alex/a1/t%d:1", i);
            state_of(report, path, 150, RESOURCE_UP);
        }
        assert_int_equal(failure_report_flush(report), 0);
        failure_report_finish(report);
        assert_int_equal(failure_table_make(report, &table), 0);
        assert_true(table.note_count > 0);
        assert_int_equal(
            strstr(table.notes[0], "has 2 components of further classes") != NULL,
            more == 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hours_and_shares_are_as_they_were),
        cmocka_unit_test(what_is_in_other_is_stated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
