/* SPDX-License-Identifier: Apache-2.0 */
/* test_failure_report - failures of classes, out of statements in their order. */
#include "analysis/reliability/reliability.h"

#include "base/span.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#define END_NS 1000

static struct resource_statement statement(const char *component, const char *source,
                                           int64_t t_ns, enum resource_health health)
{
    return (struct resource_statement){ .component = span_of(component),
                                        .source = span_of(source),
                                        .health = health,
                                        .t_ns = t_ns };
}

static void add(struct failure_report *report, const char *component,
                const char *source, int64_t t_ns, enum resource_health health)
{
    const struct resource_statement s = statement(component, source, t_ns, health);
    assert_int_equal(failure_report_add(report, &s), 0);
}

static void hold(struct failure_report *report, const char *component,
                 const char *source, int64_t t_ns, enum resource_health health)
{
    const struct resource_statement s = statement(component, source, t_ns, health);
    assert_int_equal(failure_report_hold(report, &s), 0);
}

static struct failure_report *report_begin(size_t worst)
{
    const struct failure_report_opts opts = { .from_ns = 100,
                                              .to_ns = END_NS,
                                              .worst = worst };
    struct failure_report *report;
    assert_int_equal(failure_report_new(&opts, &report), 0);
    return report;
}

static void report_end(struct failure_report *report)
{
    assert_int_equal(failure_report_flush(report), 0);
    failure_report_finish(report);
}

static const struct failure_class *class_of(const struct failure_report *report,
                                            const char *name)
{
    for (size_t i = 0; i < failure_report_count(report); i++)
        if (strcmp(failure_report_at(report, i)->name, name) == 0)
            return failure_report_at(report, i);
    return NULL;
}

static void a_failure_is_of_the_component_that_it_was_stated_of(void **state)
{
    (void)state;
    AUTO(failure_report_free) struct failure_report *report = report_begin(2);
    add(report, "alex/a1", "system:ping", 50, RESOURCE_UP);
    add(report, "alex/a1/dimm:1", "system:edac", 50, RESOURCE_UP);
    add(report, "alex/a1/dimm:1", "system:edac", 200, RESOURCE_DOWN);
    add(report, "alex/a1/dimm:2", "system:edac", 500, RESOURCE_UP);
    add(report, "alex/a1/dimm:2", "user:carol", 600, RESOURCE_DOWN);
    report_end(report);
    assert_int_equal(failure_report_count(report), 2);
    const struct failure_class *dimms = class_of(report, "dimm");
    assert_int_equal(class_of(report, "host")->stats.failures, 0);
    assert_int_equal(dimms->stats.components, 2);
    assert_int_equal(dimms->stats.failures, 1);
    assert_int_equal(dimms->stats.failed, 1);
    assert_true(dimms->stats.up_ns == 100 + 500);
    assert_true(dimms->stats.down_ns == 800);
    assert_int_equal(dimms->worst.count, 1);
    assert_string_equal(dimms->worst.items[0].path, "alex/a1/dimm:1");
}

static void what_holds_since_before_the_history_counts(void **state)
{
    (void)state;
    AUTO(failure_report_free) struct failure_report *report = report_begin(0);
    hold(report, "alex/a1", "system:ping", 50, RESOURCE_UP);
    hold(report, "alex/a2", "system:ping", 900, RESOURCE_DOWN);
    hold(report, "alex/a3", "system:ping", 10, RESOURCE_DOWN);
    add(report, "alex/a2", "system:ping", 800, RESOURCE_UP);
    add(report, "alex/a2", "system:ping", 900, RESOURCE_DOWN);
    report_end(report);
    const struct failure_stats *hosts = &class_of(report, "host")->stats;
    assert_int_equal(hosts->components, 3);
    assert_int_equal(hosts->failures, 1);
    assert_int_equal(hosts->failed, 2);
    assert_true(hosts->up_ns == 900 + 100);
    assert_true(hosts->down_ns == 900 + 100);
}

static void parts_of_a_silent_host_are_unknown(void **state)
{
    (void)state;
    AUTO(failure_report_free) struct failure_report *report = report_begin(0);
    add(report, "alex/a1", "system:presence", 50, RESOURCE_UP);
    add(report, "alex/a1", "system:presence", 300, RESOURCE_UNKNOWN);
    add(report, "alex/a1", "system:presence", 400, RESOURCE_UP);
    add(report, "alex/a1-x", "system:presence", 50, RESOURCE_UP);
    add(report, "alex/a1/dimm:1", "system:edac", 50, RESOURCE_UP);
    report_end(report);
    assert_true(class_of(report, "host")->stats.unknown_ns == 100);
    assert_true(class_of(report, "dimm")->stats.unknown_ns == 100);
    assert_true(class_of(report, "dimm")->stats.up_ns == 800);
}

static void the_worst_come_first_and_are_no_more_than_wanted(void **state)
{
    char path[32];
    (void)state;
    AUTO(failure_report_free) struct failure_report *report = report_begin(3);
    for (int host = 0; host < 10; host++) {
        (void)snprintf(path, sizeof path, "alex/a%d", host);
        add(report, path, "system:ping", 50, RESOURCE_UP);
        for (int i = 0; i < host % 5; i++) {
            add(report, path, "system:ping", 200 + 20 * i, RESOURCE_DOWN);
            add(report, path, "system:ping", 210 + 20 * i, RESOURCE_UP);
        }
    }
    report_end(report);
    const struct failure_class *hosts = class_of(report, "host");
    assert_int_equal(hosts->worst.count, 3);
    assert_string_equal(hosts->worst.items[0].path, "alex/a4");
    assert_string_equal(hosts->worst.items[1].path, "alex/a9");
    assert_string_equal(hosts->worst.items[2].path, "alex/a3");
    assert_int_equal(hosts->worst.items[0].stats.intervals.count, 3);
    assert_int_equal(hosts->stats.failures, 2 * (1 + 2 + 3 + 4));
}

static void classes_have_a_bound(void **state)
{
    char path[32];
    (void)state;
    AUTO(failure_report_free) struct failure_report *report = report_begin(1);
    for (int i = 1000; i < 1000 + 2 * FAILURE_CLASSES_MAX; i++) {
        (void)snprintf(path, sizeof path, "alex/a1/t%d:1", i);
        add(report, path, "system:ping", 50, RESOURCE_UP);
    }
    report_end(report);
    assert_int_equal(failure_report_count(report), FAILURE_CLASSES_MAX + 1);
    assert_int_equal(class_of(report, "other")->stats.components, FAILURE_CLASSES_MAX);
    assert_int_equal(failure_report_others(report), FAILURE_CLASSES_MAX);
}

static void a_percentile_lies_between_two_in_proportion(void **state)
{
    int64_t items[] = { 10, 20, 30, 50 };
    const struct failure_lengths lengths = { .items = items, .count = 4 };
    const struct failure_lengths none = { 0 };
    int64_t length;
    (void)state;
    assert_true(failure_lengths_percentile(&lengths, 50, &length));
    assert_int_equal(length, 25);
    assert_true(failure_lengths_percentile(&lengths, 90, &length));
    assert_int_equal(length, 44);
    assert_true(failure_lengths_percentile(&lengths, 100, &length));
    assert_int_equal(length, 50);
    assert_false(failure_lengths_percentile(&none, 50, &length));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failure_is_of_the_component_that_it_was_stated_of),
        cmocka_unit_test(what_holds_since_before_the_history_counts),
        cmocka_unit_test(parts_of_a_silent_host_are_unknown),
        cmocka_unit_test(the_worst_come_first_and_are_no_more_than_wanted),
        cmocka_unit_test(classes_have_a_bound),
        cmocka_unit_test(a_percentile_lies_between_two_in_proportion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
