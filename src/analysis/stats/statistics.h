/* SPDX-License-Identifier: Apache-2.0 */
/* statistics - correlations, tails and quantiles, with p-values that do not round to 0.
 *
 * A missing value is any NaN; it is left out, in pairs where there are pairs.
 */
#ifndef ANALYSIS_STATISTICS_H
#define ANALYSIS_STATISTICS_H

#include <stddef.h>

struct correlation {
    size_t count; /* pairs in which neither is missing */
    double r;     /* Pearson's; NaN: fewer than 3 pairs, or one side is constant
                   * (its least value is its greatest), or has an infinity */
    double p;     /* two-sided, of r under no correlation; NaN likewise */
};

struct correlation correlate(const double *x, const double *y, size_t count);

/* The same of ranks (Spearman's rho), so that only the order counts; equal values share
 * the mean of their ranks, and p is that of Pearson's test of them.
 * Errors: -ENOMEM. */
int correlate_ranks(const double *x, const double *y, size_t count,
                    struct correlation *ret);

/* The chance that the least of so many p-values is as small (Bonferroni). */
static inline double p_of_many(double p, size_t tests)
{
    return p * (double)tests < 1 ? p * (double)tests : 1;
}

/* Probability of at least k successes in n trials that succeed with p each. */
double binomial_tail(size_t k, size_t n, double p);

/* The regularised incomplete beta function I_x(a, b); a, b > 0, 0 <= x <= 1. */
double beta_regularized(double a, double b, double x);

/* Of sorted numbers without missing ones, interpolated between neighbours (type 7 of
 * Hyndman and Fan, The American Statistician 50, 1996); NaN of none. */
double quantile(const double *sorted, size_t count, double q);

/* Order values, numbers before missing ones; returns how many numbers there are. */
size_t numbers_sort(double *values, size_t count);

/* The median of numbers without missing ones, as quantile() has it, without ordering
 * all of them: they change their places.  NaN of none. */
double numbers_median(double *values, size_t count);

#endif
