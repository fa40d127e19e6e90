/* SPDX-License-Identifier: Apache-2.0 */
/* capture - raw dumps of servers in a directory: recorded, and observed again; the
 * folder's door. */
#ifndef AGENT_CAPTURE_CAPTURE_H
#define AGENT_CAPTURE_CAPTURE_H

#include "agent/capture/recorder.h"
#include "agent/capture/replay.h"

#endif
