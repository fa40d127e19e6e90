/* SPDX-License-Identifier: Apache-2.0 */
/* log - what one Darshan log contains, and what it leaves open; the room's door. */
#ifndef ANALYSIS_LOG_LOG_H
#define ANALYSIS_LOG_LOG_H

#include "analysis/log/access_size.h"
#include "analysis/log/layer_use.h"
#include "analysis/log/layers.h"
#include "analysis/log/log_doubt.h"
#include "analysis/log/log_gaps.h"
#include "analysis/log/log_heat.h"
#include "analysis/log/log_work.h"
#include "analysis/log/mpi_calls.h"
#include "analysis/log/record_columns.h"
#include "analysis/log/slow_target.h"

#endif
