/* SPDX-License-Identifier: Apache-2.0 */
/* reliability - failures, repairs and availability of components out of the history of
 * their health; the room's door. */
#ifndef ANALYSIS_RELIABILITY_RELIABILITY_H
#define ANALYSIS_RELIABILITY_RELIABILITY_H

#include "analysis/reliability/component_class.h"
#include "analysis/reliability/failure_report.h"
#include "analysis/reliability/failure_stats.h"
#include "analysis/reliability/timeline.h"

#endif
