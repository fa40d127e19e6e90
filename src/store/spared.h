/* SPDX-License-Identifier: Apache-2.0 */
/* spared - hosts whose history stays in memory beyond the retention, each until a time.
 *
 * A site names those with running jobs, again and again; nothing of it is on disk, and
 * nothing needs to be: after a restart they are named again, and files have it all.
 *
 * Threads  any; its lock is the last of all, held over one look.
 */
#ifndef STORE_SPARED_H
#define STORE_SPARED_H

#include "base/hashmap.h"

#include <pthread.h>
#include <stdbool.h>

struct spared {
    pthread_mutex_t lock;
    struct hashmap hosts; /* "cluster/host" -> second until which */
};

void spared_init(struct spared *spared);
void spared_done(struct spared *spared);

/* Also over an earlier time; one that is not after now_ns ends it.
 * Errors: -ENOSPC (METRIC_SPARED_MAX), -ENOMEM. */
int spared_put(struct spared *spared, struct span host, int64_t until_ns,
               int64_t now_ns);
bool spared_has(struct spared *spared, struct span host, int64_t now_ns);
/* Forgets those whose time has passed. */
size_t spared_count(struct spared *spared, int64_t now_ns);

#endif
