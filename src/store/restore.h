/* SPDX-License-Identifier: Apache-2.0 */
/* restore - a store out of its directory: the newest manifest, then the logs. */
#ifndef STORE_RESTORE_H
#define STORE_RESTORE_H

#include "store/metric_store.h"

/* Read what the directory holds, and begin its logs.  The store has neither shards nor
 * metrics yet.  *ret_is_unsafe: a checkpoint must be made before anything is put.
 * Errors: as metric_store_open(). */
int store_restore(struct metric_store *store, bool *ret_is_unsafe, struct err *err);

#endif
