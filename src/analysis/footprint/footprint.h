/* SPDX-License-Identifier: Apache-2.0 */
/* footprint - what a job's nodes did, and which of them differ; the room's door. */
#ifndef ANALYSIS_FOOTPRINT_FOOTPRINT_H
#define ANALYSIS_FOOTPRINT_FOOTPRINT_H

#include "analysis/footprint/job_footprint.h"
#include "analysis/footprint/job_phases.h"
#include "analysis/footprint/job_use.h"
#include "analysis/footprint/metric_role.h"
#include "analysis/footprint/metric_total.h"
#include "analysis/footprint/node_peaks.h"
#include "analysis/footprint/node_samples.h"
#include "analysis/footprint/node_samples_json.h"
#include "analysis/footprint/roofline.h"

#endif
