/* SPDX-License-Identifier: Apache-2.0 */
/* source/probe - records of baro-abc as typed values; the room's door. */
#ifndef SOURCE_PROBE_PROBE_H
#define SOURCE_PROBE_PROBE_H

#include "source/probe/probe_record.h"

#endif
