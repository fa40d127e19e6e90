/* SPDX-License-Identifier: Apache-2.0 */
/* idle_gpus - which of a job's GPUs did nothing; private to
 * analysis/footprint. */
#ifndef ANALYSIS_FOOTPRINT_IDLE_GPUS_H
#define ANALYSIS_FOOTPRINT_IDLE_GPUS_H

#include "analysis/footprint/footprint_search.h"

/* Add the GPUs that were allocated and did nothing.  Errors: -ENOMEM. */
int idle_gpus_find(struct footprint_search *search);

#endif
