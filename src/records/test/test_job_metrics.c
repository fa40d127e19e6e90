/* SPDX-License-Identifier: Apache-2.0 */
/* test_job_metrics - footprints of runs in the database, the same for both engines. */
#include "base/number.h"
#include "base/span.h"
#include "records/job/job_metrics.h"
#include "records/test/fixture.h"

#include <math.h>

/* Run body on an empty database of each engine. */
#define EACH_ENGINE(f)                                                       \
    for (size_t engine_ = 0; engine_ < fixture_engine_count(); engine_++)    \
        for (struct fixture f,                                               \
             *once_ = (fixture_start(&f, fixture_engines[engine_], ""), &f); \
             once_; fixture_stop(once_), once_ = NULL)

#define T(s) ((T0_MS / MS_PER_S - 100000 + (s)) * NS_PER_S)

static struct job_metric row_of(const char *id, int64_t start_ns, const char *metric,
                                double mean)
{
    return (struct job_metric){ .cluster = SPAN("alex"),
                                .id = span_of(id),
                                .start_ns = start_ns,
                                .end_ns = start_ns + 10 * NS_PER_S,
                                .metric = span_of(metric),
                                .unit = SPAN(""),
                                .nodes = 2,
                                .observed = 1,
                                .covered = 0.5,
                                .mean = mean,
                                .min = NAN,
                                .max = NAN,
                                .sum = NAN };
}

static void put(struct fixture *f, const struct job_metric *rows, size_t count,
                struct records_submission *ret)
{
    struct err err = { 0 };
    *ret = (struct records_submission){ 0 };
    if (records_put_job_metrics(f->records, rows, count, T0_MS, ret, &err) < 0)
        fail_msg("%s: %s", f->engine, err.text);
}

static int metric_print(void *arg, const struct job_metric *m)
{
    strbuf_addf(arg, SPAN_FMT " %lld '" SPAN_FMT "' %g\n", SPAN_ARG(m->id),
                (long long)((m->start_ns - T(0)) / NS_PER_S), SPAN_ARG(m->metric),
                m->mean);
    return 0;
}

static void check(struct fixture *f, const struct job_metric_filter *filter,
                  const char *want)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct err err = { 0 };
    fixture_reopen(f);
    if (records_find_job_metrics(f->reader, filter, metric_print, &text, &err) < 0)
        fail_msg("%s: %s", f->engine, err.text);
    assert_string_equal(strbuf_text(&text), want);
}

static void rows_are_found_by_run_and_by_metric(void **state)
{
    (void)state;
    static const char *const names[] = { "cpu_load", "power" };
    EACH_ENGINE(f)
    {
        const struct job_metric rows[] = {
            row_of("7", T(0), "power", 100), row_of("7", T(0), "cpu_load", 0),
            row_of("7", T(0), "", NAN),      row_of("8", T(5), "power", NAN),
            row_of("8", T(900), "power", 2), row_of("9", T(1), "flops", 1e300),
        };
        const struct job_metric_filter of_run = {
            .cluster = SPAN("alex"), .id = SPAN("7"), .from_ns = T(0), .to_ns = T(0)
        };
        const struct job_metric_filter of_metrics = {
            .metric = names, .metric_count = 2, .from_ns = T(0), .to_ns = T(800)
        };
        struct records_submission result;
        put(&f, rows, COUNT_OF(rows), &result);
        assert_int_equal(result.accepted, 6);
        check(&f, &of_run, "7 0 '' nan\n7 0 'cpu_load' 0\n7 0 'power' 100\n");
        check(&f, &of_metrics, "7 0 'cpu_load' 0\n7 0 'power' 100\n8 5 'power' nan\n");
        assert_int_equal(fixture_number(&f, "SELECT count(*) FROM job_footprints WHERE "
                                            "mean IS NULL AND start_time IS NOT NULL"),
                         2);
    }
}

static void what_cannot_be_and_what_is_old_is_refused(void **state)
{
    (void)state;
    EACH_ENGINE(f)
    {
        f.opts.retention_jobs_ns = 10 * DAY_NS;
        fixture_reopen(&f);
        struct job_metric rows[] = { row_of("7", T(0), "power", INFINITY),
                                     row_of("7", T(0), "flops", 1),
                                     row_of("7", 5, "flops", 1) };
        struct records_submission result;
        put(&f, rows, COUNT_OF(rows), &result);
        assert_int_equal(result.accepted, 1);
        assert_int_equal(result.refused, 2);
        put(&f, &rows[1], 1, &result);
        assert_int_equal(result.duplicate, 1);
        rows[1].mean = 2;
        put(&f, &rows[1], 1, &result);
        assert_int_equal(result.changed, 1);
    }
}

static int id_print(void *arg, const struct job *run)
{
    strbuf_addf(arg, SPAN_FMT " ", SPAN_ARG(run->id));
    return 0;
}

static void check_lacking(struct fixture *f, size_t limit, const char *want)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct err err = { 0 };
    fixture_reopen(f);
    if (records_find_jobs_without_metrics(f->reader, T(100), T(1000), limit, id_print,
                                          &text, &err) < 0)
        fail_msg("%s: %s", f->engine, err.text);
    assert_string_equal(strbuf_text(&text), want);
}

static struct job run_of(const char *id, int64_t start_ns, int64_t end_ns)
{
    const struct span none = SPAN("");
    return (struct job){ .cluster = SPAN("alex"),
                         .id = span_of(id),
                         .raw_id = span_of(id),
                         .name = none,
                         .user = none,
                         .nodes = SPAN("n1"),
                         .submit_ns = JOB_TIME_NONE,
                         .start_ns = start_ns,
                         .end_ns = end_ns };
}

/* Those that ended within the range, and of that end alone. */
static void runs_without_a_footprint_are_found(void **state)
{
    (void)state;
    EACH_ENGINE(f)
    {
        struct job runs[] = {
            run_of("old", T(0), T(50)),
            run_of("b", T(0), T(700)),
            run_of("a", T(0), T(200)),
            run_of("going", T(0), JOB_TIME_NONE),
            run_of("late", T(0), T(2000)),
            run_of("c", T(600), T(800)),
            run_of("waits", JOB_TIME_NONE, JOB_TIME_NONE),
        };
        struct records_submission result = { 0 };
        struct job_metric whole = row_of("b", T(0), "", NAN);
        struct err err = { 0 };
        assert_int_equal(
            records_put_jobs(f.records, runs, COUNT_OF(runs), T0_MS, &result, &err), 0);
        assert_int_equal(result.accepted, COUNT_OF(runs));
        check_lacking(&f, 0, "a b c ");
        check_lacking(&f, 2, "a b ");
        whole.end_ns = T(700);
        put(&f, &whole, 1, &result);
        check_lacking(&f, 0, "a c ");
        /* Its end is corrected. */
        runs[1].end_ns = T(750);
        assert_int_equal(records_put_jobs(f.records, &runs[1], 1, T0_MS, &result, &err),
                         0);
        check_lacking(&f, 0, "a b c ");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_found_by_run_and_by_metric),
        cmocka_unit_test(what_cannot_be_and_what_is_old_is_refused),
        cmocka_unit_test(runs_without_a_footprint_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
