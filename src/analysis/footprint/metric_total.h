/* SPDX-License-Identifier: Apache-2.0 */
/* metric_total - each metric of a job over all its nodes and the whole of its time: the
 * few numbers that are stored of it.
 *
 *     rows × windows ─▶ mean, min, max ─▶ and of metrics that are added: the sum
 *
 * Numbers are of what was observed; covered is how much that is.  A sample stands for
 * one step of its metric, of a metric without a step a window for itself.  Where a row
 * has its samples itself min and max are of them; of a counter, or where a node's
 * values are made of those of its parts, they are of the windows.
 *
 * Threads  none inside.
 */
#ifndef ANALYSIS_FOOTPRINT_METRIC_TOTAL_H
#define ANALYSIS_FOOTPRINT_METRIC_TOTAL_H

#include "analysis/footprint/node_samples.h"

struct metric_total {
    size_t observed; /* nodes that have a number of it */
    double covered;  /* share of the nodes' time: 0..1 */
    double mean;     /* NaN: not observed, as min and max */
    double min, max;
    double sum; /* over all nodes, on average over time; NaN: they are not added, or one
                 * of them was not observed */
};

/* The total of one of the metrics of samples. */
void metric_total_make(const struct node_samples *samples,
                       const struct node_samples_metric *metric,
                       struct metric_total *ret);
/* Raise covered, a host each, to what a metric covers of its time. */
void metric_total_cover(const struct node_samples *samples,
                        const struct node_samples_metric *metric, double *covered);
/* Of all metrics together: observed and covered, as far as any was; else NaN. */
void metric_total_of_all(const double *covered, size_t host_count,
                         struct metric_total *ret);

#endif
