/* SPDX-License-Identifier: Apache-2.0 */
/* test_mapping - which mappings are accepted, and which state a value has. */
#include "base/span.h"
#include "base/test/testing.h"
#include "bmc/box/box_mapping.h"

#define DISK "[table disk]\nvalue = 1.3.6.1.4\nclass = disk\n"
#define REST "[table disk]\npath = /d\nvalue = /v\nclass = disk\n"

static void what_is_wrong_is_named(void **state)
{
    static const struct {
        enum box_mapping_kind kind;
        const char *text, *why;
    } cases[] = {
        { MAPPING_SNMP, "", "[table NAME]" },
        { MAPPING_SNMP, DISK, "states: a class wants them" },
        { MAPPING_SNMP, DISK "states = 1\n", "'1' is not VALUE=HEALTH" },
        { MAPPING_SNMP, DISK "states = =up\n", "'=up' is not VALUE=HEALTH" },
        { MAPPING_SNMP, DISK "states = 1=drained\n", "is not VALUE=HEALTH" },
        { MAPPING_SNMP, "[table x]\nclass = disk\nstates = 1=up\n", "value: a column" },
        { MAPPING_SNMP, "[table x]\nvalue = 1.3\n", "class: is wanted, or metric" },
        { MAPPING_SNMP, "[table x]\nvalue = 1.3.x\nmetric = m\n", "is not an OID" },
        { MAPPING_SNMP, "[table x]\nvalue = 1.3.4294967296\nmetric = m\n",
          "is not an OID" },
        { MAPPING_SNMP, "[table x]\nvalue = 3.1\nmetric = m\n", "is not an OID" },
        { MAPPING_SNMP, "[table x]\nvalue = 1.40\nmetric = m\n", "is not an OID" },
        { MAPPING_SNMP, "[table x]\nvalue = 1.3\nmetric = a b\n", "name of a metric" },
        { MAPPING_SNMP, "[table x]\nvalue = 1.3\nmetric = m\nwhen = 1.3.1\n",
          "one is nothing without the other" },
        { MAPPING_SNMP, "[table x]\nvalue = 1.3\nmetric = m\npath = /d\n",
          "are of REST" },
        { MAPPING_SNMP, "[table x]\nvalue = 1.3\nclass = a/b\nstates = 1=up\n",
          "is not a word" },
        { MAPPING_REST, "[table x]\nvalue = /v\nmetric = m\n",
          "path: '': it is empty" },
        { MAPPING_REST, "[table x]\npath = /a/../b\nvalue = /v\nmetric = m\n",
          "not in one form" },
        { MAPPING_REST, "[table x]\npath = http://x/\nvalue = /v\nmetric = m\n",
          "does not begin with /" },
        { MAPPING_REST, "[table x]\npath = /a\nvalue = v\nmetric = m\n",
          "value: 'v' does not begin with /" },
        { MAPPING_REST, REST "states = 1=up\nitems = a/*\n", "items: 'a/*'" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(box_mapping_done) struct box_mapping m = { .count = 0 };
        struct err err = { 0 };
        int rc =
            box_mapping_parse("a.map", span_of(cases[i].text), cases[i].kind, &m, &err);
        if (rc != -EINVAL || !strstr(err.text, cases[i].why))
            fail_msg("case %zu: %d, %s", i, rc, err.text);
    }
}

static const char *health_of(const struct box_mapping *m, const char *value)
{
    const struct mapping_state *s = mapping_state_of(&m->tables[0], span_of(value));
    return s ? resource_health_name(s->health) : "-";
}

static void the_first_state_that_matches_counts(void **state)
{
    AUTO(box_mapping_done) struct box_mapping m = { .count = 0 };
    struct err err = { 0 };
    (void)state;
    assert_int_equal(
        box_mapping_parse("a.map",
                          SPAN(REST "states = OK=up  In?Repair=degraded\n"
                                    "states = 0..90=up 90..100=degraded a=b=down "
                                    "-1..-0.5=unknown empty=absent\n"),
                          MAPPING_REST, &m, &err),
        0);
    assert_string_equal(health_of(&m, "OK"), "up");
    assert_string_equal(health_of(&m, "ok"), "-");
    assert_string_equal(health_of(&m, "In Repair"), "degraded");
    assert_string_equal(health_of(&m, "90"), "up");
    assert_string_equal(health_of(&m, "90.5"), "degraded");
    assert_string_equal(health_of(&m, "100.01"), "-");
    assert_string_equal(health_of(&m, "-0.75"), "unknown");
    assert_string_equal(health_of(&m, "a=b"), "down");
    assert_string_equal(health_of(&m, "empty"), "up");
    assert_string_equal(health_of(&m, ""), "-");
}

static void objects_have_an_order(void **state)
{
    struct box_oid a, b, root;
    char text[32];
    (void)state;
    assert_int_equal(box_oid_parse(SPAN(".1.3.6.1.2"), &root), 0);
    assert_int_equal(box_oid_parse(SPAN("1.3.6.1.2.10.4294967295"), &a), 0);
    assert_int_equal(box_oid_parse(SPAN("1.3.6.1.2.9"), &b), 0);
    assert_true(box_oid_compare(&a, &b) > 0 && box_oid_compare(&b, &a) < 0);
    assert_true(box_oid_compare(&root, &b) < 0 && box_oid_compare(&a, &a) == 0);
    assert_true(box_oid_is_below(&a, &root) && !box_oid_is_below(&root, &root));
    assert_true(box_oid_is_below(&a, &root) && !box_oid_is_below(&a, &b));
    assert_int_equal(box_oid_print(&a, root.count, text, sizeof text), 13);
    assert_string_equal(text, "10.4294967295");
    assert_int_equal(box_oid_print(&a, 0, text, 8), 0);
    assert_int_equal(box_oid_parse(SPAN("1..3"), &a), -EINVAL);
    assert_int_equal(box_oid_parse(SPAN("1.3."), &a), -EINVAL);
    assert_int_equal(box_oid_parse(SPAN(""), &a), -EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_wrong_is_named),
        cmocka_unit_test(the_first_state_that_matches_counts),
        cmocka_unit_test(objects_have_an_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
