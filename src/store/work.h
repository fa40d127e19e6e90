/* SPDX-License-Identifier: Apache-2.0 */
/* work - what the workers of a store do, each in a file of its own. */
#ifndef STORE_WORK_H
#define STORE_WORK_H

#include "store/metric_store.h"

/* Each does its work once, under work_lock; *ret_done: how much, for the status. */
typedef int store_work_fn(struct metric_store *store, uint64_t *ret_done,
                          struct err *err);
store_work_fn store_retention;  /* slots that went */
store_work_fn store_memory_cap; /* slots that went */
store_work_fn store_checkpoint; /* blocks that were written */
store_work_fn store_archive;    /* files that were archived or deleted */
store_work_fn store_shutdown;   /* blocks that were written */

/* The thread that syncs logs, until store_stop_waiting(); arg is the store. */
void *store_sync_run(void *arg);

#endif
