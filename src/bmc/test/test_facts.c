/* SPDX-License-Identifier: Apache-2.0 */
/* test_facts - by which clock a crash is seen, and what "does not respond" is. */
#include "base/number.h"
#include "base/test/testing.h"
#include "bmc/facts.h"

#define T0 (INT64_C(1764374400) * NS_PER_S)
#define AT(seconds) (T0 + (seconds)*NS_PER_S)
#define MINUTE (60 * NS_PER_S)
#define OLD AT(-7 * 86400)

static void crash_add(struct bmc_report *report, const char *id, int64_t t_ns)
{
    struct bmc_entry entry = { .t_ns = t_ns, .is_crash = true, .text = "panic" };
    (void)snprintf(entry.id, sizeof entry.id, "%s", id);
    bmc_report_entry(report, &entry, true);
}

static struct bmc_report *report_new(bool has_log)
{
    struct bmc_report *report = calloc(1, sizeof *report);
    assert_non_null(report);
    report->power = BMC_POWER_ON;
    report->has_log = report->can_move = has_log;
    return report;
}

static enum silence read_silent(struct bmc_facts *facts, struct bmc_report *report,
                                int64_t now_ns)
{
    AUTO(strbuf_done) struct strbuf reason = STRBUF_INIT;
    bmc_facts_update(facts, report, true, MINUTE, now_ns);
    facts->silence.is_silent = true;
    facts->silence.silent_since_ns = T0;
    return silence_of(&facts->silence, &reason);
}

/* A cursor of last week, or one that forgot: what is new may be old. */
static void what_is_new_at_the_first_reading_is_of_the_bmcs_time(void **state)
{
    struct bmc_facts facts = { 0 };
    struct bmc_report *report = report_new(true);
    (void)state;
    crash_add(report, "1", OLD);
    assert_int_equal(read_silent(&facts, report, AT(60)), SILENCE_HUNG_OR_CUT);
    memset(&facts, 0, sizeof facts);
    crash_add(report, "2", AT(-5));
    assert_int_equal(read_silent(&facts, report, AT(60)), SILENCE_CRASHED);
    free(report);
}

static void after_a_whole_reading_it_is_of_ours(void **state)
{
    struct bmc_facts facts = { 0 };
    struct bmc_report *report = report_new(true);
    (void)state;
    bmc_facts_update(&facts, report, true, MINUTE, AT(-30));
    crash_add(report, "1", 0);
    assert_int_equal(read_silent(&facts, report, AT(30)), SILENCE_CRASHED);
    /* The log was not read for an hour: of which of its minutes is it? */
    memset(&facts, 0, sizeof facts);
    facts.log_read_ns = AT(-3600);
    assert_int_equal(read_silent(&facts, report, AT(30)), SILENCE_HUNG_OR_CUT);
    free(report);
}

static void one_that_stays_new_is_seen_once(void **state)
{
    struct bmc_facts facts = { 0 };
    struct bmc_report *report = report_new(true);
    (void)state;
    bmc_facts_update(&facts, report, true, MINUTE, AT(-7260));
    crash_add(report, "1", 0);
    for (int64_t t = -7200; t < 0; t += 60)
        bmc_facts_update(&facts, report, true, MINUTE, AT(t));
    assert_true(facts.silence.crash_seen_ns == AT(-7200));
    assert_int_equal(read_silent(&facts, report, AT(60)), SILENCE_HUNG_OR_CUT);
    crash_add(report, "2", 0);
    assert_int_equal(read_silent(&facts, report, AT(120)), SILENCE_CRASHED);
    free(report);
}

static void a_log_that_is_followed_is_known_from_its_first_reading(void **state)
{
    struct bmc_facts facts = { 0 };
    struct bmc_report *report = report_new(false);
    (void)state;
    report->can_move = report->is_log_followed = true;
    (void)read_silent(&facts, report, AT(30));
    report->has_log = true;
    (void)read_silent(&facts, report, AT(60));
    assert_true(facts.silence.has_log && facts.silence.log_from_ns == AT(30));
    free(report);
}

static void only_one_that_is_away_does_not_respond(void **state)
{
    struct bmc_facts facts = { 0 };
    struct bmc_report *report = report_new(true);
    (void)state;
    bmc_facts_update(&facts, report, true, MINUTE, T0);
    bmc_facts_update(&facts, report, false, MINUTE, AT(60));
    assert_false(facts.silence.is_responding || facts.silence.is_away);
    report->is_away = true;
    bmc_facts_update(&facts, report, false, MINUTE, AT(120));
    assert_true(facts.silence.is_away && facts.silence.seen_ns == T0);
    bmc_facts_update(&facts, report, true, MINUTE, AT(180));
    assert_false(facts.silence.is_away);
    free(report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_new_at_the_first_reading_is_of_the_bmcs_time),
        cmocka_unit_test(after_a_whole_reading_it_is_of_ours),
        cmocka_unit_test(one_that_stays_new_is_seen_once),
        cmocka_unit_test(a_log_that_is_followed_is_known_from_its_first_reading),
        cmocka_unit_test(only_one_that_is_away_does_not_respond),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
