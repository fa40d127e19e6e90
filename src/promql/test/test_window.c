/* SPDX-License-Identifier: Apache-2.0 */
/* test_window - functions of the samples of a range, and quantiles. */
#include "promql/quantile.h"
#include "promql/window.h"

#include "base/cleanup.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static int run_window(enum function_id id, const struct window *w, double *ret)
{
    double scratch[16];
    struct window copy = *w;
    copy.scratch = scratch;
    return window_function(id)(&copy, ret);
}

static void functions_of_a_range_give_their_values(void **state)
{
    (void)state;
    static const int64_t times[] = { 10000, 20000, 30000, 40000 };
    static const double values[] = { 10, 30, 5, 25 };
    const struct window w = { .count = 4,
                              .times_ms = times,
                              .values = values,
                              .from_ms = 5000,
                              .to_ms = 45000,
                              .now_ms = 45000,
                              .parameters = { 0.5, 0.5 } };
    static const struct {
        enum function_id id;
        double want;
    } cases[] = {
        { FUNCTION_COUNT_OVER_TIME, 4 },
        { FUNCTION_SUM_OVER_TIME, 70 },
        { FUNCTION_AVG_OVER_TIME, 17.5 },
        { FUNCTION_MIN_OVER_TIME, 5 },
        { FUNCTION_MAX_OVER_TIME, 30 },
        { FUNCTION_LAST_OVER_TIME, 25 },
        { FUNCTION_PRESENT_OVER_TIME, 1 },
        { FUNCTION_STDVAR_OVER_TIME, 106.25 },
        { FUNCTION_QUANTILE_OVER_TIME, 17.5 },
        { FUNCTION_CHANGES, 3 },
        { FUNCTION_RESETS, 1 },
        /* 45 in 30 s, and 5 s more at either end. */
        { FUNCTION_INCREASE, 60 },
        { FUNCTION_RATE, 1.5 },
        { FUNCTION_DELTA, 20 },
        { FUNCTION_IDELTA, 20 },
        { FUNCTION_IRATE, 2 },
        { FUNCTION_DERIV, 0.2 },
        { FUNCTION_PREDICT_LINEAR, 21.6 },
        { FUNCTION_HOLT_WINTERS, 30.625 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        double value = 0;
        assert_int_equal(run_window(cases[i].id, &w, &value), 1);
        if (fabs(value - cases[i].want) > 1e-12)
            fail_msg("function %d: got %.17g, want %g", cases[i].id, value,
                     cases[i].want);
    }
    assert_null(window_function(FUNCTION_ABS));
}

static void one_sample_has_no_rate(void **state)
{
    (void)state;
    static const int64_t time = 10;
    static const double number = 1;
    const struct window w = { .count = 1,
                              .times_ms = &time,
                              .values = &number,
                              .to_ms = 20,
                              .parameters = { 0.5, 0.5 } };
    static const enum function_id ids[] = {
        FUNCTION_RATE,           FUNCTION_INCREASE,    FUNCTION_DELTA,
        FUNCTION_IRATE,          FUNCTION_IDELTA,      FUNCTION_DERIV,
        FUNCTION_PREDICT_LINEAR, FUNCTION_HOLT_WINTERS
    };
    for (size_t i = 0; i < COUNT_OF(ids); i++) {
        double value = 7;
        assert_int_equal(run_window(ids[i], &w, &value), 0);
        assert_true(value == 7);
    }
}

static void a_counter_is_not_extrapolated_below_zero(void **state)
{
    (void)state;
    static const int64_t times[] = { 20000, 30000 };
    static const double values[] = { 2, 12 };
    const struct window w = { .count = 2,
                              .times_ms = times,
                              .values = values,
                              .from_ms = 10000,
                              .to_ms = 30000 };
    double value = 0;
    assert_int_equal(run_window(FUNCTION_INCREASE, &w, &value), 1);
    assert_true(fabs(value - 12) < 1e-12); /* zero was 2 s before the first */
    assert_int_equal(run_window(FUNCTION_DELTA, &w, &value), 1);
    assert_true(fabs(value - 20) < 1e-12);
}

static void infinities_and_nan_go_through(void **state)
{
    (void)state;
    static const int64_t times[] = { 1, 2, 3 };
    const double up[] = { 1, INFINITY, 5 };
    const double both[] = { INFINITY, -INFINITY, 1 };
    const double none[] = { NAN, 2, NAN };
    const double same[] = { INFINITY, INFINITY, INFINITY };
    struct window w = { .count = 3, .times_ms = times, .values = up, .to_ms = 3 };
    double value = 0;
    assert_int_equal(run_window(FUNCTION_SUM_OVER_TIME, &w, &value), 1);
    assert_true(isinf(value));
    assert_int_equal(run_window(FUNCTION_AVG_OVER_TIME, &w, &value), 1);
    assert_true(isinf(value));
    w.values = both;
    assert_int_equal(run_window(FUNCTION_AVG_OVER_TIME, &w, &value), 1);
    assert_true(isnan(value));
    w.values = none;
    assert_int_equal(run_window(FUNCTION_MAX_OVER_TIME, &w, &value), 1);
    assert_true(value == 2);
    assert_int_equal(run_window(FUNCTION_MIN_OVER_TIME, &w, &value), 1);
    assert_true(value == 2);
    assert_int_equal(run_window(FUNCTION_CHANGES, &w, &value), 1);
    assert_true(value == 2);
    w.values = same;
    assert_int_equal(run_window(FUNCTION_DERIV, &w, &value), 1);
    assert_true(isnan(value));
    w.parameters[0] = 1;
    assert_int_equal(run_window(FUNCTION_HOLT_WINTERS, &w, &value), -EDOM);
}

static void quantiles_lie_between_two_values(void **state)
{
    (void)state;
    double values[] = { 4, 1, 3, 2 };
    static const struct {
        double q, want;
    } cases[] = { { 0, 1 }, { 0.5, 2.5 }, { 1, 4 }, { 0.25, 1.75 } };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        assert_true(quantile_of(cases[i].q, values, 4) == cases[i].want);
    assert_true(quantile_of(-0.1, values, 4) == -INFINITY);
    assert_true(quantile_of(1.1, values, 4) == INFINITY);
    assert_true(isnan(quantile_of(NAN, values, 4)));
    assert_true(isnan(quantile_of(0.5, values, 0)));
}

static void quantiles_of_buckets_are_interpolated(void **state)
{
    (void)state;
    static const struct {
        double q, want;
        struct bucket buckets[4];
        size_t count;
    } cases[] = {
        { 0.5, 1.5, { { INFINITY, 20 }, { 1, 5 }, { 2, 15 } }, 3 },
        { 0.1, 0.4, { { 1, 5 }, { 2, 15 }, { INFINITY, 20 } }, 3 },
        { 0.99, 2, { { 1, 5 }, { 2, 15 }, { INFINITY, 20 } }, 3 },
        { 0.1, -1, { { -1, 5 }, { 2, 15 }, { INFINITY, 20 } }, 3 },
        { 0.5, 1.25, { { 1, 5 }, { 2, 3 }, { 2, 12 }, { INFINITY, 12 } }, 4 },
        { 0.5, NAN, { { 1, 5 }, { 2, 15 } }, 2 },
        { 0.5, NAN, { { INFINITY, 15 } }, 1 },
        { 0.5, NAN, { { 1, 0 }, { INFINITY, 0 } }, 2 },
        { 2, INFINITY, { { 1, 1 }, { INFINITY, 2 } }, 2 },
        { -2, -INFINITY, { { 1, 1 }, { INFINITY, 2 } }, 2 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct bucket buckets[4];
        memcpy(buckets, cases[i].buckets, sizeof buckets);
        double got = quantile_of_buckets(cases[i].q, buckets, cases[i].count);
        if (isnan(cases[i].want)
                ? !isnan(got)
                : got != cases[i].want && !(fabs(got - cases[i].want) < 1e-12))
            fail_msg("row %zu: got %g, want %g", i, got, cases[i].want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_of_a_range_give_their_values),
        cmocka_unit_test(one_sample_has_no_rate),
        cmocka_unit_test(a_counter_is_not_extrapolated_below_zero),
        cmocka_unit_test(infinities_and_nan_go_through),
        cmocka_unit_test(quantiles_lie_between_two_values),
        cmocka_unit_test(quantiles_of_buckets_are_interpolated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
