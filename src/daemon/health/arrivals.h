/* SPDX-License-Identifier: Apache-2.0 */
/* arrivals - has a sample of a host come into the store since the last scan?
 *
 *     the series that had one the last time ─▶ its newest, its late ones: more? ─▶ yes
 *     else up to SERIES_MAX of the host     ─▶ their sums: more than before?    ─▶ yes
 *
 * It is the order of arrival that counts, not the times that are in samples: one that a
 * wrong clock put years ahead hides none that comes after it.  What goes out of memory
 * is no arrival.  Samples of a BMC are not its host's.
 *
 * Threads  one; between metric_store_enter() and metric_store_leave().
 */
#ifndef DAEMON_HEALTH_ARRIVALS_H
#define DAEMON_HEALTH_ARRIVALS_H

#include "store/store.h"

/* All zero: nothing was read, and all that is there has come since. */
struct arrivals {
    const struct level_series *series; /* NULL: none yet */
    int64_t last_ns;                   /* of it */
    uint32_t late;                     /* of it */
    bool is_outdated;                  /* the sums are of before */
    int64_t last_ms_sum;               /* of all */
    uint64_t late_sum;
};

bool arrivals_update(struct arrivals *arrivals, struct level *host, int64_t now_ns);

#endif
