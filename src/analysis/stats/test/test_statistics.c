/* SPDX-License-Identifier: Apache-2.0 */
/* test_statistics - correlations, tails and quantiles against known values. */
#include "analysis/stats/stats.h"
#include "base/test/testing.h"

#include <math.h>

static void near(double got, double wanted, double relative)
{
    if (!(fabs(got - wanted) <= relative * fabs(wanted)))
        fail_msg("%.17g is not %.17g", got, wanted);
}

static void the_beta_function_has_its_known_values(void **state)
{
    (void)state;
    near(beta_regularized(1, 1, 0.3), 0.3, 1e-14);
    near(beta_regularized(2, 3, 0.5), 0.6875, 1e-13);
    near(beta_regularized(0.5, 0.5, 0.5), 0.5, 1e-13);
    near(beta_regularized(5, 1, 0.1), 1e-5, 1e-12);
    assert_true(beta_regularized(2, 2, 0) == 0 && beta_regularized(2, 2, 1) == 1);
    assert_true(isnan(beta_regularized(2, 2, NAN)));
}

static void correlations_of_few_numbers_can_be_worked_out_by_hand(void **state)
{
    (void)state;
    const double x[] = { 1, 2, 3, 4 };
    const double y[] = { 1, 3, 2, 4 };
    struct correlation c = correlate(x, y, 4);
    assert_int_equal(c.count, 4);
    near(c.r, 0.8, 1e-14);
    near(c.p, 0.2, 1e-12); /* with two degrees of freedom p is 1 - r */
    c = correlate(x, x, 4);
    near(c.r, 1, 1e-15);
    assert_true(c.p >= 0 && c.p < 1e-7);
}

/* The probabilities that the SC18 study prints go down to 1e-88, others to 1e-305. */
static void probabilities_stay_above_zero(void **state)
{
    (void)state;
    enum { COUNT = 2048 };
    static double x[COUNT], y[COUNT];
    for (int i = 0; i < COUNT; i++) {
        x[i] = i;
        y[i] = i + ((i * 7919) % COUNT) * 1.1;
    }
    struct correlation c = correlate(x, y, COUNT);
    assert_true(c.r > 0.6 && c.r < 0.8);
    assert_true(c.p > 0 && c.p < 1e-250);
}

static void what_is_missing_is_left_out_in_pairs(void **state)
{
    (void)state;
    const double x[] = { 1, NAN, 2, 3, 4, 5 };
    const double y[] = { 1, 9, 3, 2, 4, NAN };
    struct correlation c = correlate(x, y, 6);
    assert_int_equal(c.count, 4);
    near(c.r, 0.8, 1e-14);
    const double same[] = { 3, 3, 3, 3 };
    assert_true(isnan(correlate(x, same, 4).r));
    assert_true(isnan(correlate(x, y, 2).p));
}

static void a_column_that_is_constant_has_no_correlation(void **state)
{
    (void)state;
    const double x[] = { 3, 1, 4, 1, 5, 9 };
    const double constant[] = { 0.1, 0.1, 0.1, 0.1, 0.1, 0.1 };
    const double infinite[] = { 1, 2, INFINITY, 4, 5, 6 };
    assert_true(isnan(correlate(x, constant, 6).r));
    assert_true(isnan(correlate(constant, x, 6).p));
    assert_true(isnan(correlate(x, infinite, 6).r));
}

static void the_size_of_numbers_changes_no_correlation(void **state)
{
    (void)state;
    const double x[] = { 3, 1, 4, 1, 5, 9 };
    const double y[] = { 2, 7, 1, 8, 2, 8 };
    double want = correlate(x, y, 6).r;
    for (int shift = -1060; shift <= 1000; shift += 10) {
        double scaled[6];
        for (int i = 0; i < 6; i++)
            scaled[i] = ldexp(y[i], shift);
        if (correlate(x, scaled, 6).r != want)
            fail_msg("2^%d: %.17g, not %.17g", shift, correlate(x, scaled, 6).r, want);
    }
}

static void ranks_are_correlated(void **state)
{
    (void)state;
    const double iq[] = { 106, 100, 86, 101, 99, 103, 97, 113, 112, 110 };
    const double tv[] = { 7, 27, 2, 50, 28, 29, 20, 12, 6, 17 };
    struct correlation c;
    assert_int_equal(correlate_ranks(iq, tv, 10, &c), 0);
    near(c.r, -29 / 165.0, 1e-13);
    near(c.p, 0.6271883447764844, 1e-10);
    const double x[] = { 1, NAN, 2, 2, 30, 7 }; /* equal values share a rank */
    const double y[] = { 10, 0, 20, 30, 40, NAN };
    assert_int_equal(correlate_ranks(x, y, 6, &c), 0);
    assert_int_equal(c.count, 4);
    near(c.r, 4.5 / sqrt(22.5), 1e-14);
    assert_int_equal(correlate_ranks(x, y, 0, &c), 0);
    assert_true(isnan(c.r));
    assert_true(p_of_many(0.01, 5) == 0.05 && p_of_many(0.3, 5) == 1);
}

static void tails_of_the_binomial_add_up(void **state)
{
    (void)state;
    near(binomial_tail(1, 2, 0.1), 0.19, 1e-13);
    near(binomial_tail(2, 2, 0.1), 0.01, 1e-13);
    near(binomial_tail(5, 10, 0.5), 0.623046875, 1e-13);
    assert_true(binomial_tail(0, 5, 0.1) == 1 && binomial_tail(6, 5, 0.1) == 0);
    near(binomial_tail(154, 474, 0.1), 7.17e-41, 1e-3);
}

static void quantiles_lie_between_neighbours(void **state)
{
    (void)state;
    double v[] = { 4, NAN, 1, 3, 2 };
    assert_int_equal(numbers_sort(v, 5), 4);
    near(quantile(v, 4, 0.5), 2.5, 1e-15);
    near(quantile(v, 4, 0.25), 1.75, 1e-15);
    assert_true(quantile(v, 4, 1) == 4 && quantile(v, 4, 0) == 1);
    assert_true(isnan(quantile(v, 0, 0.5)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_beta_function_has_its_known_values),
        cmocka_unit_test(correlations_of_few_numbers_can_be_worked_out_by_hand),
        cmocka_unit_test(probabilities_stay_above_zero),
        cmocka_unit_test(what_is_missing_is_left_out_in_pairs),
        cmocka_unit_test(a_column_that_is_constant_has_no_correlation),
        cmocka_unit_test(the_size_of_numbers_changes_no_correlation),
        cmocka_unit_test(ranks_are_correlated),
        cmocka_unit_test(tails_of_the_binomial_add_up),
        cmocka_unit_test(quantiles_lie_between_neighbours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
