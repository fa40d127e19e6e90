/* SPDX-License-Identifier: Apache-2.0 */
/* normal - what is normal in each class of comparable runs, and how the last runs were.
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

/* A value is reported where so few of 100 others lie as far out. */
#define NORMAL_CHANCE 0.10

#define NORMAL_LAST_DEFAULT 1
#define NORMAL_WINDOW_RUNS_DEFAULT 4096

struct normal_opts {
    const char *set;    /* a pattern; NULL: all */
    size_t last_count;  /* runs of each set to be reported one by one */
    int64_t window_ns;  /* of the rolling quantiles; 0: for ever */
    size_t window_runs; /* at most so many */
};

struct normal_class { /* one measure of one class */
    const char *class_name;
    const char *measure;  /* "performance", "fraction", or as the mapping calls it */
    size_t runs, missing; /* with and without a value */
    double q05, q25, q50, q75, q95;
    size_t late_runs;                    /* in the window at the end */
    double late_q25, late_q50, late_q75; /* NaN where there are none */
};

struct normal_unusual { /* a value that is far out */
    const char *label;  /* of its measure */
    double value;
    struct percentile rank; /* among the runs of the window */
    struct normal_unusual *next;
};

struct normal_run { /* one of the last of its class */
    const char *class_name;
    const struct run *run;
    struct percentile rank;         /* of its fraction, in the window before it */
    struct normal_unusual *unusual; /* in the order of the mapping; NULL: none */
};

struct normal {
    struct arena arena;
    struct normal_class *classes; /* by class, then measure */
    size_t class_count, class_capacity;
    struct normal_run *last; /* by class, then time */
    size_t last_count, last_capacity;
};

/* Measures that a class never has have no item.  mapping and runs must outlive *ret,
 * which is the caller's, to normal_done().
 * Errors: -ENOENT (no class matches), -EINVAL (window_runs), -ENOMEM. */
int normal_make(const struct mapping *mapping, const struct runs *runs,
                const struct normal_opts *opts, struct normal *ret, struct err *err);
void normal_done(struct normal *normal);
DEFINE_AUTO_DONE(struct normal, normal_done);

#endif
