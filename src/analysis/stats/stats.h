/* SPDX-License-Identifier: Apache-2.0 */
/* stats - statistics of numbers: quantiles, ranks, correlations, tails; the room's
 * door. */
#ifndef ANALYSIS_STATS_STATS_H
#define ANALYSIS_STATS_STATS_H

#include "analysis/stats/change_points.h"
#include "analysis/stats/finding_rate.h"
#include "analysis/stats/percentile.h"
#include "analysis/stats/ratio_sum.h"
#include "analysis/stats/rolling.h"
#include "analysis/stats/statistics.h"

#endif
