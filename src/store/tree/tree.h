/* SPDX-License-Identifier: Apache-2.0 */
/* tree - which series there are: metrics, and levels in shards; the sub-room's door.
 *
 *     metric table        shard: mutex, memory ─▶ level ─▶ level ─▶ series
 *     aggregate: one metric over a part of a tree
 */
#ifndef STORE_TREE_TREE_H
#define STORE_TREE_TREE_H

#include "store/tree/aggregate.h"
#include "store/tree/level.h"
#include "store/tree/metric.h"
#include "store/tree/shard.h"

#endif
