/* SPDX-License-Identifier: Apache-2.0 */
/* normal - what is normal in each class of alike runs, and how the last runs were.
 *
 *     runs of a set, in time ─▶ a rolling window a measure ─┬▶ its quantiles at the end
 *                            └▶ quantiles of all            └▶ where each of the last
 *                                                              runs stood among those
 *                                                              before it
 *
 * A run is held against the window as it was before the run: nothing that came later,
 * and never itself.
 */
#ifndef ANALYSIS_CLIMATE_NORMAL_H
#define ANALYSIS_CLIMATE_NORMAL_H

#include "analysis/climate/runs.h"
#include "analysis/stats/stats.h"
#include "base/table/table.h"

/* A value is reported where so few of 100 others lie as far out. */
#define NORMAL_CHANCE 0.10

struct normal_opts {
    const char *set;    /* a pattern; NULL: all */
    size_t last_count;  /* runs of each set to be reported one by one */
    int64_t window_ns;  /* of the rolling quantiles; 0: for ever */
    size_t window_runs; /* at most so many */
};

struct normal {
    struct table classes; /* a row a class and measure */
    struct table last;    /* a row a run */
};

/* Measures that a class never has have no row.
 * Errors: -ENOENT (no set is called so), -EINVAL (window_runs), -ENOMEM. */
int normal_make(const struct mapping *mapping, const struct runs *runs,
                const struct normal_opts *opts, struct normal *ret, struct err *err);
void normal_done(struct normal *normal);
DEFINE_AUTO_DONE(struct normal, normal_done);

#endif
