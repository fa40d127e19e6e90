/* SPDX-License-Identifier: Apache-2.0 */
/* test_opinions - what plugins state comes to one opinion about each node. */
#include "base/span.h"
#include "base/test/testing.h"
#include "jobsession/opinions.h"

static struct opinions *opinions;

static int begin(void **state)
{
    (void)state;
    return opinions_new(&opinions);
}

static int end(void **state)
{
    (void)state;
    opinions_free(opinions);
    return 0;
}

/* want NULL: no other opinion. */
static void state_check(const char *component, const char *source,
                        enum resource_health health, const char *reason,
                        const char *want)
{
    AUTO(strbuf_done) struct strbuf got = STRBUF_INIT;
    const struct resource_statement s = { .component = span_of(component),
                                          .source = span_of(source),
                                          .health = health,
                                          .reason = span_of(reason) };
    assert_int_equal(opinions_accept(opinions, &s, &got), want != NULL);
    assert_string_equal(strbuf_text(&got), want ? want : "");
}

static void the_worst_of_a_node_counts(void **state)
{
    (void)state;
    state_check("session/n1", "system:a", RESOURCE_UP, "", NULL);
    state_check(
        "session/n1/dimm:3", "system:ecc", RESOURCE_DEGRADED, "14 errors",
        "{\"component\":\"session/n1\",\"health\":\"degraded\",\"reason\":\"dimm:3: 14 "
        "errors\"}");
    state_check("session/n2", "system:ecc", RESOURCE_DOWN, "no response",
                "{\"component\":\"session/n2\",\"health\":\"down\",\"reason\":\"no "
                "response\"}");
    state_check("session/n1/dimm:3", "system:ecc", RESOURCE_DEGRADED, "14 errors",
                NULL);
    state_check(
        "session/n1/dimm:4", "system:ecc", RESOURCE_DOWN, "gone",
        "{\"component\":\"session/n1\",\"health\":\"down\",\"reason\":\"dimm:4: "
        "gone\"}");
    state_check("session/n1/dimm:3", "system:ecc", RESOURCE_UP, "", NULL);
    state_check("session/n1/dimm:4", "system:ecc", RESOURCE_UP, "",
                "{\"component\":\"session/n1\",\"health\":\"up\"}");
}

static void what_is_no_node_is_refused(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf got = STRBUF_INIT;
    const struct resource_statement s = { .component = SPAN("session"),
                                          .source = SPAN("system:a") };
    assert_int_equal(opinions_accept(opinions, &s, &got), -EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_worst_of_a_node_counts, begin, end),
        cmocka_unit_test_setup_teardown(what_is_no_node_is_refused, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
