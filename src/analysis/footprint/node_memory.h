/* SPDX-License-Identifier: Apache-2.0 */
/* node_memory - whether the memory of a job's nodes was enough; private to
 * analysis/footprint. */
#ifndef ANALYSIS_FOOTPRINT_NODE_MEMORY_H
#define ANALYSIS_FOOTPRINT_NODE_MEMORY_H

#include "analysis/footprint/footprint_search.h"

/* Add memory at its limit; or swapping, and whether there was any.  Errors: -ENOMEM. */
int node_memory_find(struct footprint_search *search);
int node_swap_find(struct footprint_search *search, bool *ret_found);

#endif
