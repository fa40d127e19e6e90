/* SPDX-License-Identifier: Apache-2.0 */
/* test_finding_text - findings as sentences: with all their evidence, and no more. */
#include "base/test/testing.h"
#include "report/job/job.h"
#include "report/job/test/finding_fixture.h"

#include <math.h>
#include <string.h>

/* Behind it how often such a finding is false; the figures are measured anew at times.
 */
static void is_printed(const struct finding *f, const char *want)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf whole = STRBUF_INIT;
    finding_print(f, 60, &out);
    strbuf_addf(&whole, "%s\n%18s", want, "");
    finding_print_rate(f, &whole);
    assert_string_equal(strbuf_text(&out), strbuf_text(&whole));
}

static void each_says_how_often_it_is_false(void **state)
{
    (void)state;
    static const struct {
        const char *name, *want;
        bool is_by_climate;
    } cases[] = {
        { "small", " healthy jobs (simulated)", false },
        { "contention", " SC18 runs with other weather", false },
        { "contention", " SC18 runs with other weather", true },
        { "contention-fabric", "False alarms: not measured", true },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        struct finding f = finding_of_rule(cases[i].name, 0.71, cost_unknown);
        if (cases[i].is_by_climate)
            f.threshold = NAN;
        finding_print(&f, 60, &out);
        assert_non_null(strstr(strbuf_text(&out), cases[i].want));
    }
}

static void of_a_threshold_the_page_says_which_and_of_how_many(void **state)
{
    (void)state;
    struct finding f = finding_of_rule("contention", 0.71, cost_unknown);
    f.n = 13;
    is_printed(&f, "contention        others moved much of what the file system moved "
                   "meanwhile\n"
                   "                  71 % (reported above 50 %; n = 13 steps)");
}

static void of_a_class_it_says_how_rare(void **state)
{
    (void)state;
    struct finding f = finding_of_rule("full-target", 97.4, cost_unknown);
    f.threshold = NAN;
    f.p = 0.0025;
    f.others = 399;
    is_printed(&f, "full-target       a target was nearly full\n"
                   "                  97 % (p = 0.0025 among 399 others)");
}

static void a_cost_is_of_the_run_and_an_ost_has_both_its_names(void **state)
{
    (void)state;
    struct finding f = finding_of_rule("slow-target", 6.2, cost_unknown);
    f.n = 8;
    f.n_word = "targets";
    f.p = 0.064;
    f.which = 23;
    f.cost = cost_between(5, 5, COST_EXACT);
    is_printed(
        &f, "slow-target       5.0 s of 60 s: all files on one target were slow: OST "
            "23 (OST0017)\n"
            "                  6.2 x (reported above 3.0 x; n = 8 targets; p = 0.064, "
            "its files dealt to targets anew)");
    f.because = "contended-target";
    f.p = NAN;
    is_printed(
        &f, "slow-target       follows from contended-target: all files on one target "
            "were slow: OST 23 (OST0017)\n"
            "                  6.2 x (reported above 3.0 x; n = 8 targets)");
}

static void who_did_it_is_named_and_bytes_that_drive_terminals_are_not_shown(
    void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    const struct server_target target = {
        .name = "scratch-OST0017",
        .neighbours = { { "9\x1b[2J", "alice", { 0 } } },
        .neighbour_count = 1,
    };
    struct finding f = finding_of_rule("contended-target", INFINITY, cost_unknown);
    f.contended = &target;
    finding_print_text(&f, &out);
    assert_string_equal(
        strbuf_text(&out),
        "others contended for one of its targets: scratch-OST0017, most "
        "by job 9\\x1B[2J of user alice");
    strbuf_clear(&out);
    finding_print_value(&f, f.value, &out);
    assert_string_equal(strbuf_text(&out), "and nothing elsewhere");
    f = finding_of_rule("contention-fabric", 3, cost_unknown);
    f.who = "mira-fs0";
    strbuf_clear(&out);
    finding_print_text(&f, &out);
    assert_string_equal(strbuf_text(&out),
                        "others on its fabric moved more than is usual "
                        "for them: mira-fs0");
}

static void each_value_has_the_form_of_its_measure(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double value;
        const char *want;
    } cases[] = {
        { "small", 0.875, "88 %" },
        { "imbalanced", 3.94, "3.9 x" },
        { "busy-servers", 71.2, "71 %" },
        { "overloaded-server", 2, "2" },
        { "contention-opens", 0.99, "99 %" },
        { "contention-fabric", 2.96, "3.0 x" },
        { "contended-target", 44.6, "44.6 x" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        struct finding f = finding_of_rule(cases[i].name, cases[i].value, cost_unknown);
        finding_print_value(&f, f.value, &out);
        if (strcmp(strbuf_text(&out), cases[i].want) != 0)
            fail_msg("%s: %s", cases[i].name, strbuf_text(&out));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_says_how_often_it_is_false),
        cmocka_unit_test(of_a_threshold_the_page_says_which_and_of_how_many),
        cmocka_unit_test(of_a_class_it_says_how_rare),
        cmocka_unit_test(a_cost_is_of_the_run_and_an_ost_has_both_its_names),
        cmocka_unit_test(
            who_did_it_is_named_and_bytes_that_drive_terminals_are_not_shown),
        cmocka_unit_test(each_value_has_the_form_of_its_measure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
