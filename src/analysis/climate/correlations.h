/* SPDX-License-Identifier: Apache-2.0 */
/* correlations - which measures go with the fraction of peak, in each class. */
#ifndef ANALYSIS_CLIMATE_CORRELATIONS_H
#define ANALYSIS_CLIMATE_CORRELATIONS_H

#include "analysis/climate/run_series.h"
#include "base/table/table.h"

/* A row a class and measure: n, Pearson's r with p, Spearman's rho with p, and both p
 * for as many tests as were made (Bonferroni).  A measure that a class never has, or
 * that never changes, is no test and has no row.  selection is used up.
 * Errors: -ENOENT (nothing is called so), -ENOMEM. */
int correlations_make(const struct mapping *mapping, const struct runs *runs,
                      struct run_selection *selection, struct table *ret,
                      struct err *err);

#endif
