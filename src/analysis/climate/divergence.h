/* SPDX-License-Identifier: Apache-2.0 */
/* divergence - when runs were slower or faster than their season, and what went with
 * it.
 *
 *     runs of a class ─▶ regions ─┬▶ a row each: when, how long, how slow, slowest run
 *                                 ├▶ its correlations that are none by chance
 *                                 └▶ its anomaly: which measures were at their worst
 *
 * The rules are those of region.h, study.h and anomaly.h.
 */
#ifndef ANALYSIS_CLIMATE_DIVERGENCE_H
#define ANALYSIS_CLIMATE_DIVERGENCE_H

#include "analysis/climate/anomaly.h"
#include "base/table/table.h"

struct divergence {
    struct table regions;      /* a row a region */
    struct table correlations; /* a row a region and measure with p below p_region */
    struct table measures;     /* a row a measure: how often it contributed */
    struct table anomalies;    /* a row a region: its slowest run, and why */
};

/* selection chooses the runs; it is used up.  Errors: -ENOENT (nothing is called so),
 * -ENOMEM. */
int divergence_make(const struct mapping *mapping, const struct runs *runs,
                    struct run_selection *selection, struct divergence *ret,
                    struct err *err);
void divergence_done(struct divergence *divergence);
DEFINE_AUTO_DONE(struct divergence, divergence_done);

#endif
