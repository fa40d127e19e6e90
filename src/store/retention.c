/* SPDX-License-Identifier: Apache-2.0 */
/* retention - the worker that lets history in memory go when it is old enough.
 *
 * Blocks go as soon as their last sample is older than the retention, so memory holds
 * at most one block more than it.  Blocks that no checkpoint has stay until one does.
 * Hosts that are exempt, such as those with running jobs, keep theirs.
 */
#include "base/clock.h"
#include "store/work.h"

int store_retention(struct metric_store *store, uint64_t *ret_done, struct err *err)
{
    int64_t now_ns = clock_now_ns();
    (void)err;
    for (size_t i = 0; i < store->shard_count; i++)
        *ret_done += shard_retain(store->shards[i], now_ns);
    return 0;
}
