/* SPDX-License-Identifier: Apache-2.0 */
/* test_job_weather - what servers did in a job's window, and the job's part in that. */
#include "analysis/job/job.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "source/lmt/lmt.h"

#include <math.h>

#define START_S INT64_C(1500000000)
#define STEP_S 5
#define STEPS 24

/* Two targets: in step i target k writes 100 * (k + 1) bytes a second, reads nothing in
 * even steps; one server is busy to i %. */
static struct lmt_series *series_new(void)
{
    struct lmt_points *points = NULL;
    struct lmt_series *series = NULL;
    static const char *const targets[] = { "OST0000", "OST0001" };
    assert_int_equal(lmt_points_new(&points), 0);
    for (int64_t i = 0; i < STEPS; i++) {
        int64_t t_s = START_S + i * STEP_S;
        for (size_t k = 0; k < COUNT_OF(targets); k++) {
            double written = 500.0 * (double)(k + 1);
            assert_int_equal(lmt_points_add(points, LMT_WRITE_BYTES, LMT_POINT_COUNT,
                                            span_of(targets[k]), t_s, written, NULL),
                             0);
            assert_int_equal(lmt_points_add(points, LMT_READ_BYTES, LMT_POINT_COUNT,
                                            span_of(targets[k]), t_s,
                                            i % 2 == 0 ? 0 : 10, NULL),
                             0);
        }
        assert_int_equal(lmt_points_add(points, LMT_OSS_CPU, LMT_POINT_GAUGE,
                                        SPAN("oss1"), t_s, (double)i, NULL),
                         0);
    }
    assert_int_equal(lmt_series_of_points(points, "test", &series, NULL), 0);
    return series;
}

static void a_window_is_the_job_and_one_step_more(void **state)
{
    (void)state;
    AUTO(lmt_series_close) struct lmt_series *series = series_new();
    struct job_weather w;
    assert_int_equal(job_weather_read(&series, 1, START_S, START_S + 15, &w, NULL), 0);
    assert_int_equal(w.from_s, START_S);
    assert_int_equal(w.to_s, START_S + 20);
    assert_int_equal(w.step_s, STEP_S);
    assert_true(w.flows[LMT_WRITE_BYTES].total == 4 * 1500);
    assert_true(w.flows[LMT_WRITE_BYTES].average == 300);
    assert_true(w.flows[LMT_WRITE_BYTES].max == 300);
    assert_true(w.flows[LMT_WRITE_BYTES].min == 300);
    assert_true(w.flows[LMT_WRITE_BYTES].zero_fraction == 0);
    assert_true(w.flows[LMT_READ_BYTES].total == 40);
    assert_true(w.flows[LMT_READ_BYTES].min == 0 && w.flows[LMT_READ_BYTES].max == 4);
    assert_true(w.flows[LMT_READ_BYTES].zero_fraction == 0.5);
    assert_true(w.oss_cpu.average == 1.5 && w.oss_cpu.max == 3);
    assert_true(w.missing_fraction == 0);
    /* What the series do not have is missing, and 0 nowhere. */
    assert_true(isnan(w.flows[LMT_OPENS].total) && isnan(w.mds_cpu.average));
    assert_null(w.source);
}

static void after_the_last_step_is_missing(void **state)
{
    (void)state;
    AUTO(lmt_series_close) struct lmt_series *series = series_new();
    struct job_weather w;
    const int64_t end_s = START_S + STEPS * STEP_S;
    assert_int_equal(job_weather_read(&series, 1, end_s - 10, end_s + 5, &w, NULL), 0);
    assert_true(w.flows[LMT_WRITE_BYTES].total == 2 * 1500);
    assert_true(fabs(w.missing_fraction - 0.5) < 1e-12);
    assert_int_equal(job_weather_read(&series, 1, end_s + 100, end_s + 200, &w, NULL),
                     0);
    assert_true(isnan(w.flows[LMT_WRITE_BYTES].total));
    assert_true(isnan(w.oss_cpu.max));
}

static void without_series_nothing_is_known(void **state)
{
    (void)state;
    struct job_weather w = { .step_s = 77 };
    struct err err = { 0 };
    assert_int_equal(job_weather_read(NULL, 0, START_S, START_S + 60, &w, NULL), 0);
    assert_true(w.from_s == JOB_I64_NONE && w.step_s == JOB_I64_NONE);
    assert_true(isnan(w.missing_fraction) && isnan(w.flows[LMT_READ_BYTES].average));
    assert_true(job_weather_end(NULL, 0, START_S) > START_S);
    w.step_s = 77;
    assert_int_equal(job_weather_read(NULL, 0, START_S, START_S - 1, &w, &err),
                     -EINVAL);
    assert_int_equal(w.step_s, 77);
}

/* ---- the job's part ---- */

static struct job_facts facts_of(double read, double written, double opens)
{
    struct job_facts f = { 0 };
    for (size_t i = 0; i < JOB_POSIX_COUNTERS; i++)
        f.posix[i].total = NAN;
    f.posix[JOB_POSIX_BYTES_READ].total = read;
    f.posix[JOB_POSIX_BYTES_WRITTEN].total = written;
    f.posix[JOB_POSIX_OPENS].total = opens;
    f.posix[JOB_POSIX_READS].total = 1000;
    return f;
}

static struct job_weather weather_of(double read, double written, double opens)
{
    struct job_weather w;
    assert_int_equal(job_weather_read(NULL, 0, START_S, START_S + 60, &w, NULL), 0);
    w.flows[LMT_READ_BYTES].total = read;
    w.flows[LMT_WRITE_BYTES].total = written;
    w.flows[LMT_OPENS].total = opens;
    w.flows[LMT_READ_OPS].total = 10;
    return w;
}

static void a_part_is_of_what_the_servers_saw(void **state)
{
    (void)state;
    static const struct {
        double read, written, opens;          /* the job's */
        double fs_read, fs_written, fs_opens; /* all */
        double bw, opens_part;                /* NaN: none */
        const char *broken;
    } cases[] = {
        { 30, 20, 1, 100, 100, 4, 0.25, 0.25, NULL },
        { 30, 20, 1, 0, 0, 0, NAN, NAN, NULL }, /* a part of nothing is no number */
        { 30, 20, 1, NAN, NAN, NAN, NAN, NAN, NULL },
        { NAN, NAN, NAN, 100, 100, 4, NAN, NAN, NULL },
        { 119, 119, 1, 100, 100, 4, 1.19, 0.25, NULL }, /* within what clocks explain */
        { 200, 10, 9, 100, 100, 4, 1.05, 2.25, "read_bw opens" },
        { 200, 200, 1, 100, 100, 4, 2, 0.25, "read_bw write_bw bw" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(arena_done) struct arena arena;
        const struct job_facts facts =
            facts_of(cases[i].read, cases[i].written, cases[i].opens);
        const struct job_weather weather =
            weather_of(cases[i].fs_read, cases[i].fs_written, cases[i].fs_opens);
        struct job_coverage c;
        arena_init(&arena, 0);
        assert_int_equal(job_coverage_make(&facts, &weather, NAN, NAN, &arena, &c), 0);
        bool is_bw =
            isnan(cases[i].bw) ? isnan(c.bw) : fabs(c.bw - cases[i].bw) < 1e-12;
        bool is_opens = isnan(cases[i].opens_part) ? isnan(c.opens)
                                                   : c.opens == cases[i].opens_part;
        bool is_broken = cases[i].broken
                             ? c.broken && !strcmp(c.broken, cases[i].broken)
                             : !c.broken;
        if (!is_bw || !is_opens || !is_broken)
            fail_msg("%zu: bw %g, opens %g, broken %s", i, c.bw, c.opens,
                     c.broken ? c.broken : "-");
        assert_true(c.read_ops == 100); /* gathered by clients: broken it is not */
        assert_true(isnan(c.nodehrs));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_window_is_the_job_and_one_step_more),
        cmocka_unit_test(after_the_last_step_is_missing),
        cmocka_unit_test(without_series_nothing_is_known),
        cmocka_unit_test(a_part_is_of_what_the_servers_saw),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
