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

static const struct scheduler_node
    idle = { .name = "a1", .reason = "" },
    ours = { .name = "a1", .reason = OURS, .is_drained = true },
    theirs = { .name = "a1", .reason = "board swap", .is_drained = true },
    noted = { .name = "a1", .reason = "fan is loud" },
    down_theirs = { .name = "a1", .reason = "board swap", .is_down = true },
    down_slurm = { .name = "a1", .reason = "Not responding", .is_down = true },
    down_bare = { .name = "a1", .reason = "", .is_down = true },
    unavailable = { .name = "a1", .reason = "", .is_unavailable = true },
    ours_reboots = { .name = "a1",
                     .reason = OURS " : reboot issued",
                     .is_drained = true,
                     .is_unavailable = true },
    ours_down = { .name = "a1", .reason = OURS, .is_drained = true, .is_down = true },
    ours_in_service = { .name = "a1", .reason = OURS },
    ours_hidden = { .name = "a1", .reason = OURS, .is_unavailable = true },
    doubtful = { .name = "a1", .reason = "", .is_doubtful = true };

static const struct {
    const char *what;
    enum resource_health health;
    int64_t seconds; /* so long */
    const struct scheduler_node *node;
    enum act_record_state record;
    enum act_verb want;
    int64_t recorded; /* so many seconds ago */
} cases[] = {
    { "down", RESOURCE_DOWN, 61, &idle, ACT_NOTHING, ACT_DRAIN, 0 },
    { "down for a moment", RESOURCE_DOWN, 59, &idle, ACT_NOTHING, ACT_LEAVE, 0 },
    { "unknown, though the rules name it", RESOURCE_UNKNOWN, 9999, &idle, ACT_NOTHING,
      ACT_LEAVE, 0 },
    { "up, though the rules name it", RESOURCE_UP, 9999, &idle, ACT_NOTHING, ACT_LEAVE,
      0 },
    { "degraded, which they do not", RESOURCE_DEGRADED, 9999, &idle, ACT_NOTHING,
      ACT_LEAVE, 0 },
    { "drained, which they do not", RESOURCE_DRAINED, 9999, &idle, ACT_NOTHING,
      ACT_LEAVE, 0 },
    { "no such node", RESOURCE_DOWN, 9999, NULL, ACT_NOTHING, ACT_LEAVE, 0 },
    { "drained by another", RESOURCE_DOWN, 9999, &theirs, ACT_NOTHING, ACT_LEAVE, 0 },
    { "up, drained by another", RESOURCE_UP, 9999, &theirs, ACT_NOTHING, ACT_LEAVE, 0 },
    { "our reason without our record", RESOURCE_UP, 9999, &ours, ACT_NOTHING, ACT_LEAVE,
      0 },
    { "drained by us, still down", RESOURCE_DOWN, 9999, &ours, ACT_DRAINED, ACT_LEAVE,
      0 },
    { "drained by us, up", RESOURCE_UP, 601, &ours, ACT_DRAINED, ACT_RESUME, 0 },
    { "drained by us, up for a moment", RESOURCE_UP, 599, &ours, ACT_DRAINED, ACT_LEAVE,
      0 },
    { "drained by us, now unknown", RESOURCE_UNKNOWN, 9999, &ours, ACT_DRAINED,
      ACT_LEAVE, 0 },
    { "drained by us, now degraded", RESOURCE_DEGRADED, 9999, &ours, ACT_DRAINED,
      ACT_LEAVE, 0 },
    { "another gave its reason", RESOURCE_DOWN, 9999, &theirs, ACT_DRAINED,
      ACT_OVERRULE, 0 },
    { "another gave its reason, and it is up", RESOURCE_UP, 9999, &theirs, ACT_DRAINED,
      ACT_FORGET, 0 },
    { "another resumed it", RESOURCE_DOWN, 9999, &idle, ACT_DRAINED, ACT_OVERRULE, 0 },
    { "overruled, still down", RESOURCE_DOWN, 9999, &idle, ACT_OVERRULED, ACT_LEAVE,
      0 },
    { "overruled, once it was up", RESOURCE_UP, 1, &idle, ACT_OVERRULED, ACT_FORGET,
      0 },
    { "begun, and it came to be", RESOURCE_DOWN, 9999, &ours, ACT_BEGUN, ACT_HOLD, 0 },
    { "begun, and it did not", RESOURCE_DOWN, 9999, &idle, ACT_BEGUN, ACT_DRAIN, 0 },
    { "ours, and down besides, up", RESOURCE_UP, 9999, &ours_down, ACT_DRAINED,
      ACT_STAYS, 0 },
    { "likewise, up for a moment", RESOURCE_UP, 599, &ours_down, ACT_DRAINED, ACT_LEAVE,
      0 },
    { "ours, and down besides, down", RESOURCE_DOWN, 9999, &ours_down, ACT_DRAINED,
      ACT_LEAVE, 0 },
    { "begun, it came to be, and is down", RESOURCE_UP, 9999, &ours_down, ACT_BEGUN,
      ACT_HOLD, 0 },
    { "being resumed, and down besides", RESOURCE_UP, 9999, &ours_down, ACT_RESUMING,
      ACT_HOLD, 600 },
    { "likewise, may be late", RESOURCE_UP, 9999, &ours_down, ACT_RESUMING, ACT_LEAVE,
      599 },
    { "overruled, and ours came over theirs", RESOURCE_UP, 9999, &ours, ACT_OVERRULED,
      ACT_LEAVE, 0 },
    { "begun, another gave a reason", RESOURCE_UP, 9999, &noted, ACT_BEGUN,
      ACT_OVERRULE, 0 },
    { "begun, resumed with our reason left", RESOURCE_UP, 9999, &ours_in_service,
      ACT_BEGUN, ACT_LEAVE, 0 },
    { "begun, Slurm gave its reason", RESOURCE_DOWN, 9999, &down_slurm, ACT_BEGUN,
      ACT_DRAIN, 0 },
    { "being resumed, drained by another, up", RESOURCE_UP, 9999, &theirs, ACT_RESUMING,
      ACT_OVERRULE, 0 },
    { "begun, and another did", RESOURCE_DOWN, 9999, &theirs, ACT_BEGUN, ACT_OVERRULE,
      600 },
    { "begun, not done, and up", RESOURCE_UP, 9999, &idle, ACT_BEGUN, ACT_LAPSE, 600 },
    { "begun, up, and it may come to be late", RESOURCE_UP, 9999, &idle, ACT_BEGUN,
      ACT_LEAVE, 599 },
    { "likewise over another's", RESOURCE_DOWN, 9999, &theirs, ACT_BEGUN, ACT_OVERRULE,
      599 },
    { "begun, and not listed", RESOURCE_UP, 9999, NULL, ACT_BEGUN, ACT_LEAVE, 9999 },
    { "down by an administrator", RESOURCE_DOWN, 9999, &down_theirs, ACT_NOTHING,
      ACT_LEAVE, 0 },
    { "up, down by an administrator", RESOURCE_UP, 9999, &down_theirs, ACT_NOTHING,
      ACT_LEAVE, 0 },
    { "down by slurmctld", RESOURCE_DOWN, 9999, &down_slurm, ACT_NOTHING, ACT_DRAIN,
      0 },
    { "down without a reason", RESOURCE_DOWN, 9999, &down_bare, ACT_NOTHING, ACT_LEAVE,
      0 },
    { "failing, in maintenance, rebooting", RESOURCE_DOWN, 9999, &unavailable,
      ACT_NOTHING, ACT_LEAVE, 0 },
    { "in service, with another's reason", RESOURCE_DOWN, 9999, &noted, ACT_NOTHING,
      ACT_REASONED, 0 },
    { "in service, with another's reason, up", RESOURCE_UP, 9999, &noted, ACT_NOTHING,
      ACT_LEAVE, 0 },
    { "ours, made down by an administrator", RESOURCE_DOWN, 9999, &down_theirs,
      ACT_DRAINED, ACT_OVERRULE, 0 },
    { "ours, rebooting, up", RESOURCE_UP, 9999, &ours_reboots, ACT_DRAINED, ACT_LEAVE,
      0 },
    { "ours, rebooting, down", RESOURCE_DOWN, 9999, &ours_reboots, ACT_DRAINED,
      ACT_LEAVE, 0 },
    { "ours, its drain hidden by a reboot", RESOURCE_UP, 9999, &ours_hidden,
      ACT_DRAINED, ACT_LEAVE, 0 },
    { "listed with two states", RESOURCE_DOWN, 9999, &doubtful, ACT_NOTHING, ACT_LEAVE,
      0 },
    { "ours, listed with two states", RESOURCE_UP, 9999, &doubtful, ACT_DRAINED,
      ACT_LEAVE, 0 },
    { "being resumed, and it is", RESOURCE_UP, 9999, &idle, ACT_RESUMING, ACT_SETTLE,
      0 },
    { "being resumed, it is, and down", RESOURCE_DOWN, 9999, &idle, ACT_RESUMING,
      ACT_SETTLE, 0 },
    { "being resumed, and it is not", RESOURCE_UP, 9999, &ours, ACT_RESUMING,
      ACT_RESUME, 9 },
    { "being resumed, may be late, down", RESOURCE_DOWN, 9999, &ours, ACT_RESUMING,
      ACT_LEAVE, 599 },
    { "being resumed, was not, down", RESOURCE_DOWN, 9999, &ours, ACT_RESUMING,
      ACT_HOLD, 600 },
    { "being resumed, drained by another", RESOURCE_DOWN, 9999, &theirs, ACT_RESUMING,
      ACT_OVERRULE, 0 },
    { "seen down before", RESOURCE_DOWN, 61, &idle, ACT_SEEN, ACT_DRAIN, 0 },
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
                                       .changed_ns = AGO(cases[i].recorded),
                                       .drained_reason =
                                           cases[i].record > ACT_SEEN ? OURS : NULL };
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

/* One is down, the limit is one; the other has that record, and that node. */
static void what_is_not_seen_counts(void **state)
{
    (void)state;
    struct act_rules limits = rules;
    limits.nodes_max = 1;
    static const struct {
        const char *what;
        const struct scheduler_node *node;
        enum act_record_state record;
        enum act_verb want;
    } others[] = {
        { "not listed", NULL, ACT_DRAINED, ACT_LIMITED },
        { "listed with two states", &doubtful, ACT_DRAINED, ACT_LIMITED },
        { "its reason was edited", &theirs, ACT_DRAINED, ACT_LIMITED },
        { "and that is known", &theirs, ACT_OVERRULED, ACT_LIMITED },
        { "rebooting", &ours_hidden, ACT_DRAINED, ACT_LIMITED },
        { "begun, not seen", &idle, ACT_BEGUN, ACT_LIMITED },
        { "begun, not listed", NULL, ACT_BEGUN, ACT_LIMITED },
        { "being resumed", &idle, ACT_RESUMING, ACT_LIMITED },
        { "resumed by another", &idle, ACT_DRAINED, ACT_DRAIN },
        { "likewise, and that is known", &idle, ACT_OVERRULED, ACT_DRAIN },
        { "another's", &theirs, ACT_NOTHING, ACT_DRAIN },
        { "with our mark, of no record", &ours, ACT_NOTHING, ACT_LIMITED },
        { "likewise, seen", &ours, ACT_SEEN, ACT_LIMITED },
        { "likewise, rebooting", &ours_reboots, ACT_NOTHING, ACT_LIMITED },
        { "our mark in service", &ours_in_service, ACT_NOTHING, ACT_DRAIN },
        { "ours came over theirs", &ours, ACT_OVERRULED, ACT_LIMITED },
    };
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        enum act_verb verbs[2];
        const struct act_host hosts[] = {
            { .name = "a1",
              .health = RESOURCE_DOWN,
              .since_ns = AGO(999),
              .node = &idle },
            { .name = "a2",
              .health = RESOURCE_UNKNOWN,
              .node = others[i].node,
              .record = others[i].record,
              .changed_ns = NOW,
              .drained_reason = others[i].record ? OURS : NULL },
        };
        assert_int_equal(act_plan(hosts, 2, 100, &limits, NOW, verbs), 0);
        if (verbs[0] != others[i].want)
            fail_msg("%s: %d", others[i].what, (int)verbs[0]);
    }
    /* What was begun has its place, and may be done again. */
    enum act_verb verb;
    const struct act_host begun = { .name = "a1",
                                    .health = RESOURCE_DOWN,
                                    .since_ns = AGO(999),
                                    .node = &idle,
                                    .record = ACT_BEGUN,
                                    .changed_ns = NOW,
                                    .drained_reason = OURS };
    assert_int_equal(act_plan(&begun, 1, 100, &limits, NOW, &verb), 0);
    assert_int_equal(verb, ACT_DRAIN);
}

/* A record, wherever it is from, makes no administrator's reason ours. */
static void a_reason_without_our_mark_is_never_ours(void **state)
{
    (void)state;
    enum act_verb verb;
    const struct act_host host = { .name = "a1",
                                   .health = RESOURCE_UP,
                                   .since_ns = AGO(9999),
                                   .node = &theirs,
                                   .record = ACT_DRAINED,
                                   .drained_reason = theirs.reason };
    assert_int_equal(act_plan(&host, 1, 100, &rules, NOW, &verb), 0);
    assert_int_equal(verb, ACT_FORGET);
    assert_false(act_is_ours(&host));
}

static void times_of_hosts_are_bound_by_our_runs(void **state)
{
    (void)state;
    assert_true(act_since(AGO(50), AGO(60), NOW) == AGO(50));
    assert_true(act_since(1, AGO(60), NOW) == AGO(60));
    assert_true(act_since(NOW + 1, AGO(60), AGO(10)) == AGO(10));
    assert_true(act_since(0, AGO(60), NOW) == 0);
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
        cmocka_unit_test(what_is_not_seen_counts),
        cmocka_unit_test(a_reason_without_our_mark_is_never_ours),
        cmocka_unit_test(times_of_hosts_are_bound_by_our_runs),
        cmocka_unit_test(a_reason_is_one_plain_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
