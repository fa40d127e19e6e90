/* SPDX-License-Identifier: Apache-2.0 */
/* phase_acts - what nodes did in a phase, as far as their metrics show it; private to
 * analysis/footprint.
 *
 * Computing is half of the most operations of any phase, at a load that is one; where
 * operations are not measured, processors that are busy.  Network and files are used
 * where a phase has half of the most of any, and twice the least of all: what goes on
 * all the time does not mark a phase.  Idle is a node by the rule of idle_nodes.
 */
#ifndef ANALYSIS_FOOTPRINT_PHASE_ACTS_H
#define ANALYSIS_FOOTPRINT_PHASE_ACTS_H

#include "analysis/footprint/job_phases.h"

/* Of one metric in all phases. */
struct phase_range {
    double low, high; /* the least and the greatest median; NaN: none is known */
    double threshold; /* below it there is none worth mentioning; NaN: its unit is not
                         known */
};

/* The threshold of a metric, in its unit. */
double phase_act_threshold(enum phase_kind kind, const char *unit, bool is_counter);

/* medians and ranges: of each metric.  phases: how many there are. */
unsigned phase_acts_of(const struct phase_metric *metrics, const double *medians,
                       const struct phase_range *ranges, size_t metric_count,
                       size_t phases);

#endif
