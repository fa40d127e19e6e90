/* SPDX-License-Identifier: Apache-2.0 */
/* run_series - some runs in the order of time, as columns, with their regions. */
#ifndef ANALYSIS_CLIMATE_RUN_SERIES_H
#define ANALYSIS_CLIMATE_RUN_SERIES_H

#include "analysis/climate/region.h"
#include "analysis/climate/runs.h"

/* Where windows are measured on: the site's clock, or UTC. */
enum run_clock { RUN_CLOCK_SITE, RUN_CLOCK_UTC };

struct run_series {
    const struct run **runs;
    int64_t *times;
    double *fractions;
    double *raw;     /* as measured */
    uint32_t *sets;  /* which set each is of */
    double *peaks;   /* by set */
    double *measure; /* room for one measure */
    struct region *regions;
    struct region_work *work;
    size_t count, region_count;
};

/* Which runs are looked at together. */
enum run_pool {
    RUN_POOL_CLASS, /* those of each set */
    RUN_POOL_GROUP, /* those of all sets of each group */
    RUN_POOL_ALL,   /* one selection of all there are */
};

struct run_selection {
    enum run_pool pool;
    const char *pattern; /* only sets or groups of this name; NULL: any */
    size_t next;         /* begin with 0 */
    const char *name;    /* of the present one: a set, a group, "all" */
};

/* Room for as many runs as there are, to be used for one selection after the other.
 * Errors: -ENOMEM. */
int run_series_init(struct run_series *series, const struct runs *runs);
void run_series_done(struct run_series *series);
DEFINE_AUTO_DONE(struct run_series, run_series_done);

/* The runs of one set; of all sets of a group together (NULL: all there are). */
void run_series_of_set(struct run_series *series, const struct runs *runs,
                       const struct run_set *set);
void run_series_of_group(struct run_series *series, const struct runs *runs,
                         const char *group);

/* The next selection that fits, filled on the site's clock; false at the end. */
bool run_series_next(struct run_series *series, const struct mapping *mapping,
                     const struct runs *runs, struct run_selection *selection);

/* Times, fractions and regions of the selection. */
void run_series_fill(struct run_series *series, const struct mapping *mapping,
                     enum run_clock clock);
/* Valid until the next call. */
const double *run_series_measure(struct run_series *series, size_t measure);

#endif
