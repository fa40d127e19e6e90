/* SPDX-License-Identifier: Apache-2.0 */
/* apart_nodes - which of a job's nodes are slow, or have more work than the others;
 * private to analysis/footprint. */
#ifndef ANALYSIS_FOOTPRINT_APART_NODES_H
#define ANALYSIS_FOOTPRINT_APART_NODES_H

#include "analysis/footprint/footprint_search.h"

/* Add the slow ones, and why they are; or those with more work than the mean.  Errors:
 * -ENOMEM. */
int slow_nodes_find(struct footprint_search *search);
int uneven_nodes_find(struct footprint_search *search);

#endif
