/* SPDX-License-Identifier: Apache-2.0 */
/* exempt - hosts whose history stays in memory beyond the retention, each until a time.
 *
 * A site names those with running jobs, again and again; nothing of it is on disk, and
 * nothing needs to be: after a restart they are named again, and files have it all.
 *
 * Threads  any; its lock is the last of all, held over one look.
 */
#ifndef STORE_EXEMPT_H
#define STORE_EXEMPT_H

#include "base/hashmap.h"

#include <pthread.h>
#include <stdbool.h>

struct exempt_hosts {
    pthread_mutex_t lock;
    struct hashmap hosts; /* "cluster/host" -> second until which */
};

void exempt_hosts_init(struct exempt_hosts *exempt);
void exempt_hosts_done(struct exempt_hosts *exempt);

/* Also over an earlier time; one that is not after now_ns ends it.
 * Errors: -ENOSPC (METRIC_EXEMPT_MAX), -ENOMEM. */
int exempt_hosts_put(struct exempt_hosts *exempt, struct span host, int64_t until_ns,
                     int64_t now_ns);
bool exempt_hosts_has(struct exempt_hosts *exempt, struct span host, int64_t now_ns);
/* Forgets those whose time has passed. */
size_t exempt_hosts_count(struct exempt_hosts *exempt, int64_t now_ns);

#endif
