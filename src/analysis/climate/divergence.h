/* SPDX-License-Identifier: Apache-2.0 */
/* divergence - when runs were slower or faster than their season, and what went with
 * it.
 *
 *     runs of a class ─▶ regions ─┬▶ each: when, how long, how slow, its slowest run,
 *                                 │  and which measures were at their worst there
 *                                 └▶ its correlations that are none by chance
 *
 * The rules are those of region.h, study.h and anomaly.h.
 */
#ifndef ANALYSIS_CLIMATE_DIVERGENCE_H
#define ANALYSIS_CLIMATE_DIVERGENCE_H

#include "analysis/climate/anomaly.h"
#include "analysis/stats/stats.h"

struct divergence_contributor { /* a measure at its worst in the slowest run */
    const char *label;
    double worst; /* its value */
    double p;     /* the share of the region's values that equal it */
};

struct divergence_region {
    const char *class_name; /* a set's, a group's, "all" */
    int64_t from_ns, to_ns; /* UTC: the first run, the last */
    int64_t length_ns;      /* by the site's clock */
    size_t runs;
    bool is_faster;           /* than the season; else slower */
    double mean, season_mean; /* of the fraction, and of its long average */
    const struct run *slowest;
    size_t asked; /* measures that apply to the slowest run */
    const struct divergence_contributor *contributors; /* in the mapping's order */
    size_t contributor_count;
};

struct divergence_correlation { /* in one region, p below p_region of the mapping */
    const char *class_name;
    int64_t from_ns, to_ns;
    size_t runs;
    const char *measure;
    struct correlation found;
};

struct divergence {
    struct arena arena;
    double p_contributor; /* of the mapping */
    struct divergence_region *regions;
    size_t region_count, region_capacity;
    struct divergence_correlation *correlations;
    size_t correlation_count, correlation_capacity;
    struct anomaly_measure measures[MAPPING_ITEMS_MAX]; /* possible contributors */
    size_t measure_count;
    uint64_t asked;     /* regions to which at least one measure applies */
    uint64_t explained; /* regions that have a contributor */
};

/* selection chooses the runs; it is used up.  mapping and runs must outlive *ret, which
 * is the caller's, to divergence_done().
 * Errors: -ENOENT (no class matches), -ENOMEM. */
int divergence_make(const struct mapping *mapping, const struct runs *runs,
                    struct run_selection *selection, struct divergence *ret,
                    struct err *err);
void divergence_done(struct divergence *divergence);
DEFINE_AUTO_DONE(struct divergence, divergence_done);

#endif
