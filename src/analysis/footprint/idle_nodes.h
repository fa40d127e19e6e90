/* SPDX-License-Identifier: Apache-2.0 */
/* idle_nodes - which of a job's nodes did nothing; private to
 * analysis/footprint. */
#ifndef ANALYSIS_FOOTPRINT_IDLE_NODES_H
#define ANALYSIS_FOOTPRINT_IDLE_NODES_H

#include "analysis/footprint/footprint_search.h"

/* Add the nodes that did nothing to the end.  Errors: -ENOMEM. */
int idle_nodes_find(struct footprint_search *search);

#endif
