/* SPDX-License-Identifier: Apache-2.0 */
/* source/topology - where nodes stand, and through what they reach storage; the room's
 * door.
 *
 * A pure reader of a Cray's xtdb2proc and of plain lines, into one map that is asked by
 * sets of nodes.
 */
#ifndef SOURCE_TOPOLOGY_TOPOLOGY_H
#define SOURCE_TOPOLOGY_TOPOLOGY_H

#include "source/topology/node_map.h"
#include "source/topology/spread.h"

#endif
