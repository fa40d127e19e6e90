/* SPDX-License-Identifier: Apache-2.0 */
/* test_rules - the sections [resource] and [enclosure NAME]. */
#include "base/span.h"
#include "base/test/testing.h"
#include "resource/rules.h"

static int rules_of(const char *text, struct config **config,
                    struct resource_rules **ret, struct err *err)
{
    const struct config_section sections[] = { resource_config_section,
                                               enclosure_config_section };
    int rc = config_parse("barod.conf", span_of(text), sections, COUNT_OF(sections),
                          config, err);
    return rc < 0 ? rc : resource_rules_new(*config, ret, err);
}

static void rules_are_what_the_sections_state(void **state)
{
    (void)state;
    AUTO(config_free) struct config *config = NULL;
    AUTO(resource_rules_free) struct resource_rules *rules = NULL;
    struct err err = { 0 };
    if (rules_of("[resource]\nhost = alex/a[1-3]\nhost = fritz/f1\npart = fan: up\n"
                 "part = accelerator: down\n"
                 "[enclosure c1]\ncluster = alex\nmember = a[1-2]\ndown = unknown\n"
                 "[enclosure r1]\ncluster = alex\nmember = c1\n",
                 &config, &rules, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(rules->host_count, 2);
    assert_int_equal(hostset_count(rules->hosts[0].names), 3);
    assert_int_equal(resource_rules_part(rules, SPAN("fan")), RESOURCE_UP);
    assert_int_equal(resource_rules_part(rules, SPAN("accelerator")), RESOURCE_DOWN);
    assert_int_equal(resource_rules_part(rules, SPAN("dimm")), RESOURCE_DEGRADED);
    assert_int_equal(rules->enclosure_count, 2);
    assert_string_equal(rules->enclosures[0].path, "alex/c1");
    assert_int_equal(rules->enclosures[0].down, RESOURCE_UNKNOWN);
    assert_int_equal(rules->enclosures[1].down, RESOURCE_DOWN);
}

static void a_bad_rule_is_refused_with_its_reason(void **state)
{
    (void)state;
    static const struct {
        const char *text, *reason;
    } cases[] = {
        { "[resource]\nhost = a[1-3]\n", "names no cluster" },
        { "[resource]\nhost = alex/a[1-\n", "resource.host" },
        { "[resource]\nhost = al:ex/a1\n", "not a component" },
        { "[resource]\npart = fan\n", "invalid value ''" },
        { "[resource]\npart = : up\n", "names no type" },
        { "[resource]\npart = fan: drained\n", "choose down" },
        { "[resource]\nfull_at = 0\n", "full_at" },
        { "[enclosure c1]\ncluster = alex\n", "no member" },
        { "[enclosure c1]\nmember = a1\n", "cluster is missing" },
        { "[enclosure c1]\ncluster = alex\nmember = a1\ndown = broken\n", "choose" },
        { "[enclosure c1]\ncluster = alex\nmember = c2\n"
          "[enclosure c2]\ncluster = alex\nmember = c1\n",
          "in each other" },
        { "[enclosure c1]\ncluster = alex\nmember = c1\n", "in each other" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(config_free) struct config *config = NULL;
        AUTO(resource_rules_free) struct resource_rules *rules = NULL;
        struct err err = { 0 };
        int rc = rules_of(cases[i].text, &config, &rules, &err);
        if (rc >= 0 || !strstr(err.text, cases[i].reason))
            fail_msg("%s: %d, %s", cases[i].text, rc, err.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_are_what_the_sections_state),
        cmocka_unit_test(a_bad_rule_is_refused_with_its_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
