/* SPDX-License-Identifier: Apache-2.0 */
/* test_site_rules - tests of site_rules. */
#include "analysis/rules/rules.h"
#include "base/span.h"
#include "base/test/testing.h"

#include <math.h>
#include <string.h>

static const char text_of[] = "[finding a]\n"
                              "condition = cpus > 4 and run_time > 1min\n"
                              "sentence = {{{cpus}} for {run_time}, {memory}\n"
                              "state = active\n"
                              "[finding b]\n"
                              "condition = cpus > 4\n"
                              "sentence = all of {user} in {\"}\"}\n"
                              "severity = error\n"
                              "state = active\n"
                              "[finding c]\n"
                              "condition = not found.idle_node\n"
                              "sentence = x\n"
                              "state = active\n"
                              "[finding d]\n"
                              "condition = nodes = 3\n"
                              "sentence = {nodes} nodes\n";

static struct site_rules *rules_make(struct config **config)
{
    static struct config_section sections[2];
    struct site_rules *rules = NULL;
    struct err err = { 0 };
    sections[0] = finding_config_section;
    sections[1] = application_config_section;
    assert_int_equal(config_parse("c", span_of(text_of), sections, 2, config, &err), 0);
    if (site_rules_new(*config, &rules, &err) < 0)
        fail_msg("%s", err.text);
    return rules;
}

static const struct site_result *result_of(const struct site_report *report,
                                           const char *name)
{
    for (size_t i = 0; i < report->count; i++)
        if (strcmp(report->results[i].rule->name, name) == 0)
            return &report->results[i];
    fail_msg("there is no %s", name);
    return NULL;
}

static void what_is_not_known_is_not_claimed(void **state)
{
    (void)state;
    AUTO(config_free) struct config *config = NULL;
    AUTO(site_rules_free) struct site_rules *rules = rules_make(&config);
    AUTO(job_context_done) struct job_context facts;
    struct job_assessment page = { 0 };
    job_context_init(&facts);
    struct job_identity who = facts.identity;
    (void)job_resource_set(&who.resources, JOB_CPUS, 8);
    who.start_ns = 0;
    who.end_ns = INT64_C(600) * 1000000000;
    who.user = "ada\n<b>";
    who.nodes = "n[1-3]";
    page.record = &who;
    for (int has_memory = 0; has_memory < 2; has_memory++) {
        AUTO(site_report_done) struct site_report report = { 0 };
        if (has_memory)
            (void)job_resource_set(&who.resources, JOB_MEMORY_BYTES, 1 << 30);
        assert_int_equal(site_report_make(rules, &page, &facts, &report), 0);
        assert_string_equal(report.results[0].rule->name, "b"); /* the most severe */
        assert_string_equal(result_of(&report, "b")->sentence,
                            "all of ada\\x0A<b> in }");
        const struct site_result *a = result_of(&report, "a");
        assert_int_equal(a->result, has_memory ? CONDITION_TRUE : CONDITION_UNKNOWN);
        if (has_memory)
            assert_string_equal(a->sentence, "{8} for 10 min, 1.00 GiB");
        else
            assert_null(a->sentence);
        assert_int_equal(result_of(&report, "c")->result, CONDITION_UNKNOWN);
        const struct site_result *d = result_of(&report, "d");
        assert_int_equal(d->result, CONDITION_TRUE);
        assert_string_equal(d->sentence, "3 nodes");
        assert_false(site_result_is_shown(d)); /* on trial */
        assert_true(d->order == 1800);         /* nodes * run_time */
        assert_int_equal(report.active_count, 1 + has_memory);
    }
}

static void a_document_of_values_says_the_same(void **state)
{
    (void)state;
    AUTO(config_free) struct config *config = NULL;
    AUTO(site_rules_free) struct site_rules *rules = rules_make(&config);
    AUTO(site_report_done) struct site_report report = { 0 };
    AUTO(site_report_done) struct site_report bad = { 0 };
    AUTO(rule_trial_done) struct rule_trial trial = { 0 };
    struct err err = { 0 };
    assert_int_equal(
        site_report_read(rules,
                         SPAN("{\"cpus\":8,\"run_time\":600,\"memory\":1073741824,"
                              "\"user\":\"ada\",\"found.small\":1}"),
                         &report, &err),
        0);
    assert_string_equal(result_of(&report, "a")->sentence, "{8} for 10 min, 1.00 GiB");
    assert_int_equal(result_of(&report, "d")->result, CONDITION_UNKNOWN);
    assert_int_equal(rule_trial_init(&trial, rules, 10), 0);
    assert_int_equal(rule_trial_add(&trial, "7", &report), 0);
    assert_int_equal(trial.rules[1].made, 1);
    assert_int_equal(trial.rules[1].alone, 0);
    assert_int_equal(trial.rules[1].with[0], 1); /* small is the first of its table */
    assert_int_equal(site_report_read(rules, SPAN("[1]"), &bad, &err), -EBADMSG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_known_is_not_claimed),
        cmocka_unit_test(a_document_of_values_says_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
