/* SPDX-License-Identifier: Apache-2.0 */
/* usage - what jobs used of what they were given; the room's door. */
#ifndef ANALYSIS_USAGE_USAGE_H
#define ANALYSIS_USAGE_USAGE_H

#include "analysis/usage/job_usage.h"
#include "analysis/usage/run_metrics.h"

#endif
