/* SPDX-License-Identifier: Apache-2.0 */
/* act - what is done in a scheduler because of the health of hosts; the room's door. */
#ifndef ACT_ACT_H
#define ACT_ACT_H

#include "act/hosts.h"
#include "act/node_list.h"
#include "act/plan.h"
#include "act/record.h"
#include "act/run.h"
#include "act/slurm.h"

#endif
