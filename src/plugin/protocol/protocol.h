/* SPDX-License-Identifier: Apache-2.0 */
/* protocol - what agent and host process send each other; the room's door. */
#ifndef PLUGIN_PROTOCOL_PROTOCOL_H
#define PLUGIN_PROTOCOL_PROTOCOL_H

#include "plugin/protocol/frame.h"
#include "plugin/protocol/manifest.h"

#endif
