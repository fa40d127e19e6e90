/* SPDX-License-Identifier: Apache-2.0 */
/* store - the metric store: every recent sample in memory; the room's door. */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include "store/aggregate.h"
#include "store/block.h"
#include "store/codec.h"
#include "store/level.h"
#include "store/log.h"
#include "store/memory.h"
#include "store/series.h"
#include "store/shard.h"

#endif
