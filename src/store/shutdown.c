/* SPDX-License-Identifier: Apache-2.0 */
/* shutdown - the worker that is called when the program is to stop, for good or
 * for now (SIGINT, SIGTERM, SIGTSTP): what is in memory only goes to files.
 *
 * After it the process may be killed, or stopped and continued; what comes in meanwhile
 * is in the log as ever.
 */
#include "store/work.h"

int store_shutdown(struct metric_store *store, uint64_t *ret_done, struct err *err)
{
    if (!store->dir)
        return 0;
    int rc = store_checkpoint(store, ret_done, err);
    if (rc == 0)
        return 0;
    /* Then at least the log is on the disk. */
    for (size_t i = 0; i < store->shard_count; i++)
        (void)journal_sync(store->journals[i]);
    return rc;
}
