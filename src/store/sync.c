/* SPDX-License-Identifier: Apache-2.0 */
/* sync - the thread that makes logs durable, a tenth of a second after they are
 * written.
 *
 * A writer that needs it sooner calls metric_store_sync(): others that wait for the
 * same disk at the same time find it done.  When a sync fails, it is unknown what of
 * that segment is on the disk: a checkpoint writes it all again.
 */
#include "store/work.h"

void *store_sync_run(void *arg)
{
    struct metric_store *store = arg;
    int64_t interval_ms = store->options.sync_interval_ns / 1000000;
    while (!store_wait(store, interval_ms > 0 ? interval_ms : 1)) {
        for (size_t i = 0; i < store->shard_count; i++) {
            int rc = journal_sync(store->journals[i]);
            if (rc == 0)
                continue;
            if (!atomic_exchange(&store->is_checkpoint_wanted, true))
                store_report(
                    store, STORE_ERROR,
                    "a sync of the log of shard %zu failed (%s): its segment is "
                    "closed, a checkpoint follows",
                    i, strerror(-rc));
        }
    }
    return NULL;
}
