/* SPDX-License-Identifier: Apache-2.0 */
/* probe - the room's door: small programs' I/O, made on purpose and measured.
 *
 * The shapes of the TOKIO automated benchmark collection (seed 003): what is normal on
 * a file system is known by doing the same thing to it every night.
 */
#ifndef PROBE_PROBE_H
#define PROBE_PROBE_H

#include "probe/batch.h"
#include "probe/campaign.h"
#include "probe/darshan_log.h"
#include "probe/filesystem.h"
#include "probe/mount.h"
#include "probe/plan.h"
#include "probe/record.h"
#include "probe/run.h"
#include "probe/shape.h"
#include "probe/stripes.h"
#include "probe/workers.h"

#endif
