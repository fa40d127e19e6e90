/* SPDX-License-Identifier: Apache-2.0 */
/* metric_visit - a long reading of the metric store, which lets others go on.
 *
 *     begin ── step, step, ... ── end
 *                        └─ now and then out of the store, and in again
 *
 * What a reader may see stays in memory until it has left, and what replaces files (a
 * checkpoint, an archive) waits for it.  A query that finds little for the many series
 * it looks at makes no piece of its response for a long time.
 *
 * Threads  a visit is one thread's.
 */
#ifndef API_READING_METRIC_VISIT_H
#define API_READING_METRIC_VISIT_H

#include "store/store.h"

#define METRIC_VISIT_STEPS 256

struct metric_visit {
    struct metric_store *store;
    unsigned reader, steps;
};

void metric_visit_begin(struct metric_visit *visit, struct metric_store *store);
/* Between two things that are read: what was read before may go away.  Levels, series
 * and metrics stay. */
void metric_visit_step(struct metric_visit *visit);
void metric_visit_end(struct metric_visit *visit);

#endif
