/* SPDX-License-Identifier: Apache-2.0 */
/* correlations - which measures go with the fraction of peak, in each class. */
#ifndef ANALYSIS_CLIMATE_CORRELATIONS_H
#define ANALYSIS_CLIMATE_CORRELATIONS_H

#include "analysis/climate/run_series.h"
#include "analysis/stats/stats.h"

struct class_correlation {
    const char *class_name;           /* of the runs: a set, a group, "all" */
    const char *measure;              /* its name in the mapping */
    struct correlation linear, ranks; /* Pearson's, Spearman's */
    double p_many, p_ranks_many;      /* p times the number of tests (Bonferroni) */
};

struct correlations {
    struct class_correlation *items; /* by class, then as the mapping orders measures */
    size_t count, capacity;
};

/* One item a class and measure.  A measure that a class never has, or that never
 * changes, is no test and has none.  selection is used up; mapping and runs must
 * outlive *ret, which is the caller's, to correlations_done(). Errors: -ENOENT (no
 * class matches), -ENOMEM. */
int correlations_make(const struct mapping *mapping, const struct runs *runs,
                      struct run_selection *selection, struct correlations *ret,
                      struct err *err);
void correlations_done(struct correlations *correlations);
DEFINE_AUTO_DONE(struct correlations, correlations_done);

#endif
