/* SPDX-License-Identifier: Apache-2.0 */
/* source/health - how full the targets are and who serves them; the room's door.
 *
 * Pure readers of `lfs df`, `lctl dl -t` and GPFS's mm commands, alone or in blocks
 * that begin with "BEGIN <seconds since the epoch>".
 */
#ifndef SOURCE_HEALTH_HEALTH_H
#define SOURCE_HEALTH_HEALTH_H

#include "source/health/block.h"
#include "source/health/block_read.h"
#include "source/health/failover.h"
#include "source/health/fullness.h"
#include "source/health/health_dir.h"
#include "source/health/health_input.h"
#include "source/health/readings.h"
#include "source/health/sample.h"

#endif
