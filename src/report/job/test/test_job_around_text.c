/* SPDX-License-Identifier: Apache-2.0 */
/* test_job_around_text - what was around a job, in sentences. */
#include "base/test/testing.h"
#include "report/job/job_around_text.h"

#include <math.h>

static struct job_comparison *comparison_new(void)
{
    struct job_comparison *c = calloc(1, sizeof *c);
    assert_non_null(c);
    c->count = 1;
    job_context_init(&c->jobs[0]);
    return c;
}

static void text_is(const struct job_comparison *c, const char *expected)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    job_around_print(c, false, &out);
    assert_string_equal(strbuf_text(&out), expected);
}

static void comparison_free(struct job_comparison *c)
{
    job_comparison_done(c);
    free(c);
}

static void the_share_of_the_job_is_one_number(void **state)
{
    (void)state;
    struct job_comparison *c = comparison_new();
    struct job_context *job = &c->jobs[0];
    job->weather.flows[LMT_READ_BYTES].total = 8e9;
    job->weather.flows[LMT_WRITE_BYTES].total = 0;
    job->weather.from_s = 1500000000;
    job->weather.to_s = 1500000100;
    job->facts.posix[JOB_POSIX_BYTES_READ].total = 2e9;
    job->facts.posix[JOB_POSIX_BYTES_WRITTEN].total = 0;
    for (int has_share = 0; has_share < 2; has_share++) {
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        job_around_print(c, has_share, &out);
        assert_non_null(strstr(strbuf_text(&out), "besides this job, "));
        bool is_there = strstr(strbuf_text(&out), "which had 25 % of it, ") != NULL;
        assert_int_equal(is_there, !has_share);
    }
    comparison_free(c);
}

static void nothing_known_is_nothing_said(void **state)
{
    (void)state;
    struct job_comparison *c = comparison_new();
    text_is(c, "");
    c->count = 0;
    text_is(c, "");
    c->count = 1;
    comparison_free(c);
}

static void what_was_measured_is_said_with_its_window(void **state)
{
    (void)state;
    struct job_comparison *c = comparison_new();
    struct job_context *job = &c->jobs[0];
    job->weather.from_s = 1500000000;
    job->weather.to_s = 1500000060;
    job->weather.oss_cpu = (struct weather_load){ 16.4, 80 };
    job->health.fullest = (struct job_health_target){ "OST0003", 3, 95, 95 };
    job->health.fullness_lead_s = 7;
    job->health.overloaded_servers = 0;
    job->neighbours = (struct job_neighbours){ 3, 12, 1.5, NAN };
    text_is(c, "\nWhile it ran, 2017-07-14T02:40:00Z to 2017-07-14T02:41:00Z:\n"
               "Data servers were busy to 16 % on average, 80 % at most.\n"
               "Its fullest target was OST0003, at 95.0 % (read 7 s before it began).\n"
               "No server had targets of another.\n"
               "3 jobs ran in its time, this one included, on 12 nodes.\n");
    comparison_free(c);
}

/* A summary may come from another user: any column may be missing, or be any number. */
static void a_window_that_is_none_is_left_out(void **state)
{
    const struct {
        int64_t from_s, to_s;
    } windows[] = {
        { 1500000000, JOB_I64_NONE },
        { JOB_I64_NONE, 1500000000 },
        { 1500000000, 1499999999 },
        { -1, 1500000000 },
        { 0, INT64_MAX },
        { INT64_MAX, INT64_MAX },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(windows); i++) {
        struct job_comparison *c = comparison_new();
        c->jobs[0].weather.from_s = windows[i].from_s;
        c->jobs[0].weather.to_s = windows[i].to_s;
        c->jobs[0].health.overloaded_servers = 0;
        text_is(c, "\nWhile it ran:\nNo server had targets of another.\n");
        comparison_free(c);
    }
}

static void other_days_without_a_rank_have_none(void **state)
{
    const struct {
        int64_t as_much;
        const char *expected;
    } cases[] = {
        { JOB_I64_NONE, "shares the fabric spine and moved 3.00 KiB meanwhile.\n" },
        { -1, "shares the fabric spine and moved 3.00 KiB meanwhile.\n" },
        { 31, "shares the fabric spine and moved 3.00 KiB meanwhile.\n" },
        { 3, "shares the fabric spine and moved 2.5 times its usual bytes meanwhile: "
             "3.00 KiB, " },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        struct job_comparison *c = comparison_new();
        struct job_fabric *f = &c->jobs[0].fabric;
        f->fabrics = "spine";
        f->names = "home";
        f->read = 1024;
        f->written = 2048;
        f->times = 2.5;
        f->days = 30;
        f->as_much = cases[i].as_much;
        job_around_print(c, false, &out);
        if (!strstr(strbuf_text(&out), cases[i].expected))
            fail_msg("%s", strbuf_text(&out));
        comparison_free(c);
    }
}

static void a_fullest_target_needs_no_name(void **state)
{
    (void)state;
    struct job_comparison *c = comparison_new();
    c->jobs[0].health.fullest.pct = 95;
    c->jobs[0].health.fullness_lead_s = 7;
    text_is(c, "\nWhile it ran:\n"
               "Its fullest target was of no known name, at 95.0 % (read 7 s before it "
               "began).\n");
    comparison_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_share_of_the_job_is_one_number),
        cmocka_unit_test(nothing_known_is_nothing_said),
        cmocka_unit_test(what_was_measured_is_said_with_its_window),
        cmocka_unit_test(a_window_that_is_none_is_left_out),
        cmocka_unit_test(other_days_without_a_rank_have_none),
        cmocka_unit_test(a_fullest_target_needs_no_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
