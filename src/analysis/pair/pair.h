/* SPDX-License-Identifier: Apache-2.0 */
/* pair - in what two runs differ; the room's door. */
#ifndef ANALYSIS_PAIR_PAIR_H
#define ANALYSIS_PAIR_PAIR_H

#include "analysis/pair/contrast.h"
#include "analysis/pair/difference.h"
#include "analysis/pair/job_pair.h"
#include "analysis/pair/metric_pair.h"
#include "analysis/pair/run_spread.h"

#endif
