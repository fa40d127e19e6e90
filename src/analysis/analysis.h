/* SPDX-License-Identifier: Apache-2.0 */
/* analysis - climate and weather: what is normal, and what was not; the room's door. */
#ifndef ANALYSIS_ANALYSIS_H
#define ANALYSIS_ANALYSIS_H

#include "analysis/anomaly.h"
#include "analysis/axis.h"
#include "analysis/bad_ost.h"
#include "analysis/correlations.h"
#include "analysis/csv.h"
#include "analysis/difference.h"
#include "analysis/divergence.h"
#include "analysis/expression.h"
#include "analysis/finding.h"
#include "analysis/floor.h"
#include "analysis/health_history.h"
#include "analysis/heatmap.h"
#include "analysis/job_climate.h"
#include "analysis/job_servers.h"
#include "analysis/job_summary.h"
#include "analysis/mapping.h"
#include "analysis/normal.h"
#include "analysis/profile.h"
#include "analysis/region.h"
#include "analysis/report.h"
#include "analysis/rolling.h"
#include "analysis/rows.h"
#include "analysis/run_series.h"
#include "analysis/runs.h"
#include "analysis/standing.h"
#include "analysis/statistics.h"
#include "analysis/study.h"
#include "analysis/svg.h"
#include "analysis/tally.h"
#include "analysis/umami.h"
#include "analysis/weather.h"

#endif
