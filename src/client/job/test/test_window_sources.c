/* SPDX-License-Identifier: Apache-2.0 */
/* test_window_sources - what options name is opened once and read window by window. */
#include "base/number.h"
#include "base/span.h"
#include "base/test/scratch.h"
#include "client/job/job.h"
#include "client/job/test/input_files.h"

#include <errno.h>
#include <string.h>

#define START_NS (START_S * NS_PER_S)

static const char sacct_text[] = "JobID|User|Submit|Start|End|NNodes|NodeList|Cluster\n"
                                 "1|ann|1500000000|1500000000|1500000030|2|n1,n2|a\n"
                                 "2|bob|1500000000|1500000070|1500000110|1|n3|a\n"
                                 "3|eve|1500000000|1500000070|1500000110|1|n4|b\n";

static const char map_text[] = "[study]\n"
                               "time = when\n"
                               "performance = speed\n"
                               "class = app\n";

static void window_read(struct window_sources *s, int64_t from_s, int64_t to_s,
                        struct window_context *ret)
{
    struct err err = { 0 };
    if (window_sources_read(s, START_NS + from_s * NS_PER_S, START_NS + to_s * NS_PER_S,
                            ret, &err) < 0)
        fail_msg("%s", err.text);
}

static void sources_open(const struct window_sources_opts *opts,
                         struct window_sources *ret)
{
    struct err err = { 0 };
    if (window_sources_open(opts, ret, &err) < 0)
        fail_msg("%s", err.text);
}

static void without_options_a_window_has_no_part(void **state)
{
    (void)state;
    static const struct window_sources_opts none = { 0 };
    AUTO(window_sources_done) struct window_sources s = { 0 };
    AUTO(window_context_done) struct window_context window = { 0 };
    struct lmt_series **series = NULL;
    size_t count = 0;
    struct err err = { 0 };
    sources_open(&none, &s);
    window_read(&s, 0, 60, &window);
    assert_true(window.from_ns == START_NS);
    assert_true(window.to_ns == START_NS + 60 * NS_PER_S);
    assert_false(window.has_series || window.has_health || window.has_jobs ||
                 window.has_runs);
    assert_null(window.clocks);
    assert_int_equal(window_sources_series(&s, &window, &series, &count, &err),
                     -EINVAL);
    assert_non_null(strstr(err.text, "--series"));
}

static void what_cannot_be_opened_is_an_error(void **state)
{
    (void)state;
    static const char *none[] = { "/no/such" };
    static const char *tables[1];
    static const char *series[1];
    const struct {
        struct window_sources_opts opts;
        int rc;
        const char *reason;
    } cases[] = {
        { { .sources = { .series = OPTION_OF(none) } }, -ENOENT, "/no/such" },
        { { .sources = { .site = "/no/such" } }, -ENOENT, "/no/such" },
        { { .climate = OPTION_OF(none) }, -EINVAL, "--climate and --map" },
        { { .map = "/no/such" }, -EINVAL, "--climate and --map" },
        { { .climate = OPTION_OF(tables), .map = "/no/such" }, -ENOENT, "/no/such" },
        { { .sources = { .series = OPTION_OF(series) },
            .filesystem = "--filesystem wants" },
          -EINVAL,
          "--filesystem wants" },
    };
    tables[0] = text_write(0, "runs.csv", "app,when,speed\nior,1500000000,3\n");
    series[0] = mmpmon_write(1, "mmpmon", 25);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(window_sources_done) struct window_sources s = { 0 };
        struct err err = { 0 };
        int rc = window_sources_open(&cases[i].opts, &s, &err);
        if (rc != cases[i].rc || !strstr(err.text, cases[i].reason))
            fail_msg("%zu: %d: %s", i, rc, err.text);
    }
}

static void a_window_that_ends_before_it_begins_is_refused(void **state)
{
    (void)state;
    static const struct window_sources_opts none = { 0 };
    static const int64_t spans_ns[] = { 0, -1, -60 * NS_PER_S };
    AUTO(window_sources_done) struct window_sources s = { 0 };
    struct window_context window = { 0 };
    sources_open(&none, &s);
    for (size_t i = 0; i < COUNT_OF(spans_ns); i++) {
        struct err err = { 0 };
        assert_int_equal(
            window_sources_read(&s, START_NS, START_NS + spans_ns[i], &window, &err),
            -EINVAL);
        assert_non_null(strstr(err.text, "ends after it begins"));
        assert_true(window.from_ns == 0); /* untouched */
    }
}

/* 20 bytes and 2 bytes a second: the first minute as the second, each by itself. */
static void each_window_has_its_own_bytes_and_jobs(void **state)
{
    (void)state;
    const char *series[] = { mmpmon_write(0, "mmpmon", 25) };
    const char *jobs[] = { text_write(1, "sacct.txt", sacct_text) };
    const struct window_sources_opts opts = {
        .sources = { .series = OPTION_OF(series),
                     .jobs = OPTION_OF(jobs),
                     .cluster = "a" },
    };
    static const struct {
        int64_t from_s, to_s;
        double read;
        const char *job;
        double node_hours;
    } cases[] = {
        { 0, 60, 1200, "1", 2 * 30.0 / 3600 },
        { 60, 120, 1200, "2", 40.0 / 3600 },
        { 80, 90, 200, "2", 10.0 / 3600 },
    };
    AUTO(window_sources_done) struct window_sources s = { 0 };
    sources_open(&opts, &s);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(window_context_done) struct window_context window = { 0 };
        struct lmt_series **of = NULL;
        size_t count = 0;
        window_read(&s, cases[i].from_s, cases[i].to_s, &window);
        assert_true(window.has_series && window.has_jobs);
        const struct weather_line *read = &window.weather.lines[LMT_CLIENT_READ_BYTES];
        if (!read->is_known || read->total != cases[i].read)
            fail_msg("%zu: read %g", i, read->total);
        assert_int_equal(window.jobs.count, 1);
        assert_true(span_eq(window.jobs.jobs[0].job->id, span_of(cases[i].job)));
        assert_true(window.jobs.node_hours == cases[i].node_hours);
        assert_int_equal(window_sources_series(&s, &window, &of, &count, NULL), 0);
        assert_int_equal(count, 1);
    }
}

static void runs_are_those_that_began_then(void **state)
{
    (void)state;
    const char *tables[] = { text_write(0, "runs.csv",
                                        "app,when,speed\nior,1500000000,3\n"
                                        "ior,1500000060,6\nior,1500000070,5\n") };
    const struct window_sources_opts opts = {
        .climate = OPTION_OF(tables),
        .map = text_write(1, "map.conf", map_text),
    };
    AUTO(window_sources_done) struct window_sources s = { 0 };
    sources_open(&opts, &s);
    for (int i = 0; i < 2; i++) {
        AUTO(window_context_done) struct window_context window = { 0 };
        window_read(&s, 60 * i, 60 * (i + 1), &window);
        assert_true(window.has_runs);
        assert_int_equal(window.runs.count, i + 1);
    }
}

/* The target moves at 40 s by the clock of whoever read it, which is 30 s slow. */
static void health_is_of_the_window_by_its_clock(void **state)
{
    (void)state;
    const char *health[] = { text_write(
        0, "dl.txt",
        "BEGIN 1500000000\n  5 UP osc fs-OST0000-osc-ffff88 0 4 10.0.0.1@o2ib\n"
        "BEGIN 1500000040\n  5 UP osc fs-OST0000-osc-ffff88 0 4 10.0.0.2@o2ib\n") };
    static const char *clocks[] = { "health=30s" };
    AUTO(strbuf_done) struct strbuf log = STRBUF_INIT;
    const struct window_sources_opts opts = {
        .sources = { .health = OPTION_OF(health),
                     .clocks = OPTION_OF(clocks),
                     .access = { .log = on_log, .log_arg = &log } },
    };
    AUTO(window_sources_done) struct window_sources s = { 0 };
    sources_open(&opts, &s);
    for (int i = 0; i < 2; i++) {
        AUTO(window_context_done) struct window_context window = { 0 };
        window_read(&s, 60 * i, 60 * (i + 1), &window);
        assert_true(window.has_health);
        assert_string_equal(window.clocks, "health=30s");
        assert_int_equal(window.health.move_count, i);
        if (i == 1)
            assert_true(window.health.moves[0].t_ns == START_NS + 70 * NS_PER_S);
    }
    assert_string_equal(strbuf_text(&log), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_options_a_window_has_no_part),
        cmocka_unit_test(what_cannot_be_opened_is_an_error),
        cmocka_unit_test(a_window_that_ends_before_it_begins_is_refused),
        cmocka_unit_test(each_window_has_its_own_bytes_and_jobs),
        cmocka_unit_test(runs_are_those_that_began_then),
        cmocka_unit_test(health_is_of_the_window_by_its_clock),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
