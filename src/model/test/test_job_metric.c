/* SPDX-License-Identifier: Apache-2.0 */
/* test_job_metric - which footprints can be stored. */
#include "base/span.h"
#include "base/test/testing.h"
#include "model/model.h"

#include <math.h>

static const struct job_metric good = { .cluster = SPAN("alex"),
                                        .id = SPAN("5"),
                                        .start_ns = 20,
                                        .end_ns = 30,
                                        .metric = SPAN("power"),
                                        .unit = SPAN("W"),
                                        .nodes = 4,
                                        .observed = 3,
                                        .covered = 0.5,
                                        .mean = 1,
                                        .min = NAN,
                                        .max = 2,
                                        .sum = NAN };

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    struct job_metric m = good;
    assert_null(job_metric_check(&m));
    m.metric = m.unit = (struct span){ 0 };
    assert_null(job_metric_check(&m));
    m = good;
    m.id = SPAN("");
    assert_non_null(job_metric_check(&m));
    m = good;
    m.end_ns = 19;
    assert_non_null(job_metric_check(&m));
    m = good;
    m.start_ns = 0;
    assert_non_null(job_metric_check(&m));
    m = good;
    m.metric = SPAN("a\xff");
    assert_non_null(job_metric_check(&m));
    m = good;
    m.observed = 5;
    assert_non_null(job_metric_check(&m));
    m = good;
    m.max = INFINITY;
    assert_non_null(job_metric_check(&m));
    m = good;
    m.covered = 1.01;
    assert_non_null(job_metric_check(&m));
    m.covered = NAN;
    assert_non_null(job_metric_check(&m));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(what_cannot_be_is_refused) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
