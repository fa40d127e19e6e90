/* SPDX-License-Identifier: Apache-2.0 */
/* test_job_stored_page - what a stored summary has to say where the log is not here. */
#include "base/test/testing.h"
#include "report/job/job_stored_page.h"
#include "report/job/run_line.h"

#include <errno.h>
#include <math.h>

static struct job_context *context_new(void)
{
    struct job_context *job = calloc(1, sizeof *job);
    assert_non_null(job);
    job_context_init(job);
    return job;
}

static void facts_fill(struct job_context *job)
{
    job->identity.log = "/logs/a\n.darshan";
    job->facts.app = "/opt/ior";
    job->facts.nprocs = 64;
    job->facts.walltime_s = 120.4;
    job->facts.start_s = 1500000000;
    job->facts.posix[JOB_POSIX_BYTES_READ].total = 1048576;
    job->facts.posix[JOB_POSIX_BYTES_WRITTEN].total = 3 * 1048576;
    job->facts.posix_mib_per_s = 12.25;
}

static void text_is(const struct job_context *job, const char *want)
{
    static const struct job_assessment assessment;
    const struct job_stored stored = { "4711", job, ENOENT };
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    job_stored_print_text(&stored, &assessment, &out);
    const char *evidence = strstr(strbuf_text(&out), "\nNot known: ");
    assert_non_null(evidence);
    assert_int_equal(evidence - strbuf_text(&out), strlen(want));
    assert_int_equal(strncmp(strbuf_text(&out), want, strlen(want)), 0);
}

static void a_page_has_what_is_stored(void **state)
{
    (void)state;
    struct job_context *job = context_new();
    facts_fill(job);
    text_is(job, "Job 4711: /opt/ior\n"
                 "64 processes for 120 s, from 2017-07-14T02:40:00Z\n\n"
                 "Its log /logs/a\\x0A.darshan cannot be read here (No such file or "
                 "directory): this is its summary. For how it did its I/O "
                 "read the log where it is.\n\n"
                 "It moved 4.00 MiB by POSIX, 1.00 MiB of it read; 12.2 MiB/s by the "
                 "slowest process.\n");
    free(job);
}

/* A summary may come from another user: each column may be missing, or be any number.
 */
static void what_is_missing_is_left_out(void **state)
{
    static const char rest[] = "\n\nIts log cannot be read here (No such file or "
                               "directory): this is its summary. "
                               "For how it did its I/O read the log where it is.\n";
    static const struct {
        int64_t nprocs, start_s;
        double walltime_s;
        const char *line;
    } cases[] = {
        { JOB_I64_NONE, JOB_I64_NONE, NAN, "" },
        { 1, -1, NAN, "" },
        { JOB_I64_NONE, INT64_MAX, 5, "" },
        { 1, INT64_MIN, 5, "1 processes for 5 s" },
        { 1, 9000000000, 5, "1 processes for 5 s" },
        { 1, 0, 5, "1 processes for 5 s, from 1970-01-01T00:00:00Z" },
        { 1, 8999999999, 5, "1 processes for 5 s, from 2255-03-14T15:59:59Z" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf want = STRBUF_INIT;
        struct job_context *job = context_new();
        job->facts.nprocs = cases[i].nprocs;
        job->facts.start_s = cases[i].start_s;
        job->facts.walltime_s = cases[i].walltime_s;
        strbuf_addf(&want, "Job 4711: an unknown program\n%s%s", cases[i].line, rest);
        text_is(job, strbuf_text(&want));
        free(job);
    }
}

static void a_line_has_bytes_speed_and_findings(void **state)
{
    static struct job_assessment assessment;
    const struct finding_rule *rule = finding_rule_find("contended-target");
    struct job_context *job = context_new();
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    (void)state;
    run_line_print(&assessment, job, &out);
    assert_string_equal(strbuf_text(&out), "io: unknown\n");
    strbuf_clear(&out);
    facts_fill(job);
    for (size_t i = 0; i < 2; i++)
        assessment.findings[assessment.count++] =
            (struct finding){ .rule = rule,
                              .name = rule->name,
                              .kind = rule->kind,
                              .unit = rule->unit,
                              .cost = cost_unknown,
                              .value = 4.5 + (double)i };
    run_line_print(&assessment, job, &out);
    assert_string_equal(strbuf_text(&out), "contended-target 4.5 x; io: 4.00 MiB, "
                                           "12 MiB/s; contended-target 5.5 x\n");
    free(job);
}

static void an_object_states_that_the_log_is_not_readable(void **state)
{
    static const struct job_assessment assessment;
    struct job_context *job = context_new();
    const struct job_stored stored = { "4\"11", job, ENOENT };
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    (void)state;
    job_stored_print_json(&stored, &assessment, &out);
    static const char want[] = "{\"job\":\"4\\\"11\",\"log\":null,\"log_is_"
                               "readable\":false,\"headline\":null,"
                               "\"findings\":[],\"application\":null,"
                               "\"site_findings\":[],\"evidence\":[";
    assert_int_equal(strncmp(strbuf_text(&out), want, sizeof want - 1), 0);
    strbuf_clear(&out);
    facts_fill(job);
    job_stored_print_json(&stored, &assessment, &out);
    assert_non_null(strstr(strbuf_text(&out), "\"log\":\"/logs/a\\n.darshan\","));
    free(job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_has_what_is_stored),
        cmocka_unit_test(what_is_missing_is_left_out),
        cmocka_unit_test(a_line_has_bytes_speed_and_findings),
        cmocka_unit_test(an_object_states_that_the_log_is_not_readable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
