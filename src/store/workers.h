/* SPDX-License-Identifier: Apache-2.0 */
/* workers - what a store does by itself, each in a file of its own.
 *
 *     retention.c  checkpoint.c  archive.c  memory_cap.c  shutdown.c      sync.c
 *     └─ one thread, one after another, under work_lock ─┘                its own
 * thread
 *
 * Threads  store_work() by any; the others say theirs.
 */
#ifndef STORE_WORKERS_H
#define STORE_WORKERS_H

#include "store/store_parts.h"

/* Each does its work once, under work_lock; *ret_done: how much, for the status. */
typedef int store_work_fn(struct metric_store *store, uint64_t *ret_done,
                          struct err *err);
store_work_fn store_retention;  /* slots that went */
store_work_fn store_memory_cap; /* slots that went */
store_work_fn store_checkpoint; /* blocks that were written */
store_work_fn store_archive;    /* files that were archived or deleted */
store_work_fn store_shutdown;   /* blocks that were written */

/* Do it now, and say in the status how it went.  Errors: as it says. */
int store_work(struct metric_store *store, enum metric_worker worker,
               uint64_t *ret_done, struct err *err);

/* Under work_lock.  Bytes that samples, series and views take in memory. */
uint64_t store_used_bytes(struct metric_store *store);

/* The two threads.  Errors: what pthread_create says. */
int store_workers_start(struct metric_store *store);
void store_workers_stop(struct metric_store *store);
/* The thread that syncs logs; arg is the store. */
void *store_sync_run(void *arg);
/* Sleep until ms have passed or the workers are to stop, which is returned. */
bool store_workers_wait(struct metric_store *store, int64_t ms);

#endif
