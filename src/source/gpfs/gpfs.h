/* SPDX-License-Identifier: Apache-2.0 */
/* source/gpfs - what the monitors of IBM's GPFS (Storage Scale) print; the room's door.
 *
 * Pure readers of `mmperfmon query` and `mmpmon -p`, and the sums of a cluster that are
 * made of the second.
 */
#ifndef SOURCE_GPFS_GPFS_H
#define SOURCE_GPFS_GPFS_H

#include "source/gpfs/io_sums.h"
#include "source/gpfs/mmperfmon.h"
#include "source/gpfs/mmpmon.h"
#include "source/gpfs/tarball.h"

#endif
