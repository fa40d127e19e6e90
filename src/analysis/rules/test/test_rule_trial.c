/* SPDX-License-Identifier: Apache-2.0 */
/* test_rule_trial - tests of rule_trial. */
#include "analysis/rules/rules.h"
#include "base/span.h"
#include "base/test/testing.h"

#include <stdio.h>

static void the_worst_come_first_and_unknown_ones_last(void **state)
{
    (void)state;
    static const char text[] = "[finding a]\ncondition = cpus > 4\nsentence = {cpus}\n"
                               "order = run_time\n";
    static const char *const times[] = { "3", "null", "9", "1", "null", "5", "9" };
    static const char *const want[] = { "2", "6", "5", "0", "3" };
    static struct config_section sections[2];
    AUTO(config_free) struct config *config = NULL;
    AUTO(site_rules_free) struct site_rules *rules = NULL;
    AUTO(rule_trial_done) struct rule_trial trial = { 0 };
    struct err err = { 0 };
    sections[0] = finding_config_section;
    sections[1] = application_config_section;
    assert_int_equal(config_parse("c", span_of(text), sections, 2, &config, &err), 0);
    assert_int_equal(site_rules_new(config, &rules, &err), 0);
    assert_int_equal(rule_trial_init(&trial, rules, 5), 0);
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        AUTO(site_report_done) struct site_report report = { 0 };
        char document[64], name[2] = { (char)('0' + i), 0 };
        (void)snprintf(document, sizeof document, "{\"cpus\":8,\"run_time\":%s}",
                       times[i]);
        assert_int_equal(site_report_read(rules, span_of(document), &report, &err), 0);
        assert_int_equal(rule_trial_add(&trial, name, &report), 0);
    }
    assert_int_equal(trial.jobs, 7);
    assert_int_equal(trial.rules[0].made, 7);
    assert_int_equal(trial.rules[0].alone, 7);
    assert_int_equal(trial.rules[0].worst_count, 5);
    for (size_t i = 0; i < 5; i++)
        assert_string_equal(trial.rules[0].worst[i].job, want[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_worst_come_first_and_unknown_ones_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
