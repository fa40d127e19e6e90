/* SPDX-License-Identifier: Apache-2.0 */
/* job - one job out of all that is known of it; the room's door. */
#ifndef ANALYSIS_JOB_JOB_H
#define ANALYSIS_JOB_JOB_H

#include "analysis/job/clock_offset.h"
#include "analysis/job/cost.h"
#include "analysis/job/finding.h"
#include "analysis/job/finding_rule.h"
#include "analysis/job/io_time.h"
#include "analysis/job/job_assessment.h"
#include "analysis/job/job_builder.h"
#include "analysis/job/job_climate.h"
#include "analysis/job/job_columns.h"
#include "analysis/job/job_comparison.h"
#include "analysis/job/job_context.h"
#include "analysis/job/job_inputs.h"
#include "analysis/job/job_log.h"
#include "analysis/job/job_part.h"
#include "analysis/job/job_server_rows.h"
#include "analysis/job/job_servers.h"
#include "analysis/job/job_targets.h"
#include "analysis/job/job_traffic.h"
#include "analysis/job/job_value.h"
#include "analysis/job/profile.h"
#include "analysis/job/server_findings.h"
#include "analysis/job/target_findings.h"
#include "analysis/job/window_context.h"
#include "analysis/table/table.h"

#endif
