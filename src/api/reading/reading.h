/* SPDX-License-Identifier: Apache-2.0 */
/* reading - long readings of the metric store, for the routes; the room's door. */
#ifndef API_READING_READING_H
#define API_READING_READING_H

#include "api/reading/job_reading.h"
#include "api/reading/metric_picks.h"
#include "api/reading/metric_visit.h"
#include "api/reading/node_metrics.h"
#include "api/reading/space_holdings.h"
#include "api/reading/space_targets.h"
#include "api/reading/target_health.h"
#include "api/reading/target_levels.h"
#include "api/reading/target_moves.h"

#endif
