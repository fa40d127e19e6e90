/* SPDX-License-Identifier: Apache-2.0 */
/* test_weather_report - typed results of a window become tables and a page. */
#include "base/cleanup.h"
#include "base/number.h"
#include "base/test/testing.h"
#include "report/weather_report.h"

#include <math.h>
#include <string.h>

#define T0_S INT64_C(1500000000) /* 2017-07-14T02:40:00Z */

static void has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("there is no '%s' in:\n%s", part, text);
}

static void has_not(const char *text, const char *part)
{
    if (strstr(text, part))
        fail_msg("there is '%s' in:\n%s", part, text);
}

static const double days[] = { 1, 2, 3, 4, 5, 6 };

/* An hour: 7200 MiB read, 2 MiB/s on average, more than on all six other days. */
static void weather_make(struct window_context *w)
{
    static struct weather_target targets[] = {
        { "scratch-OST0001", 3000, 1000, 10, 10 },
        { "scratch-OST0000", 500, 500, 10, 8 },
        { "scratch-OST0002", 0, 0, 10, 10 },
    };
    *w = (struct window_context){
        .from_ns = T0_S * NS_PER_S,
        .to_ns = (T0_S + 3600) * NS_PER_S,
        .has_series = true,
        .weather = { .from_s = T0_S,
                     .to_s = T0_S + 3600,
                     .step_s = 5,
                     .targets = targets,
                     .target_count = COUNT_OF(targets),
                     .idle = 1.0 / 3 },
    };
    w->weather.lines[LMT_READ_BYTES] =
        (struct weather_line){ .is_known = true,
                               .total = 7200.0 * 1048576,
                               .mean = 2.0 * 1048576,
                               .peak = 8.0 * 1048576,
                               .peak_s = T0_S + 60,
                               .quiet = 0.25,
                               .missing = 0.5,
                               .days = days,
                               .day_count = COUNT_OF(days) };
    w->weather.lines[LMT_OSS_CPU] =
        (struct weather_line){ .is_known = true,
                               .total = NAN,
                               .mean = 3.5,
                               .peak = 90,
                               .peak_s = T0_S + 120,
                               .peak_component = "oss2",
                               .days = days,
                               .day_count = COUNT_OF(days) };
}

static void a_line_has_its_figures_and_its_rank(void **state)
{
    (void)state;
    struct window_context w;
    struct weather_report r;
    weather_make(&w);
    assert_int_equal(weather_report_make(&w, 2, &r), 0);
    const struct table *t = &r.tables[WEATHER_FLOWS];
    assert_int_equal(t->row_count, 2);
    assert_string_equal(table_at(t, 0, 0)->text, "datatargets/readbytes");
    assert_true(table_at(t, 0, 2)->dbl == 7200.0 * 1048576);
    assert_int_equal(table_at(t, 0, 5)->i64, (T0_S + 60) * 1000);
    assert_true(table_at(t, 0, 6)->is_null); /* a count has no component at its peak */
    assert_int_equal(table_at(t, 0, 9)->u64, 6);
    assert_true(table_at(t, 0, 10)->dbl == 1); /* all six are less */
    assert_true(table_at(t, 1, 2)->is_null);   /* a gauge has no total */
    assert_string_equal(table_at(t, 1, 6)->text, "oss2");
    assert_true(table_at(t, 1, 10)->dbl == 0.5); /* 1, 2, 3 of 6 */
    weather_report_done(&r);
}

/* Of 5000 bytes 4000 and 1000; the third is counted, not shown. */
static void targets_are_shares_of_all_bytes(void **state)
{
    (void)state;
    struct window_context w;
    struct weather_report r;
    weather_make(&w);
    assert_int_equal(weather_report_make(&w, 2, &r), 0);
    const struct table *t = &r.tables[WEATHER_TARGETS];
    assert_int_equal(t->row_count, 2);
    assert_true(fabs(table_at(t, 0, 3)->dbl - 0.8) < 1e-12);
    assert_true(fabs(table_at(t, 1, 3)->dbl - 0.2) < 1e-12);
    assert_true(fabs(table_at(t, 1, 4)->dbl - 0.2) < 1e-12); /* 8 of 10 measured */
    assert_int_equal(t->note_count, 1);
    assert_string_equal(t->notes[0], "1 more targets");
    weather_report_done(&r);
}

static void the_page_says_what_the_figures_do(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct window_context w;
    struct weather_report r;
    weather_make(&w);
    w.clocks = "series=-30s";
    assert_int_equal(weather_report_make(&w, 2, &r), 0);
    weather_text_print(&r, &out);
    const char *text = strbuf_text(&out);
    has(text, "The weather from 2017-07-14T02:40:00Z to 2017-07-14T03:40:00Z\n");
    has(text, "read      7.03 GiB, 2.00 MiB/s on average, 8.00 MiB/s at most "
              "(2017-07-14T02:41:00Z); more than in all 6 other days at these hours\n");
    has(text, "Data servers were busy to 4 % on average, oss2 to 90 % "
              "(2017-07-14T02:42:00Z)");
    has(text, "Nothing was read in 25 % of all steps of targets; 33 % of the targets "
              "moved nothing at all.\n");
    has(text, "Of datatargets/readbytes 50.0 % was not measured.\n");
    has(text,
        "The busiest targets: scratch-OST0001 (80.0 %), scratch-OST0000 (20.0 %)\n");
    has(text, "Clocks were corrected: series=-30s.\n");
    has_not(text, "written");
    has_not(text, "health");
    has_not(text, "jobs ran");
    has_not(text, "runs of the climate");
    weather_report_done(&r);
}

static void what_was_not_measured_is_stated(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    const struct window_context w = { .has_series = true, .has_health = true };
    struct weather_report r;
    assert_int_equal(weather_report_make(&w, 10, &r), 0);
    weather_text_print(&r, &out);
    has(strbuf_text(&out), "No series has anything of this time.\n");
    has(strbuf_text(&out), "No reading of health is of this time.\n");
    has_not(strbuf_text(&out), "0.0 %");
    has_not(strbuf_text(&out), "corrected");
    for (size_t i = 0; i < WEATHER_PARTS; i++) {
        assert_int_equal(r.tables[i].row_count, 0);
        assert_true(r.tables[i].column_count > 0);
    }
    weather_report_done(&r);
}

static void jobs_are_named_with_user_and_nodes(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    static const struct job jobs[] = {
        { .id = { "17", 2 },
          .user = { "anna", 4 },
          .node_count = 64,
          .start_ns = T0_S * NS_PER_S,
          .end_ns = JOB_TIME_NONE },
        { .id = { "18", 2 },
          .start_ns = T0_S * NS_PER_S,
          .end_ns = (T0_S + 60) * NS_PER_S },
    };
    struct window_context w = { .has_jobs = true };
    struct weather_report r;
    w.jobs.jobs = calloc(2, sizeof *w.jobs.jobs);
    assert_non_null(w.jobs.jobs);
    w.jobs.jobs[0] = (struct window_job){ &jobs[0], 32 };
    w.jobs.jobs[1] = (struct window_job){ &jobs[1], 0 };
    w.jobs.count = 2;
    w.jobs.node_hours = 32;
    assert_int_equal(weather_report_make(&w, 10, &r), 0);
    weather_text_print(&r, &out);
    has(strbuf_text(&out), "2 jobs ran, with 32 node-hours in this time; the largest: "
                           "17 of anna on 64 nodes, 18 of ?.\n");
    const struct table *t = &r.tables[WEATHER_JOBS];
    assert_true(table_at(t, 0, 5)->is_null); /* it runs */
    assert_true(table_at(t, 1, 6)->is_null); /* its nodes are unknown */
    weather_report_done(&r);
    window_context_done(&w);
}

static void runs_are_counted_by_quarter(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    static const struct run run = {
        .t_ns = T0_S * NS_PER_S, .raw = 3, .fraction = 0.5, .id = "r1"
    };
    struct window_context w = { .has_runs = true };
    struct weather_report r;
    w.runs.runs = calloc(1, sizeof *w.runs.runs);
    assert_non_null(w.runs.runs);
    w.runs.runs[0] = (struct window_run){ "ior", &run, { 8, 1, 0 } };
    w.runs.count = w.runs.judged = w.runs.slow = 1;
    assert_int_equal(weather_report_make(&w, 10, &r), 0);
    weather_text_print(&r, &out);
    has(strbuf_text(&out),
        "1 runs of the climate's tables began in this time: of 1 with "
        "others of their class 1 were in the slowest quarter, 0 in "
        "the fastest.\n");
    assert_true(table_at(&r.tables[WEATHER_RUNS], 0, 6)->dbl == 0.125); /* 1 of 8 */
    weather_report_done(&r);
    window_context_done(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_has_its_figures_and_its_rank),
        cmocka_unit_test(targets_are_shares_of_all_bytes),
        cmocka_unit_test(the_page_says_what_the_figures_do),
        cmocka_unit_test(what_was_not_measured_is_stated),
        cmocka_unit_test(jobs_are_named_with_user_and_nodes),
        cmocka_unit_test(runs_are_counted_by_quarter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
