/* SPDX-License-Identifier: Apache-2.0 */
/* test_job_page - one run as a line, as a page and for programs. */
#include "base/test/testing.h"
#include "report/job/job_page.h"
#include "report/job/run_line.h"
#include "report/job/test/finding_fixture.h"

#include <math.h>

/* 100 s, 10 s of them I/O, nothing stands out. */
static void page_fill(struct job_assessment *page)
{
    *page = (struct job_assessment){ .has_run = true, .excess = cost_unknown };
    struct profile *p = &page->run;
    (void)snprintf(p->exe, sizeof p->exe, "%s", "/opt/ior -w");
    (void)snprintf(p->program, sizeof p->program, "%s", "ior");
    p->jobid = 42;
    p->run_s = 100;
    p->io = cost_between(10, 10, COST_EXACT);
    for (size_t i = 0; i < PROFILE_MEASURE_COUNT; i++)
        p->values[i] = NAN;
    p->values[PROFILE_PROCESSES] = 1;
    p->values[PROFILE_BYTES] = 1048576;
    p->values[PROFILE_FILES] = 1;
}

static void has_text(const struct job_assessment *page, const char *want)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    job_page_print_text(page, &out);
    if (!strstr(strbuf_text(&out), want))
        fail_msg("'%s' is not in:\n%s", want, strbuf_text(&out));
}

static void what_a_log_lacks_is_named_and_gets_no_verdict(void **state)
{
    (void)state;
    static struct job_assessment page;
    AUTO(strbuf_done) struct strbuf line = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf json = STRBUF_INIT;
    page_fill(&page);
    page.run.io = cost_between(1, 1, COST_EXACT);
    page.run.gaps.unread = LOG_BIT(DARSHAN_MDHIM);
    page.run.gaps.partial = LOG_BIT(DARSHAN_POSIX);
    has_text(&page,
             "The log has records of MDHIM that are not read here: nothing below");
    has_text(&page,
             "Darshan had no memory for all records of POSIX: numbers below lack");
    has_text(&page, "I/O, as far as the log has it, lasted 1.0 s of the 100 s (1.0 %)");
    has_text(&page, "What stands out is not known: records are missing.");
    has_text(&page, "The log is not whole");
    run_line_print(&page, NULL, &line);
    assert_non_null(strstr(strbuf_text(&line), ", unread: MDHIM, partial: POSIX"));
    job_page_print_json(&page, &json);
    assert_non_null(strstr(
        strbuf_text(&json),
        "\"is_whole\":false,\"suspect\":null,\"suspect_records\":0,\"has_wrong_sizes\":"
        "false,\"gaps\":{\"unread\":[\"MDHIM\"],"
        "\"partial\":[\"POSIX\"],\"damaged\":[]}"));
}

static void what_is_unknown_or_cannot_be_is_no_sentence(void **state)
{
    (void)state;
    static struct job_assessment page;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf line = STRBUF_INIT;
    page_fill(&page);
    page.run.run_s = NAN;
    has_text(&page, "ior, 1 process, run time unknown,");
    has_text(&page, "I/O lasted 10 s, for 1.00 MiB");
    page.run.has_wrong_sizes = true;
    has_text(&page,
             "Darshan 3.2.0 wrote wrong common access sizes: they are not used.");
    page.run.doubt = "more than 1 EiB was moved";
    has_text(&page, "The log is suspect: more than 1 EiB was moved. No time, speed");
    job_page_print_text(&page, &out);
    assert_null(strstr(strbuf_text(&out), "Nothing stands out"));
    assert_null(strstr(strbuf_text(&out), "It moved"));
    run_line_print(&page, NULL, &line);
    assert_non_null(strstr(strbuf_text(&line), ", suspect: more than 1 EiB was moved"));
    assert_null(strstr(strbuf_text(&line), "nan"));
}

static void a_run_where_nothing_stands_out_is_a_page(void **state)
{
    (void)state;
    static struct job_assessment page;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    page_fill(&page);
    job_page_print_text(&page, &out);
    assert_string_equal(
        strbuf_text(&out),
        "Job 42: ior, 1 process, 100 s\n"
        "I/O lasted 10 s of the 100 s (10 %), for 1.00 MiB.\n"
        "Nothing stands out in how it did its I/O; its context was not read "
        "(--server, --series).\n"
        "\n"
        "It moved 1.00 MiB in 1 file.\n"
        "Command: /opt/ior -w\n"
        "\n"
        "Known of it: its log.\n"
        "Not known: the batch system's record; metrics of its nodes; rows of jobstats; "
        "the servers' load; the health of its file system; the jobs that ran "
        "meanwhile.\n");
}

static void the_share_of_io_is_as_exact_as_its_interval(void **state)
{
    (void)state;
    static struct job_assessment page;
    static const struct {
        double low_s, high_s;
        const char *want;
    } cases[] = {
        { 0.01, 0.05, "(less than 0.1 %)" }, { 5, 5, "(5.0 %)" },
        { 0.5, 9, "(0.5 to 9.0 %)" },        { 73, 73, "(73 %)" },
        { 49, 73, "(49 to 73 %)" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        page_fill(&page);
        page.run.io = cost_between(cases[i].low_s, cases[i].high_s, COST_SHARED);
        has_text(&page, cases[i].want);
    }
    has_text(&page, "The time of I/O is an interval: of files that processes share "
                    "the log has sums only.\n");
    page.run.io = cost_unknown;
    has_text(&page, "It moved 1.00 MiB; the time for it is not known.\n");
    page.run.io = cost_between(1, 1, COST_EXACT);
    page.run.run_s = NAN;
    has_text(&page, "I/O lasted 1.0 s, for 1.00 MiB.\n");
}

static void against_its_class_it_is_longer_usual_or_shorter(void **state)
{
    (void)state;
    static struct job_assessment page;
    page_fill(&page);
    page.excess = cost_between(2, 5, COST_CLASS);
    has_text(&page, " longer than the middle half of its class.\n");
    page.excess = cost_between(0, 5, COST_CLASS);
    has_text(&page, "That is usual: the middle half of its class ran as long.\n");
    page.excess = cost_between(0, 0, COST_CLASS);
    has_text(&page, "That is shorter than in three quarters of its class.\n");
}

static void the_result_is_no_surer_than_the_costs(void **state)
{
    (void)state;
    static struct job_assessment page;
    page_fill(&page);
    page.count = 2;
    page.findings[0] =
        finding_of_rule("small", 0.9, cost_between(8, 8, COST_OTHERWISE));
    page.findings[1] = finding_of_rule("random", 0.8, cost_between(7, 9, COST_MIXED));
    has_text(&page, "What cost it most: small, 8.0 s (");
    has_text(&page, "; as much may be for random.\n");
    has_text(&page, "Why a cost is not one number:\n  random: all the time of files");
    page.findings[1].because = "small";
    has_text(&page, "follows from small: ");
    page.findings[0].cost = cost_between(0, 8, COST_OTHERWISE);
    has_text(&page, "What stands out: small, ");
    page.findings[0].cost = cost_unknown;
    has_text(&page, "What stands out: small, at a cost that is not known (");
    page.run.io = cost_between(0.01, 0.01, COST_EXACT);
    has_text(&page, "I/O is not the reason for its run time: only ");
    has_text(&page, "What stands out in that cost no more: small, random.\n");
}

static void what_it_did_is_summed_up_with_hostile_names_made_safe(void **state)
{
    (void)state;
    static struct job_assessment page;
    page_fill(&page);
    struct profile *p = &page.run;
    p->values[PROFILE_PROCESSES] = 4;
    p->values[PROFILE_FILES] = 3;
    p->values[PROFILE_READ_SHARE] = 0.25;
    p->values[PROFILE_ACCESS] = 4096;
    p->values[PROFILE_SPEED] = 2.5;
    p->accesses = 256;
    p->read_s = 8;
    p->write_s = 20;
    p->meta_s = 12;
    p->fault_count = 1;
    p->start_s = 1700000000;
    memset(p->exe, 'x', 200);
    p->exe[200] = '\0';
    has_text(&page, "Job 42: ior, 4 processes, 100 s from 2023-11-14T22:13:20");
    has_text(&page, "1.00 MiB at 2.5 MiB/s.\n");
    has_text(&page, "It moved 1.00 MiB in 3 files, 25 % of it read, in 256 accesses of "
                    "4.00 KiB on average.\n"
                    "8.0 s reading, 20 s writing, 12 s in metadata, added up over all "
                    "processes (10 s each on average).\n");
    has_text(&page, "xxx ...\nThe log is not whole: what is missing is not seen.\n");
    p->values[PROFILE_SPEED] = 250;
    p->values[PROFILE_PROCESSES] = 1;
    p->start_s = INT64_MAX;
    has_text(&page, " at 250 MiB/s.\n");
    has_text(&page, "1 process, 100 s\n");
    has_text(&page, "12 s in metadata.\n");
}

static void a_line_has_the_run_and_what_stands_out(void **state)
{
    (void)state;
    static struct job_assessment page;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    page_fill(&page);
    page.run.io = cost_unknown;
    run_line_print(&page, NULL, &out);
    assert_string_equal(strbuf_text(&out), "io: 1.00 MiB in 1 files\n");
    strbuf_clear(&out);
    page_fill(&page);
    page.run.values[PROFILE_SPEED] = 7;
    page.count = 2;
    page.findings[0] = finding_of_rule("small", 0.9, cost_between(8, 8, COST_EXACT));
    page.findings[1] = finding_of_rule("random", 0.8, cost_unknown);
    run_line_print(&page, NULL, &out);
    assert_string_equal(strbuf_text(&out),
                        "small 90 % (8.0 s); io: 1.00 MiB in 1 files, 7 MiB/s, 10 s "
                        "of 100 s; random 80 %\n");
}

static void for_programs_what_is_unknown_is_null(void **state)
{
    (void)state;
    static struct job_assessment page;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    page_fill(&page);
    page.count = 2;
    page.findings[0] = finding_of_rule("small", INFINITY, cost_unknown);
    page.findings[1] = finding_of_rule("imbalanced", 5, cost_between(1, 2, COST_EVEN));
    page.findings[1].which = 7;
    page.findings[1].who = "user";
    page.findings[1].because = "small";
    job_page_print_json(&page, &out);
    static const char *const parts[] = {
        "{\"jobid\":42,\"exe\":\"/opt/ior -w\",\"start_s\":0,\"run_time_s\":100,"
        "\"is_whole\":true,\"suspect\":null,",
        "\"value\":null",
        "\"cost\":{\"low_s\":null,\"high_s\":null,\"reason\":\"unknown\"}",
        "\"because\":null,\"which\":null}",
        "\"who\":\"user\"",
        "\"cost\":{\"low_s\":1,\"high_s\":2,\"reason\":\"even\"}",
        "\"because\":\"small\",\"which\":7}],\"application\":null,\"site_findings\":[],"
        "\"evidence\":[",
    };
    for (size_t i = 0; i < COUNT_OF(parts); i++)
        if (!strstr(strbuf_text(&out), parts[i]))
            fail_msg("'%s' is not in:\n%s", parts[i], strbuf_text(&out));
}

static void evidence_is_listed_with_why_it_is_missing(void **state)
{
    (void)state;
    static struct job_assessment page;
    struct job_nodes nodes = { .refused = "no metrics then" };
    AUTO(strbuf_done) struct strbuf json = STRBUF_INIT;
    page_fill(&page);
    page.nodes = &nodes;
    has_text(&page, "Not known: the batch system's record; metrics of its nodes (no "
                    "metrics then); rows of jobstats;");
    job_page_print_json(&page, &json);
    assert_non_null(strstr(
        strbuf_text(&json),
        "\"evidence\":[{\"name\":\"record\",\"text\":\"the batch system's record\","
        "\"is_found\":false,\"reason\":null},{\"name\":\"facts\",\"text\":\"its log\","
        "\"is_found\":true,\"reason\":null},{\"name\":\"nodes\",\"text\":\"metrics of "
        "its nodes\",\"is_found\":false,\"reason\":\"no metrics then\"}"));
    nodes.is_observed = true;
    has_text(&page, "Known of it: its log; metrics of its nodes.");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(evidence_is_listed_with_why_it_is_missing),
        cmocka_unit_test(what_is_unknown_or_cannot_be_is_no_sentence),
        cmocka_unit_test(what_a_log_lacks_is_named_and_gets_no_verdict),
        cmocka_unit_test(a_run_where_nothing_stands_out_is_a_page),
        cmocka_unit_test(the_share_of_io_is_as_exact_as_its_interval),
        cmocka_unit_test(against_its_class_it_is_longer_usual_or_shorter),
        cmocka_unit_test(the_result_is_no_surer_than_the_costs),
        cmocka_unit_test(what_it_did_is_summed_up_with_hostile_names_made_safe),
        cmocka_unit_test(a_line_has_the_run_and_what_stands_out),
        cmocka_unit_test(for_programs_what_is_unknown_is_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
