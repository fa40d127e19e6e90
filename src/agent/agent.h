/* SPDX-License-Identifier: Apache-2.0 */
/* agent - what runs on a node, and what the command line does with its servers' texts;
 * the room's door. */
#ifndef AGENT_AGENT_H
#define AGENT_AGENT_H

#include "agent/batches.h"
#include "agent/capture/capture.h"
#include "agent/check/check.h"
#include "agent/child.h"
#include "agent/config.h"
#include "agent/get_param.h"
#include "agent/param.h"
#include "agent/privilege.h"
#include "agent/report.h"
#include "agent/sampling/inventory_probe.h"
#include "agent/sampling/kernel_part.h"
#include "agent/sampling/mount_probe.h"
#include "agent/service.h"
#include "agent/ssh/ssh.h"
#include "agent/target_list.h"

#endif
