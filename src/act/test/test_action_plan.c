/* SPDX-License-Identifier: Apache-2.0 */
/* test_action_plan - what is run for which cause, and what holds others, at the edges.
 */
#include "act/action_plan.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/scratch.h"
#include "base/test/testing.h"

#include <errno.h>
#include <string.h>

#define NOW (INT64_C(1800000000) * NS_PER_S)
#define S(n) ((n)*NS_PER_S)

struct fixture {
    struct action_rule rule;
    struct action_rules rules;
    const char *checks[1];
    struct action_record *record;
    struct action_cause causes[4];
    enum action_ground grounds[4];
    struct action_plan_opts opts;
    struct action_step *steps;
    size_t step_count;
};

static void fixture_make(struct fixture *f)
{
    static const char *const components[] = { "alex/n1", "alex/n2", "alex/n3",
                                              "alex/n4" };
    static const char *const hosts[] = { "n1", "n2", "n3", "n4" };
    *f = (struct fixture){ .checks = { "ping" } };
    f->rule = (struct action_rule){
        .name = "reboot",
        .class_name = "host",
        .checks = { f->checks, 1 },
        .states = 1U << RESOURCE_DOWN,
        .needs = ACTION_NODE_IDLE,
        .after_ns = S(300),
        .window_ns = S(3600),
        .again_after_ns = S(86400),
        .pause_ns = S(600),
        .hosts_max = 2,
        .percent_max = 100,
        .running_max = 1,
        .retries = 1,
    };
    f->rules = (struct action_rules){ .rules = &f->rule, .count = 1 };
    for (int i = 0; i < 4; i++) {
        f->causes[i] = (struct action_cause){
            .component = components[i],
            .host = hosts[i],
            .class_name = "host",
            .check = "ping",
            .reason = "r",
            .state = RESOURCE_DOWN,
            .since_ns = NOW - S(1000 - i),
        };
        f->grounds[i] = ACTION_GROUND_IDLE;
    }
    assert_int_equal(action_record_open(scratch_path("none"), &f->record, NULL), 0);
    f->opts = (struct action_plan_opts){
        .rules = &f->rules,
        .record = f->record,
        .causes = f->causes,
        .grounds = f->grounds,
        .cause_count = 1,
        .cluster = "alex",
        .host_count = 100,
        .now_ns = NOW,
    };
}

static void fixture_done(struct fixture *f)
{
    free(f->steps);
    action_record_close(f->record);
}
DEFINE_AUTO_DONE(struct fixture, fixture_done);

static void plan(struct fixture *f)
{
    free(f->steps);
    f->steps = NULL;
    assert_int_equal(action_plan(&f->opts, &f->steps, &f->step_count), 0);
}

static void record(struct fixture *f, const char *component, enum action_state state,
                   int64_t begun_ns, int64_t ended_ns, uint64_t tries)
{
    const struct action_item item = {
        .action = "reboot",
        .component = component,
        .check = "ping",
        .result = state == ACTION_FAILED ? "unknown: exit status 1" : "",
        .state = state,
        .begun_ns = begun_ns,
        .ended_ns = ended_ns,
        .tries = tries,
    };
    assert_int_equal(action_record_set(f->record, &item), 0);
}

/* What barod has as its time was by a clock that is another now. */
static void a_cause_is_since_a_clock_was_set(void **state)
{
    AUTO(fixture_done) struct fixture f;
    (void)state;
    fixture_make(&f);
    f.opts.clock_set_ns = NOW - S(299);
    plan(&f);
    assert_int_equal(f.steps[0].hold, ACTION_HELD_LASTS);
    f.opts.clock_set_ns = NOW - S(300);
    plan(&f);
    assert_int_equal(f.steps[0].hold, ACTION_RUNS);
}

/* Two parts of n1 and a second check of the first; n2 besides. */
static void parts_make(struct fixture *f, enum action_once once)
{
    static const char *const components[] = { "alex/n1/gpu:0", "alex/n1/gpu:1",
                                              "alex/n1/gpu:0", "alex/n2/gpu:0" };
    static const char *checks[] = { "ping", "other" };
    fixture_make(f);
    f->rule.checks.items = checks;
    f->rule.checks.count = 2;
    f->rule.once = once;
    f->rule.hosts_max = 10;
    f->opts.cause_count = 4;
    for (int i = 0; i < 4; i++) {
        f->causes[i].component = components[i];
        f->causes[i].host = i < 3 ? "n1" : "n2";
    }
    f->causes[2].check = "other";
}

static void holds_are(struct fixture *f, const enum action_hold want[4])
{
    plan(f);
    assert_int_equal(f->step_count, 4);
    for (int i = 0; i < 4; i++)
        assert_int_equal(f->steps[i].hold, want[i]);
}

static void an_action_is_once_for_a_host_or_a_component(void **state)
{
    static const enum action_hold want[][4] = {
        [ACTION_ONCE_HOST] = { ACTION_RUNS, ACTION_HELD_ONCE, ACTION_HELD_ONCE,
                               ACTION_RUNS },
        [ACTION_ONCE_COMPONENT] = { ACTION_RUNS, ACTION_RUNS, ACTION_HELD_ONCE,
                                    ACTION_RUNS },
        [ACTION_ONCE_CAUSE] = { ACTION_RUNS, ACTION_RUNS, ACTION_RUNS, ACTION_RUNS },
    };
    (void)state;
    for (int once = 0; once < 3; once++) {
        AUTO(fixture_done) struct fixture f;
        parts_make(&f, (enum action_once)once);
        holds_are(&f, want[once]);
    }
}

static void what_was_begun_there_holds_others(void **state)
{
    static const enum action_state states[] = { ACTION_DONE, ACTION_FAILED, ACTION_LOST,
                                                ACTION_BEGUN };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(states); i++) {
        bool is_open = states[i] == ACTION_LOST || states[i] == ACTION_BEGUN;
        enum action_hold held = is_open ? ACTION_HELD_LOST : ACTION_HELD_ONCE;
        AUTO(fixture_done) struct fixture f;
        parts_make(&f, ACTION_ONCE_HOST);
        /* By another name: its parts were renamed. */
        record(&f, "alex/n1/gpu:00", states[i], NOW - S(86399), NOW - S(86000), 1);
        record(&f, "other/n2/gpu:0", states[i], NOW, NOW, 1);
        holds_are(&f, (const enum action_hold[]){ held, held, held, ACTION_RUNS });
        f.opts.now_ns += S(1);
        plan(&f);
        assert_int_equal(f.steps[0].hold, is_open ? ACTION_HELD_LOST : ACTION_RUNS);
        f.rule.once = ACTION_ONCE_COMPONENT;
        plan(&f);
        assert_int_equal(f.steps[0].hold, ACTION_RUNS);
    }
}

/* It failed, and is once more: the others of its host are not. */
static void what_failed_goes_on_alone(void **state)
{
    AUTO(fixture_done) struct fixture f;
    (void)state;
    parts_make(&f, ACTION_ONCE_HOST);
    record(&f, "alex/n1/gpu:1", ACTION_FAILED, NOW - S(700), NOW - S(600), 1);
    holds_are(&f, (const enum action_hold[]){ ACTION_HELD_ONCE, ACTION_RUNS,
                                              ACTION_HELD_ONCE, ACTION_RUNS });
}

static void a_cause_has_to_last(void **state)
{
    (void)state;
    static const struct {
        int64_t since_ns;
        enum action_hold hold;
    } cases[] = {
        { NOW - S(300), ACTION_RUNS },     { NOW - S(300) + 1, ACTION_HELD_LASTS },
        { NOW + S(5), ACTION_HELD_LASTS }, { 0, ACTION_HELD_LASTS },
        { NOW - S(30000), ACTION_RUNS },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(fixture_done) struct fixture f;
        fixture_make(&f);
        f.causes[0].since_ns = cases[i].since_ns;
        plan(&f);
        assert_int_equal(f.step_count, 1);
        if (f.steps[0].hold != cases[i].hold)
            fail_msg("%zu: %d", i, f.steps[0].hold);
    }
}

static void a_rule_names_its_causes(void **state)
{
    (void)state;
    AUTO(fixture_done) struct fixture f;
    fixture_make(&f);
    struct action_cause other = f.causes[0];
    assert_true(action_rule_matches(&f.rule, &other));
    other.state = RESOURCE_DEGRADED;
    assert_false(action_rule_matches(&f.rule, &other));
    other = f.causes[0];
    other.class_name = "dimm";
    assert_false(action_rule_matches(&f.rule, &other));
    other = f.causes[0];
    other.check = "ping2";
    assert_false(action_rule_matches(&f.rule, &other));
}

static void what_is_needed_is_there(void **state)
{
    (void)state;
    static const struct {
        enum action_ground ground;
        bool any, drained, idle;
    } cases[] = {
        { ACTION_GROUND_NO_SLURM, true, false, false },
        { ACTION_GROUND_NO_NODE, true, false, false },
        { ACTION_GROUND_ADMINISTRATOR, true, false, false },
        { ACTION_GROUND_NOT_OURS, true, false, false },
        { ACTION_GROUND_OTHER_STATE, true, false, false },
        { ACTION_GROUND_BUSY, true, true, false },
        { ACTION_GROUND_IDLE, true, true, true },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        enum action_ground ground = cases[i].ground;
        if (action_ground_suffices(ground, ACTION_NODE_ANY) != cases[i].any ||
            action_ground_suffices(ground, ACTION_NODE_DRAINED) != cases[i].drained ||
            action_ground_suffices(ground, ACTION_NODE_IDLE) != cases[i].idle)
            fail_msg("%zu", i);
    }
}

static void a_cause_is_one_once(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum action_state state;
        int64_t begun_ns, ended_ns;
        uint64_t tries;
        enum action_hold hold;
    } cases[] = {
        { "done", ACTION_DONE, NOW - S(86399), NOW, 1, ACTION_HELD_DONE },
        { "long ago", ACTION_DONE, NOW - S(86400), NOW, 1, ACTION_RUNS },
        { "to come", ACTION_DONE, NOW + S(1000), NOW, 1, ACTION_HELD_DONE },
        { "failed", ACTION_FAILED, NOW - S(700), NOW - S(599), 1, ACTION_HELD_PAUSE },
        { "after it", ACTION_FAILED, NOW - S(700), NOW - S(600), 1, ACTION_RUNS },
        { "twice", ACTION_FAILED, NOW - S(700), NOW - S(600), 2, ACTION_HELD_GIVEN_UP },
        { "anew", ACTION_FAILED, NOW - S(86400), NOW - S(86390), 2, ACTION_RUNS },
        { "begun", ACTION_BEGUN, 1, 0, 1, ACTION_HELD_LOST },
        { "lost", ACTION_LOST, 1, 0, 1, ACTION_HELD_LOST },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(fixture_done) struct fixture f;
        fixture_make(&f);
        record(&f, "alex/n1", cases[i].state, cases[i].begun_ns, cases[i].ended_ns,
               cases[i].tries);
        plan(&f);
        if (f.steps[0].hold != cases[i].hold)
            fail_msg("%s: %d", cases[i].name, f.steps[0].hold);
    }
}

/* The number of those of four causes that are run. */
static size_t run_of_four(struct fixture *f)
{
    size_t run = 0;
    f->opts.cause_count = 4;
    plan(f);
    assert_int_equal(f->step_count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_true(f->steps[i].hold == ACTION_RUNS ||
                    f->steps[i].hold == ACTION_HELD_HOSTS);
        run += f->steps[i].hold == ACTION_RUNS;
    }
    return run;
}

static void never_more_hosts_than_the_limits(void **state)
{
    (void)state;
    static const struct {
        uint64_t hosts_max, percent_max;
        size_t host_count, want;
    } cases[] = {
        { 2, 100, 100, 2 }, { 4, 100, 100, 4 }, { 10, 3, 100, 3 },  { 10, 3, 99, 2 },
        { 10, 1, 99, 0 },   { 10, 100, 0, 0 },  { 1, 100, 100, 1 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(fixture_done) struct fixture f;
        fixture_make(&f);
        f.rule.hosts_max = cases[i].hosts_max;
        f.rule.percent_max = cases[i].percent_max;
        f.opts.host_count = cases[i].host_count;
        size_t run = run_of_four(&f);
        if (run != cases[i].want)
            fail_msg("%zu: %zu", i, run);
    }
}

static void what_was_begun_in_the_window_counts(void **state)
{
    (void)state;
    static const struct {
        const char *name, *component;
        enum action_state state;
        int64_t begun_ns;
        size_t want; /* of the two that the limit has */
    } cases[] = {
        { "in it", "alex/n9", ACTION_DONE, NOW - S(3599), 1 },
        { "failed in it", "alex/n9", ACTION_FAILED, NOW - S(3599), 1 },
        { "before it", "alex/n9", ACTION_DONE, NOW - S(3600), 2 },
        { "to come", "alex/n9", ACTION_DONE, NOW + S(9999), 1 },
        { "a part", "alex/n9/dimm:1", ACTION_DONE, NOW, 1 },
        { "lost long ago", "alex/n9", ACTION_LOST, 1, 1 },
        { "of another cluster", "fritz/n9", ACTION_DONE, NOW, 2 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(fixture_done) struct fixture f;
        fixture_make(&f);
        record(&f, cases[i].component, cases[i].state, cases[i].begun_ns,
               cases[i].begun_ns, 1);
        size_t run = run_of_four(&f);
        if (run != cases[i].want)
            fail_msg("%s: %zu", cases[i].name, run);
    }
}

static void a_host_counts_once(void **state)
{
    (void)state;
    AUTO(fixture_done) struct fixture f;
    fixture_make(&f);
    f.rule.once = ACTION_ONCE_CAUSE;
    f.rule.hosts_max = 1;
    f.causes[1].host = f.causes[2].host = "n1";
    f.causes[1].component = "alex/n1/x:1";
    f.causes[2].component = "alex/n1/x:2";
    assert_int_equal(run_of_four(&f), 3);
    record(&f, "alex/n8", ACTION_DONE, NOW, NOW, 1);
    record(&f, "alex/n1/x:3", ACTION_DONE, NOW, NOW, 1);
    assert_int_equal(run_of_four(&f), 0); /* the limit was lowered since */
}

static void the_longest_is_first_and_rules_are_in_their_order(void **state)
{
    (void)state;
    AUTO(fixture_done) struct fixture f;
    fixture_make(&f);
    struct action_rule rules[2] = { f.rule, f.rule };
    rules[1].name = "ticket";
    f.rules = (struct action_rules){ .rules = rules, .count = 2 };
    f.opts.cause_count = 3;
    f.causes[2].since_ns = NOW - S(5000);
    plan(&f);
    static const char *const want[] = { "reboot n3", "reboot n1", "reboot n2",
                                        "ticket n3", "ticket n1", "ticket n2" };
    assert_int_equal(f.step_count, 6);
    for (size_t i = 0; i < 6; i++) {
        char is[64];
        (void)snprintf(is, sizeof is, "%s %s", f.steps[i].rule->name,
                       f.steps[i].cause->host);
        assert_string_equal(is, want[i]);
        assert_int_equal(f.steps[i].hold == ACTION_RUNS, i % 3 < 2);
    }
}

static void each_hold_has_its_text(void **state)
{
    (void)state;
    for (int hold = ACTION_HELD_GROUND; hold <= ACTION_HELD_HOSTS; hold++) {
        AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
        const struct action_step step = {
            .hold = (enum action_hold)hold,
            .item = { .result = "unknown: exit status 1" },
        };
        action_hold_print(&step, "/record", &text);
        assert_true(text.size > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_action_is_once_for_a_host_or_a_component),
        cmocka_unit_test(what_was_begun_there_holds_others),
        cmocka_unit_test(what_failed_goes_on_alone),
        cmocka_unit_test(a_cause_is_since_a_clock_was_set),
        cmocka_unit_test(a_cause_has_to_last),
        cmocka_unit_test(a_rule_names_its_causes),
        cmocka_unit_test(what_is_needed_is_there),
        cmocka_unit_test(a_cause_is_one_once),
        cmocka_unit_test(never_more_hosts_than_the_limits),
        cmocka_unit_test(what_was_begun_in_the_window_counts),
        cmocka_unit_test(a_host_counts_once),
        cmocka_unit_test(the_longest_is_first_and_rules_are_in_their_order),
        cmocka_unit_test(each_hold_has_its_text),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
