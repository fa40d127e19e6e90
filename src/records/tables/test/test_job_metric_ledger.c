/* SPDX-License-Identifier: Apache-2.0 */
/* test_job_metric_ledger - footprints of runs as rows. */
#include "base/cleanup.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "records/tables/job_metric_ledger.h"

#include <math.h>

static const struct job_metric power = { .cluster = SPAN("alex"),
                                         .id = SPAN("5_1"),
                                         .start_ns = 20,
                                         .end_ns = 30,
                                         .metric = SPAN("power"),
                                         .unit = SPAN("W"),
                                         .nodes = 4,
                                         .observed = 3,
                                         .covered = 0.5,
                                         .mean = 100,
                                         .min = 0,
                                         .max = 250,
                                         .sum = NAN };

static void a_footprint_comes_back_as_it_was_stored(void **state)
{
    (void)state;
    AUTO(arena_done) struct arena arena = { 0 };
    struct job_metric back;
    arena_init(&arena, 0);
    const struct scalar *row = job_metric_ledger_row(&power, 99, &arena);
    assert_non_null(row);
    for (size_t i = 0; i < ledger_job_metrics.key_count; i++)
        assert_true(row[i].is_present);
    assert_int_equal(row[ledger_job_metrics.column_count - 1].i64, 99);
    job_metric_ledger_metric(row, &back);
    assert_true(span_eq(back.id, power.id) && span_eq(back.metric, power.metric) &&
                span_eq(back.unit, power.unit) && span_eq(back.cluster, power.cluster));
    assert_int_equal(back.start_ns, 20);
    assert_int_equal(back.end_ns, 30);
    assert_int_equal(back.nodes, 4);
    assert_int_equal(back.observed, 3);
    assert_true(back.covered == 0.5 && back.mean == 100 && back.max == 250);
    assert_true(back.min == 0 && isnan(back.sum));
}

/* 0 is a number, what was not observed is none. */
static void what_was_not_observed_is_null(void **state)
{
    (void)state;
    AUTO(arena_done) struct arena arena = { 0 };
    struct job_metric none = power, back;
    size_t present = 0;
    arena_init(&arena, 0);
    none.mean = none.min = none.max = NAN;
    none.covered = 0;
    none.metric = (struct span){ 0 };
    const struct scalar *row = job_metric_ledger_row(&none, 1, &arena);
    for (size_t i = 0; i < ledger_job_metrics.column_count; i++)
        present += row[i].is_present;
    assert_int_equal(present, ledger_job_metrics.column_count - 4);
    job_metric_ledger_metric(row, &back);
    assert_true(isnan(back.mean) && isnan(back.min) && isnan(back.max));
    assert_true(back.covered == 0 && back.metric.size == 0 && back.metric.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_footprint_comes_back_as_it_was_stored),
        cmocka_unit_test(what_was_not_observed_is_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
