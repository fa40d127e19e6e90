/* SPDX-License-Identifier: Apache-2.0 */
/* node - which nodes differ from comparable ones; the room's door. */
#ifndef ANALYSIS_NODE_NODE_H
#define ANALYSIS_NODE_NODE_H

#include "analysis/node/node_check.h"
#include "analysis/node/node_class.h"
#include "analysis/node/node_peers.h"

#endif
