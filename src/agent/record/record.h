/* SPDX-License-Identifier: Apache-2.0 */
/* record - what stores the output of a site's monitors by days; the room's door. */
#ifndef AGENT_RECORD_RECORD_H
#define AGENT_RECORD_RECORD_H

#include "agent/record/gpfs_recorder.h"
#include "agent/record/health_recorder.h"

#endif
