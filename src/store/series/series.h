/* SPDX-License-Identifier: Apache-2.0 */
/* series - the samples of one metric of one component in memory: the sub-room's door.
 *
 *     put ─▶ metric_series ─┬▶ view: blocks, late, head ◀─ read
 *              step, fold ──┘      └▶ memory: slabs, epochs
 *     state: all of a series at one moment, for files
 */
#ifndef STORE_SERIES_SERIES_H
#define STORE_SERIES_SERIES_H

#include "store/series/block_memory.h"
#include "store/series/memory.h"
#include "store/series/metric_series.h"
#include "store/series/prefetch.h"
#include "store/series/read.h"
#include "store/series/state.h"
#include "store/series/view.h"

#endif
