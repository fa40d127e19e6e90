/* SPDX-License-Identifier: Apache-2.0 */
/* test_target_findings - what the state of targets means for a job that used them. */
#include "analysis/job/job.h"
#include "analysis/job/job_value.h"
#include "base/strbuf.h"
#include "base/test/testing.h"

#include <math.h>

/* What is known of a job: rows on OST 3, nothing on OST 4; tests change it. */
struct known {
    struct job_context context;
    struct profile run;
    struct server_target used[2];
    struct job_servers servers;
    struct job_target items[4];
    struct job_targets targets;
};

static struct known *known_new(void)
{
    struct known *k = calloc(1, sizeof *k);
    assert_non_null(k);
    k->context.health.fullest.index = JOB_I64_NONE;
    k->context.health.moved_count = JOB_I64_NONE;
    k->used[0] = (struct server_target){ .name = "s-OST0003",
                                         .index = 3,
                                         .own.written_bytes = 5 };
    k->used[1] = (struct server_target){ .name = "s-OST0004", .index = 4 };
    k->servers = (struct job_servers){ .targets = k->used, .target_count = 2 };
    for (size_t i = 0; i < COUNT_OF(k->items); i++) {
        static const char *const names[] = { "s-OST0003", "s-OST0004", "s-OST0005",
                                             "s-MDT0000" };
        k->items[i] = (struct job_target){ .name = names[i],
                                           .is_mdt = i == 3,
                                           .index = i == 3 ? 0 : (int)i + 3,
                                           .used_pct = NAN };
    }
    k->targets = (struct job_targets){ .items = k->items, .count = COUNT_OF(k->items) };
    k->run.io = cost_between(100, 100, COST_EXACT);
    k->run.target.ost = -1;
    k->run.longest_s = NAN;
    return k;
}

static void move(struct known *k, size_t item)
{
    k->items[item].from = "oss02";
    k->items[item].to = "oss01";
    k->items[item].last_s = 1000;
    k->items[item].first_s = 1200;
}

/* ---- full ---- */

static size_t located(const struct target_evidence *e, struct finding *f)
{
    *f = finding_of(finding_rule_find("full-target"), 97);
    return findings_locate(e, f, 1);
}

static void a_full_target_that_the_job_did_not_use_is_not_reported(void **state)
{
    (void)state;
    struct known *k = known_new();
    const struct target_evidence e = { &k->context, NULL, &k->servers, NULL };
    const struct target_evidence alone = { &k->context, NULL, NULL, NULL };
    static const struct {
        int64_t fullest;
        size_t want, want_alone;
    } cases[] = { { 3, 1, 1 }, { 4, 0, 1 }, { 5, 0, 1 }, { JOB_I64_NONE, 1, 1 } };
    struct finding f;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        k->context.health.fullest.index = cases[i].fullest;
        assert_int_equal(located(&e, &f), cases[i].want);
        assert_true(cases[i].want == 0 || f.which == cases[i].fullest);
        assert_int_equal(located(&alone, &f), cases[i].want_alone);
    }
    /* With rows of an MDT alone its OSTs are not known. */
    k->used[0].is_mdt = k->used[1].is_mdt = true;
    k->context.health.fullest.index = 5;
    assert_int_equal(located(&e, &f), 1);
    free(k);
}

static void by_the_layouts_of_its_log_it_did_not_use_it_either(void **state)
{
    (void)state;
    struct known *k = known_new();
    const struct target_evidence e = { &k->context, &k->run, NULL, NULL };
    struct finding f;
    k->run.has_osts = true;
    k->run.osts[0] = 1 << 3; /* a striped file: of OST 3, not of 4 */
    k->context.health.fullest.index = 3;
    assert_int_equal(located(&e, &f), 1);
    k->context.health.fullest.index = 4;
    assert_int_equal(located(&e, &f), 0);
    /* Layouts that are missing may have named it. */
    k->run.gaps.partial = LOG_BIT(DARSHAN_LUSTRE);
    assert_int_equal(located(&e, &f), 1);
    free(k);
}

static void what_it_cost_is_what_files_there_cost(void **state)
{
    (void)state;
    struct known *k = known_new();
    const struct target_evidence e = { &k->context, &k->run, NULL, NULL };
    static const struct {
        int64_t fullest;
        double low_s, high_s;
    } cases[] = { { 3, 0, 40 },
                  { 5, 0, 100 }, /* no more than all of its I/O */
                  { 7, 60, 70 },
                  { 9, 0, 100 } };
    k->run.target_count = 2;
    k->run.targets[0].ost = 3;
    k->run.targets[0].most_s = 40;
    k->run.targets[1].ost = 5;
    k->run.targets[1].most_s = 400;
    k->run.target.ost = 7;
    k->run.target.ratio = 4;
    k->run.costs[PROFILE_SLOW_TARGET] = cost_between(60, 70, COST_EXACT);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct finding f;
        k->context.health.fullest.index = cases[i].fullest;
        assert_int_equal(located(&e, &f), 1);
        assert_true(f.cost.low_s == cases[i].low_s);
        assert_true(f.cost.high_s == cases[i].high_s);
    }
    free(k);
}

static void the_servers_totals_have_its_own_targets(void **state)
{
    (void)state;
    struct known *k = known_new();
    const struct target_evidence e = { NULL, NULL, &k->servers, &k->targets };
    const struct target_evidence by_log = { NULL, &k->run, NULL, &k->targets };
    struct finding f[2];
    k->items[0].used_pct = 96.5;
    k->items[1].used_pct = 99; /* nothing of it there */
    k->items[3].used_pct = 99.5;
    /* Without a reading of health it is reported, and with that of another target. */
    assert_int_equal(findings_locate(&e, f, 0), 1);
    assert_int_equal(f[0].which, 3);
    assert_true(f[0].value == 96.5);
    assert_int_equal(f[0].n, 2);
    assert_int_equal(located(&e, f), 1);
    assert_int_equal(f[0].which, 3);
    /* Without rows the log's layouts have which it used. */
    assert_int_equal(findings_locate(&by_log, f, 0), 0);
    k->run.has_osts = true;
    k->run.osts[0] = 1 << 4;
    assert_int_equal(findings_locate(&by_log, f, 0), 1);
    assert_int_equal(f[0].which, 4);
    /* What is not full is not reported, whatever another target was. */
    k->items[0].used_pct = 60;
    assert_int_equal(located(&e, f), 0);
    assert_int_equal(findings_locate(&e, f, 0), 0);
    free(k);
}

static void of_several_full_targets_in_a_reading_its_own_counts(void **state)
{
    (void)state;
    struct known *k = known_new();
    const struct target_evidence e = { &k->context, NULL, &k->servers, NULL };
    struct finding f[2];
    k->context.health.fullest.index = 13;
    k->context.health.full_targets = "OST000d:99.0 OST0003:96.5 no OST0003: :5";
    assert_int_equal(located(&e, f), 1);
    assert_int_equal(f[0].which, 3);
    assert_true(f[0].value == 96.5);
    assert_int_equal(findings_locate(&e, f, 0), 1);
    k->context.health.full_targets = "OST000d:99.0 OST0004:96.5";
    assert_int_equal(located(&e, f), 0);
    free(k);
}

static void other_findings_stay_as_they_are(void **state)
{
    (void)state;
    struct known *k = known_new();
    const struct target_evidence e = { &k->context, NULL, &k->servers, NULL };
    struct finding found[] = { finding_of(finding_rule_find("small"), 1),
                               finding_of(finding_rule_find("full-target"), 97),
                               finding_of(finding_rule_find("contention"), 0.9) };
    k->context.health.fullest.index = 9;
    assert_int_equal(findings_locate(&e, found, 3), 2);
    assert_string_equal(found[0].name, "small");
    assert_string_equal(found[1].name, "contention");
    free(k);
}

/* ---- moved ---- */

static size_t failover_of(const struct target_evidence *e, struct finding *f)
{
    static char text[FAILOVER_TEXT_BYTES];
    return findings_make_failover(e, text, f);
}

static void its_targets_moved_and_are_named_with_both_servers(void **state)
{
    (void)state;
    struct known *k = known_new();
    const struct target_evidence e = { NULL, NULL, &k->servers, &k->targets };
    struct finding f;
    assert_int_equal(failover_of(&e, &f), 0);
    move(k, 0);
    assert_int_equal(failover_of(&e, &f), 1);
    assert_string_equal(f.name, "failover");
    assert_string_equal(f.who,
                        "s-OST0003 from oss02 to oss01 between 1970-01-01T00:16:40Z "
                        "and 1970-01-01T00:20:00Z");
    assert_true(f.value == 200);
    assert_int_equal(f.n, 1);
    assert_int_equal(f.which, 3);
    assert_true(f.cost.low_s == 0 && f.cost.high_s == 200);
    free(k);
}

static void targets_that_it_did_not_use_are_no_failover_of_it(void **state)
{
    (void)state;
    struct known *k = known_new();
    const struct target_evidence e = { NULL, NULL, &k->servers, &k->targets };
    struct finding f;
    move(k, 1);
    move(k, 2);
    move(k, 3); /* an MDT */
    assert_int_equal(failover_of(&e, &f), 0);
    move(k, 0);
    assert_int_equal(failover_of(&e, &f), 1);
    assert_int_equal(f.n, 1);
    free(k);
}

static void an_access_that_waited_as_long_is_the_least_that_it_cost(void **state)
{
    (void)state;
    struct known *k = known_new();
    const struct target_evidence e = { NULL, &k->run, &k->servers, &k->targets };
    static const struct {
        double longest_s, low_s;
    } cases[] = {
        { NAN, 0 }, { 9, 0 }, { 55, 0 }, { 70, 70 }, { 190, 100 }, { 500, 0 }
    };
    move(k, 0);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct finding f;
        k->run.longest_s = cases[i].longest_s;
        assert_int_equal(failover_of(&e, &f), 1);
        if (f.cost.low_s != cases[i].low_s || f.cost.high_s != 100)
            fail_msg("%zu: %g to %g", i, f.cost.low_s, f.cost.high_s);
    }
    free(k);
}

/* Neither rows nor layouts: only an access that waited shows that it was there. */
static void without_its_targets_only_a_wait_is_a_failover_of_it(void **state)
{
    (void)state;
    struct known *k = known_new();
    const struct target_evidence e = { NULL, &k->run, NULL, &k->targets };
    struct finding f;
    move(k, 0);
    assert_int_equal(failover_of(&e, &f), 0);
    k->run.longest_s = 150;
    assert_int_equal(failover_of(&e, &f), 1);
    assert_true(f.cost.low_s == 100);
    free(k);
}

static void readings_of_health_show_it_of_targets_that_it_used(void **state)
{
    (void)state;
    struct known *k = known_new();
    struct job_health *h = &k->context.health;
    const struct target_evidence e = { &k->context, &k->run, &k->servers, NULL };
    struct finding f;
    *h = (struct job_health){ .moved_count = 2,
                              .moved_targets = "s-OST0005 s-OST0003",
                              .moved_from = "10.1.0.2@o2ib",
                              .moved_to = "10.1.0.1@o2ib",
                              .moved_s = 1200 };
    assert_int_equal(failover_of(&e, &f), 1);
    assert_string_equal(f.who, "s-OST0005 s-OST0003 from 10.1.0.2@o2ib to "
                               "10.1.0.1@o2ib by 1970-01-01T00:20:00Z");
    assert_true(isnan(f.value));
    assert_int_equal(f.which, 3);
    h->moved_targets = "s-OST0005 s-OST0006";
    assert_int_equal(failover_of(&e, &f), 0);
    h->moved_targets = "no target";
    assert_int_equal(failover_of(&e, &f), 0);
    h->moved_count = 0;
    h->moved_targets = NULL;
    assert_int_equal(failover_of(&e, &f), 0);
    free(k);
}

/* Many and long names are cut, never written beyond the text. */
static void long_names_are_cut(void **state)
{
    (void)state;
    struct known *k = known_new();
    struct finding f;
    char name[512], text[FAILOVER_TEXT_BYTES];
    const struct target_evidence e = { NULL, NULL, &k->servers, &k->targets };
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = 0;
    for (size_t i = 0; i < 3; i++) {
        move(k, i);
        k->items[i].index = 3;
        k->items[i].name = name;
        k->items[i].to = name;
        k->items[i].from = name;
    }
    assert_int_equal(findings_make_failover(&e, text, &f), 1);
    assert_true(strlen(text) < sizeof text);
    assert_int_equal(f.n, 3);
    free(k);
}

static void a_failover_explains_what_follows_from_it(void **state)
{
    (void)state;
    struct finding found[] = { finding_of(finding_rule_find("slow-target"), 5),
                               finding_of(finding_rule_find("failover"), 200),
                               finding_of(finding_rule_find("imbalanced"), 3) };
    found[0].cost = cost_between(90, 90, COST_EXACT);
    found[1].cost = cost_between(60, 100, COST_AWAY);
    found[2].cost = cost_between(500, 500, COST_EXACT); /* so much it was not */
    findings_order(found, 3);
    assert_string_equal(found[0].name, "imbalanced");
    assert_string_equal(found[1].name, "failover");
    assert_string_equal(found[2].name, "slow-target");
    assert_string_equal(found[2].because, "failover");
    assert_null(found[0].because);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_target_that_the_job_did_not_use_is_not_reported),
        cmocka_unit_test(by_the_layouts_of_its_log_it_did_not_use_it_either),
        cmocka_unit_test(what_it_cost_is_what_files_there_cost),
        cmocka_unit_test(the_servers_totals_have_its_own_targets),
        cmocka_unit_test(of_several_full_targets_in_a_reading_its_own_counts),
        cmocka_unit_test(other_findings_stay_as_they_are),
        cmocka_unit_test(its_targets_moved_and_are_named_with_both_servers),
        cmocka_unit_test(targets_that_it_did_not_use_are_no_failover_of_it),
        cmocka_unit_test(an_access_that_waited_as_long_is_the_least_that_it_cost),
        cmocka_unit_test(without_its_targets_only_a_wait_is_a_failover_of_it),
        cmocka_unit_test(readings_of_health_show_it_of_targets_that_it_used),
        cmocka_unit_test(long_names_are_cut),
        cmocka_unit_test(a_failover_explains_what_follows_from_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
