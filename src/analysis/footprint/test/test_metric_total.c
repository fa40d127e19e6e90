/* SPDX-License-Identifier: Apache-2.0 */
/* test_metric_total - the few numbers of a metric that are stored of a job. */
#include "analysis/footprint/metric_total.h"
#include "base/number.h"
#include "base/test/testing.h"

#include <math.h>

#define S NS_PER_S

static const char *const hosts[] = { "n1", "n2" };

static struct node_samples two_nodes(const struct node_samples_metric *metrics,
                                     size_t count)
{
    return (struct node_samples){ .cluster = "alex",
                                  .from_ns = 1000 * S,
                                  .to_ns = 1120 * S,
                                  .window_ns = 30 * S,
                                  .window_count = 4,
                                  .hosts = hosts,
                                  .host_count = 2,
                                  .metrics = metrics,
                                  .metric_count = count };
}

static void what_was_observed_counts_and_how_much_that_is(void **state)
{
    (void)state;
    static const double first[] = { 1, 2, 3, 4 }, second[] = { 10, NAN, 20, NAN };
    const struct node_samples_row rows[] = {
        { .host = 0, .device = "", .samples = 12, .min = 0, .max = 5, .values = first },
        { .host = 1,
          .device = "",
          .samples = 6,
          .min = 9,
          .max = 22,
          .values = second },
    };
    struct node_samples_metric power = { .name = "power",
                                         .unit = "W",
                                         .is_summed = true,
                                         .step_ns = 10 * S,
                                         .rows = rows,
                                         .row_count = 2 };
    const struct node_samples samples = two_nodes(&power, 1);
    struct metric_total total;
    metric_total_make(&samples, &power, &total);
    assert_int_equal(total.observed, 2);
    assert_true(fabs(total.covered - 0.75) < 1e-12);
    assert_true(fabs(total.mean - 40.0 / 6) < 1e-12);
    assert_true(total.min == 0 && total.max == 22);
    assert_true(fabs(total.sum - (2.5 + 15)) < 1e-12);
    power.is_summed = false;
    metric_total_make(&samples, &power, &total);
    assert_true(isnan(total.sum));
    /* The rate of a counter has no samples of its own. */
    power.is_counter = true;
    metric_total_make(&samples, &power, &total);
    assert_true(total.min == 1 && total.max == 20);
    double covered[2] = { 0.25, 0.75 };
    metric_total_cover(&samples, &power, covered);
    metric_total_of_all(covered, 2, &total);
    assert_int_equal(total.observed, 2);
    assert_true(fabs(total.covered - 0.875) < 1e-12 && isnan(total.mean));
}

static void a_sum_over_nodes_of_which_one_was_not_observed_is_none(void **state)
{
    (void)state;
    static const double first[] = { 1, 1, 1, 1 }, none[] = { NAN, NAN, NAN, NAN };
    const struct node_samples_row rows[] = {
        { .host = 0,
          .device = "a:0",
          .samples = 4,
          .min = 1,
          .max = 1,
          .values = first },
        { .host = 0,
          .device = "a:1",
          .samples = 0,
          .min = NAN,
          .max = NAN,
          .values = none },
    };
    struct node_samples_metric m = {
        .name = "p", .unit = "", .is_summed = true, .rows = rows, .row_count = 2
    };
    struct node_samples samples = two_nodes(&m, 1);
    struct metric_total total;
    metric_total_make(&samples, &m, &total);
    assert_int_equal(total.observed, 1);
    assert_true(total.covered == 0.25 && total.mean == 1 && isnan(total.sum));
    samples.host_count = 1;
    metric_total_make(&samples, &m, &total);
    assert_true(total.covered == 0.5 && isnan(total.sum));
    m.row_count = 1;
    metric_total_make(&samples, &m, &total);
    assert_true(total.covered == 1 && total.sum == 1);
    m.row_count = 0;
    metric_total_make(&samples, &m, &total);
    assert_true(total.covered == 0 && total.observed == 0);
    assert_true(isnan(total.mean) && isnan(total.min) && isnan(total.sum));
}

/* Of a node's hardware threads each has its own samples. */
static void values_that_are_made_of_parts_have_no_samples(void **state)
{
    (void)state;
    static const double values[] = { 40, 44, NAN, 40 };
    const struct node_samples_row row = { .host = 0,
                                          .device = "",
                                          .samples = 400,
                                          .min = 1,
                                          .max = 9,
                                          .values = values,
                                          .is_of_parts = true };
    const struct node_samples_metric m = {
        .name = "flops", .unit = "", .step_ns = S, .rows = &row, .row_count = 1
    };
    struct node_samples samples = two_nodes(&m, 1);
    struct metric_total total;
    samples.host_count = 1;
    metric_total_make(&samples, &m, &total);
    assert_true(total.min == 40 && total.max == 44 && total.covered == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_observed_counts_and_how_much_that_is),
        cmocka_unit_test(a_sum_over_nodes_of_which_one_was_not_observed_is_none),
        cmocka_unit_test(values_that_are_made_of_parts_have_no_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
