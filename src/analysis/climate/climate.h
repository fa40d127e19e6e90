/* SPDX-License-Identifier: Apache-2.0 */
/* climate - what is normal among comparable runs, and when it changed; the room's door.
 */
#ifndef ANALYSIS_CLIMATE_CLIMATE_H
#define ANALYSIS_CLIMATE_CLIMATE_H

#include "analysis/climate/anomaly.h"
#include "analysis/climate/correlations.h"
#include "analysis/climate/divergence.h"
#include "analysis/climate/floor.h"
#include "analysis/climate/normal.h"
#include "analysis/climate/region.h"
#include "analysis/climate/run_series.h"
#include "analysis/climate/runs.h"
#include "analysis/climate/scoreboard.h"
#include "analysis/climate/scoreboard_opts.h"
#include "analysis/climate/study.h"
#include "analysis/climate/umami.h"
#include "analysis/climate/window_runs.h"

#endif
