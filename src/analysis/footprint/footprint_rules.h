/* SPDX-License-Identifier: Apache-2.0 */
/* footprint_rules - what may be the matter with a job's nodes; private to
 * analysis/footprint. */
#ifndef ANALYSIS_FOOTPRINT_FOOTPRINT_RULES_H
#define ANALYSIS_FOOTPRINT_FOOTPRINT_RULES_H

#include "analysis/footprint/job_footprint.h"
#include "analysis/footprint/node_grid.h"

/* Add what is found to ret, whose from_s and to_s are set.  The grid's activity is
 * known.  Errors: -ENOMEM. */
int footprint_rules_apply(const struct node_grid *grid, const struct footprint_job *job,
                          struct arena *arena, struct footprint *ret);

#endif
