/* SPDX-License-Identifier: Apache-2.0 */
/* test_metric_pair - in what the metrics of two runs differ. */
#include "analysis/pair/pair.h"
#include "base/span.h"
#include "base/test/testing.h"

#include <math.h>

#define NAMED(text)              \
    {                            \
        (text), sizeof(text) - 1 \
    }
#define RUN(seconds, list)                                                          \
    (struct metric_run)                                                             \
    {                                                                               \
        .name = "1", .run_s = (seconds), .metrics = (list), .count = COUNT_OF(list) \
    }

static struct metric_pair pair; /* large */

static const struct job_metric fast[] = {
    { .metric = NAMED(""), .nodes = 2 },
    { .metric = NAMED("app_steps"), .mean = 4 },
    { .metric = NAMED("cpu_load"), .mean = 64 },
    { .metric = NAMED("mem_bw"), .mean = 100, .unit = NAMED("GB/s") },
    { .metric = NAMED("only_a"), .mean = 1 },
    { .metric = NAMED("swap"), .mean = 0 },
    { .metric = NAMED("lost"), .mean = NAN },
};
static const struct job_metric slow[] = {
    { .metric = NAMED(""), .nodes = 2 },
    { .metric = NAMED("app_steps"), .mean = 2 },
    { .metric = NAMED("cpu_load"), .mean = 64.5 },
    { .metric = NAMED("mem_bw"), .mean = 50, .unit = NAMED("GB/s") },
    { .metric = NAMED("swap"), .mean = 3 },
    { .metric = NAMED("lost"), .mean = 7 },
};

static void what_runs_did_comes_before_how_they_went(void **state)
{
    (void)state;
    const struct metric_run a = RUN(100, fast), b = RUN(200, slow);
    metric_pair_find(&a, &b, NULL, 0, METRIC_PAIR_FLOOR_DEFAULT, &pair);
    assert_int_equal(pair.count, 4);
    assert_int_equal(pair.compared, 5);
    assert_true(span_is(pair.items[0].metric, "swap"));
    assert_true(span_is(pair.items[1].metric, "mem_bw"));
    assert_true(span_is(pair.items[2].metric, "app_steps"));
    assert_true(span_is(pair.items[3].metric, METRIC_PAIR_TIME));
    assert_true(!pair.items[1].is_result && pair.items[2].is_result);
    assert_true(fabs(pair.items[1].distance - log(2)) < 1e-12);
    assert_true(fabs(pair.items[1].score - log(2) / log1p(0.1)) < 1e-12);
    assert_int_equal(pair.items[1].peers, 0);
    assert_int_equal(pair.only[0], 1);
    assert_int_equal(pair.only[1], 1);
}

static void what_peers_differ_in_is_no_difference(void **state)
{
    (void)state;
    enum { PEERS = 4 };
    struct job_metric metrics[PEERS][3];
    struct metric_run peers[PEERS];
    for (int i = 0; i < PEERS; i++) {
        /* The bandwidth of comparable runs goes up and down, their steps do not. */
        metrics[i][0] = (struct job_metric){ .metric = SPAN("") };
        metrics[i][1] =
            (struct job_metric){ .metric = SPAN("mem_bw"), .mean = i % 2 ? 60 : 100 };
        metrics[i][2] =
            (struct job_metric){ .metric = SPAN("app_steps"), .mean = 4 + 0.01 * i };
        peers[i] =
            (struct metric_run){ .run_s = NAN, .metrics = metrics[i], .count = 3 };
    }
    const struct metric_run a = RUN(100, fast), b = RUN(101, slow);
    metric_pair_find(&a, &b, peers, PEERS, METRIC_PAIR_FLOOR_DEFAULT, &pair);
    assert_int_equal(pair.count, 2);
    assert_true(span_is(pair.items[0].metric, "swap"));
    assert_true(span_is(pair.items[1].metric, "app_steps"));
    assert_int_equal(pair.items[0].peers, 0);
    assert_int_equal(pair.items[1].peers, PEERS);
    assert_true(fabs(pair.items[1].floor - METRIC_PAIR_FLOOR_MIN) < 1e-12);
    metric_pair_find(&a, &b, peers, 2, METRIC_PAIR_FLOOR_DEFAULT, &pair);
    assert_int_equal(pair.count, 3); /* two are no measure of noise */
}

static void a_job_without_metrics_has_its_time_at_most(void **state)
{
    (void)state;
    const struct metric_run none = { .name = "1", .run_s = NAN };
    const struct metric_run b = RUN(101, slow);
    metric_pair_find(&none, &b, NULL, 0, 0.4, &pair);
    assert_int_equal(pair.count, 0);
    assert_int_equal(pair.compared, 0);
    metric_pair_find(&b, &b, NULL, 0, 0.4, &pair);
    assert_int_equal(pair.count, 0);
    assert_int_equal(pair.compared, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_runs_did_comes_before_how_they_went),
        cmocka_unit_test(what_peers_differ_in_is_no_difference),
        cmocka_unit_test(a_job_without_metrics_has_its_time_at_most),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
