/* SPDX-License-Identifier: Apache-2.0 */
/* test_plan - which nodes are drained, resumed, or left. */
#include "act/plan.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"

#define NOW (INT64_C(1800000000) * NS_PER_S)
#define AGO(s) (NOW - (s)*NS_PER_S)
#define OURS "baro: down: ping"

static const struct act_rules rules = { .drains = 1U << RESOURCE_DOWN |
                                                  1U << RESOURCE_UNKNOWN |
                                                  1U << RESOURCE_UP,
                                        .drain_after_ns = 60 * NS_PER_S,
                                        .resume_after_ns = 600 * NS_PER_S,
                                        .nodes_max = 2,
                                        .percent_max = 50 };

static const struct scheduler_node idle = { "a1", "", false, false },
                                   ours = { "a1", OURS, true, false },
                                   theirs = { "a1", "board swap", true, false };

static const struct {
    const char *what;
    enum resource_health health;
    int64_t seconds; /* so long */
    const struct scheduler_node *node;
    enum act_record_state record;
    enum act_verb want;
} cases[] = {
    { "down", RESOURCE_DOWN, 61, &idle, ACT_NOTHING, ACT_DRAIN },
    { "down for a moment", RESOURCE_DOWN, 59, &idle, ACT_NOTHING, ACT_LEAVE },
    { "unknown, though the rules name it", RESOURCE_UNKNOWN, 9999, &idle, ACT_NOTHING,
      ACT_LEAVE },
    { "up, though the rules name it", RESOURCE_UP, 9999, &idle, ACT_NOTHING,
      ACT_LEAVE },
    { "degraded, which they do not", RESOURCE_DEGRADED, 9999, &idle, ACT_NOTHING,
      ACT_LEAVE },
    { "drained, which they do not", RESOURCE_DRAINED, 9999, &idle, ACT_NOTHING,
      ACT_LEAVE },
    { "no such node", RESOURCE_DOWN, 9999, NULL, ACT_NOTHING, ACT_LEAVE },
    { "drained by another", RESOURCE_DOWN, 9999, &theirs, ACT_NOTHING, ACT_LEAVE },
    { "up, drained by another", RESOURCE_UP, 9999, &theirs, ACT_NOTHING, ACT_LEAVE },
    { "our reason without our record", RESOURCE_UP, 9999, &ours, ACT_NOTHING,
      ACT_LEAVE },
    { "drained by us, still down", RESOURCE_DOWN, 9999, &ours, ACT_DRAINED, ACT_LEAVE },
    { "drained by us, up", RESOURCE_UP, 601, &ours, ACT_DRAINED, ACT_RESUME },
    { "drained by us, up for a moment", RESOURCE_UP, 599, &ours, ACT_DRAINED,
      ACT_LEAVE },
    { "drained by us, now unknown", RESOURCE_UNKNOWN, 9999, &ours, ACT_DRAINED,
      ACT_LEAVE },
    { "drained by us, now degraded", RESOURCE_DEGRADED, 9999, &ours, ACT_DRAINED,
      ACT_LEAVE },
    { "another gave its reason", RESOURCE_DOWN, 9999, &theirs, ACT_DRAINED,
      ACT_OVERRULE },
    { "another gave its reason, and it is up", RESOURCE_UP, 9999, &theirs, ACT_DRAINED,
      ACT_FORGET },
    { "another resumed it", RESOURCE_DOWN, 9999, &idle, ACT_DRAINED, ACT_OVERRULE },
    { "overruled, still down", RESOURCE_DOWN, 9999, &idle, ACT_OVERRULED, ACT_LEAVE },
    { "overruled, once it was up", RESOURCE_UP, 1, &idle, ACT_OVERRULED, ACT_FORGET },
    { "begun, and it came to be", RESOURCE_DOWN, 9999, &ours, ACT_BEGUN, ACT_HOLD },
    { "begun, and it did not", RESOURCE_DOWN, 9999, &idle, ACT_BEGUN, ACT_DRAIN },
    { "begun, and another did", RESOURCE_DOWN, 9999, &theirs, ACT_BEGUN, ACT_FORGET },
    { "begun, not done, and up", RESOURCE_UP, 9999, &idle, ACT_BEGUN, ACT_FORGET },
};

static void each_node_is_left_but_for_a_reason(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct act_host host = { .name = "a1",
                                       .health = cases[i].health,
                                       .since_ns = AGO(cases[i].seconds),
                                       .reason = SPAN("ping"),
                                       .node = cases[i].node,
                                       .record = cases[i].record,
                                       .drained_reason =
                                           cases[i].record ? OURS : NULL };
        enum act_verb verb;
        assert_int_equal(act_plan(&host, 1, 100, &rules, NOW, &verb), 0);
        if (verb != cases[i].want)
            fail_msg("%s: %d", cases[i].what, (int)verb);
    }
}

/* Five are down, for 100, 200 ... s; so many are drained by us already. */
static size_t drained_of_five(const struct act_rules *limits, size_t node_count,
                              size_t already, enum act_verb verbs[7])
{
    struct act_host hosts[7];
    static const char *const names[] = { "a1", "a2", "a3", "a4", "a5", "a6", "a7" };
    size_t count = 0, drained = 0;
    for (; count < 5; count++)
        hosts[count] = (struct act_host){ .name = names[count],
                                          .health = RESOURCE_DOWN,
                                          .since_ns = AGO(100 * ((int)count + 1)),
                                          .node = &idle };
    for (; count < 5 + already; count++)
        hosts[count] = (struct act_host){ .name = names[count],
                                          .health = RESOURCE_DOWN,
                                          .since_ns = AGO(100),
                                          .node = &ours,
                                          .record = ACT_DRAINED,
                                          .drained_reason = OURS };
    assert_int_equal(act_plan(hosts, count, node_count, limits, NOW, verbs), 0);
    for (size_t i = 0; i < count; i++)
        drained += verbs[i] == ACT_DRAIN;
    return drained;
}

static void never_more_than_the_limits(void **state)
{
    (void)state;
    enum act_verb verbs[7];
    struct act_rules limits = rules;
    assert_int_equal(drained_of_five(&limits, 100, 0, verbs), 2);
    /* Those that have been down for the longest come first. */
    assert_int_equal(verbs[4], ACT_DRAIN);
    assert_int_equal(verbs[3], ACT_DRAIN);
    assert_int_equal(verbs[0], ACT_LIMITED);
    assert_int_equal(drained_of_five(&limits, 100, 1, verbs), 1);
    assert_int_equal(drained_of_five(&limits, 100, 2, verbs), 0);
    limits.nodes_max = 100;
    assert_int_equal(drained_of_five(&limits, 7, 0, verbs), 3); /* 50 % of 7 */
    assert_int_equal(drained_of_five(&limits, 1, 0, verbs), 0);
    assert_int_equal(drained_of_five(&limits, 0, 0, verbs), 0);
    limits.percent_max = 100;
    assert_int_equal(drained_of_five(&limits, 100, 0, verbs), 5);
    limits.nodes_max = 0;
    assert_int_equal(drained_of_five(&limits, 100, 0, verbs), 0);
}

static void a_reason_is_one_plain_line(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    char longest[600];
    memset(longest, 'x', sizeof longest);
    struct act_host host = { .name = "a1",
                             .health = RESOURCE_DOWN,
                             .since_ns = INT64_C(1669014000) * NS_PER_S,
                             .reason = SPAN("ping: no \"response\"\n|30 s") };
    act_reason_print(&host, &text);
    assert_string_equal(
        strbuf_text(&text),
        "baro: down: ping: no ?response???30 s, since 2022-11-21T07:00:00Z");
    host.reason = (struct span){ longest, sizeof longest };
    strbuf_clear(&text);
    act_reason_print(&host, &text);
    assert_true(text.size <= ACT_REASON_BYTES_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_node_is_left_but_for_a_reason),
        cmocka_unit_test(never_more_than_the_limits),
        cmocka_unit_test(a_reason_is_one_plain_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
