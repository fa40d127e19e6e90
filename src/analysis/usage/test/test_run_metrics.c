/* SPDX-License-Identifier: Apache-2.0 */
/* test_run_metrics - runs beside their footprints. */
#include "analysis/usage/run_metrics.h"
#include "base/span.h"
#include "base/test/testing.h"

#include <math.h>

static void columns_are_a_metric_and_what_of_it(void **state)
{
    (void)state;
    static const struct {
        const char *list;
        int want;
        const char *names;
    } cases[] = {
        { "cpu_load", 0, "cpu_load " },
        { "cpu_load,mem_used:max,cpu_load:min", 0,
          "cpu_load mem_used_max cpu_load_min " },
        { "cpu_load:mean", 0, "cpu_load " },
        { "", -EINVAL, "" },
        { "a,,b", -EINVAL, "a " },
        { ":max", -EINVAL, "" },
        { "a:most", -EINVAL, "" },
        { "a:", -EINVAL, "" },
        { "a,a:mean", -EINVAL, "a " },
        { "a,b,c,d,e,f,g,h", 0, "a b c d e f g h " },
        { "a,b,c,d,e,f,g,h,i", -EINVAL, "a b c d e f g h " },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(run_metrics_done) struct run_metrics runs;
        AUTO(strbuf_done) struct strbuf names = STRBUF_INIT;
        struct err err = { 0 };
        run_metrics_init(&runs);
        if (run_metrics_parse(&runs, span_of(cases[i].list), &err) != cases[i].want)
            fail_msg("%s: %s", cases[i].list, err.text);
        for (size_t j = 0; j < runs.column_count; j++)
            strbuf_addf(&names, "%s ", runs.columns[j].name);
        assert_string_equal(strbuf_text(&names), cases[i].names);
    }
}

static void run_put(struct run_metrics *runs, const char *id, int64_t start_ns)
{
    const struct span none = SPAN("");
    const struct job run = { .cluster = SPAN("alex"),
                             .id = span_of(id),
                             .user = none,
                             .uid = SPAN("1001"),
                             .account = none,
                             .partition = none,
                             .state = none,
                             .name = none,
                             .start_ns = start_ns,
                             .end_ns = start_ns + 10 };
    assert_int_equal(run_metrics_add_run(runs, &run), 0);
}

static void metric_put(struct run_metrics *runs, const char *id, int64_t start_ns,
                       const char *name, double mean, double most)
{
    const struct job_metric metric = { .cluster = SPAN("alex"),
                                       .id = span_of(id),
                                       .start_ns = start_ns,
                                       .end_ns = start_ns + 10,
                                       .metric = span_of(name),
                                       .unit = SPAN("W"),
                                       .covered = 0.5,
                                       .mean = mean,
                                       .min = NAN,
                                       .max = most,
                                       .sum = NAN };
    assert_int_equal(run_metrics_add(runs, &metric), 0);
}

static void check_order(struct run_metrics *runs, const char *column, const char *want)
{
    AUTO(strbuf_done) struct strbuf ids = STRBUF_INIT;
    size_t at = 0;
    assert_int_equal(run_metrics_column(runs, span_of(column), &at), 0);
    run_metrics_sort(runs, at);
    for (size_t i = 0; i < runs->count; i++)
        strbuf_addf(&ids, "%s ", runs->rows[i].id);
    assert_string_equal(strbuf_text(&ids), want);
}

/* An id is used again: each run has its own. */
static void each_run_has_its_own_and_what_is_unknown_comes_last(void **state)
{
    (void)state;
    AUTO(run_metrics_done) struct run_metrics runs;
    struct err err = { 0 };
    size_t at;
    run_metrics_init(&runs);
    assert_int_equal(run_metrics_parse(&runs, SPAN("power,power:max"), &err), 0);
    run_put(&runs, "1", 100);
    run_put(&runs, "1", 500);
    run_put(&runs, "2", 200);
    run_put(&runs, "3", 300);
    run_put(&runs, "1", 100);
    assert_int_equal(runs.count, 4);
    metric_put(&runs, "1", 100, "power", 7, 8);
    metric_put(&runs, "1", 100, "", NAN, NAN);
    metric_put(&runs, "1", 500, "power", 3, 99);
    metric_put(&runs, "2", 200, "power", NAN, NAN);
    metric_put(&runs, "2", 200, "flops", 1, 1);
    metric_put(&runs, "9", 200, "power", 1, 1);
    assert_true(runs.rows[0].values[0] == 7 && runs.rows[0].covered == 0.5);
    assert_true(runs.rows[1].values[0] == 3 && isnan(runs.rows[1].covered));
    assert_true(isnan(runs.rows[2].values[0]) && isnan(runs.rows[3].values[0]));
    assert_string_equal(runs.columns[0].unit, "W");
    assert_string_equal(runs.rows[0].user, "1001");
    check_order(&runs, "power", "1 1 3 2 ");
    assert_int_equal(runs.rows[0].start_ns, 500);
    check_order(&runs, "power:max", "1 1 3 2 ");
    assert_int_equal(runs.rows[0].start_ns, 500);
    assert_int_equal(run_metrics_column(&runs, SPAN("power:sum"), &at), -ENOENT);
    assert_int_equal(run_metrics_column(&runs, SPAN("flops"), &at), -ENOENT);
    assert_true(run_metrics_bytes(&runs) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_a_metric_and_what_of_it),
        cmocka_unit_test(each_run_has_its_own_and_what_is_unknown_comes_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
