/* SPDX-License-Identifier: Apache-2.0 */
/* workers - what a store does by itself, each in a file of its own.
 *
 *     retention.c  checkpoint.c  archive.c  memory_cap.c  shutdown.c      sync.c
 *     └─ one thread, one after another, under work_lock ─┘                its own
 * thread
 *
 * Threads  store_work() by any; the others as they state.
 */
#ifndef STORE_WORKERS_H
#define STORE_WORKERS_H

#include "store/metric_store.h"

/* Do it now, and note in the status how it went.  Errors: as that work returns. */
int store_work(struct metric_store *store, enum metric_worker worker,
               uint64_t *ret_done, struct err *err);

/* The two threads.  Errors: errno of pthread_create. */
int store_workers_start(struct metric_store *store);
void store_workers_stop(struct metric_store *store);

#endif
