/* SPDX-License-Identifier: Apache-2.0 */
/* node_medians - a metric as one series: in each window its median over the nodes, or
 * devices; private to analysis/footprint. */
#ifndef ANALYSIS_FOOTPRINT_NODE_MEDIANS_H
#define ANALYSIS_FOOTPRINT_NODE_MEDIANS_H

#include "analysis/footprint/node_samples.h"

#define NODE_MEDIANS_ROWS_MAX 512

/* ret has space for window_count numbers.  Of a metric of nodes and of devices the
 * nodes' are used.  NaN: fewer than half of the rows that have any number have one
 * then. Of more than NODE_MEDIANS_ROWS_MAX rows so many are used, spread over all. */
void node_medians_make(const struct node_samples *samples,
                       const struct node_samples_metric *metric, double *ret);

#endif
