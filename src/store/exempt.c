/* SPDX-License-Identifier: Apache-2.0 */
/* exempt - hosts whose history stays in memory beyond the retention, each until a time.
 */
#include "store/exempt.h"

#include "base/number.h"
#include "store/store.h"

#include <errno.h>

void exempt_hosts_init(struct exempt_hosts *exempt)
{
    *exempt = (struct exempt_hosts){ .hosts = HASHMAP_INIT };
    (void)pthread_mutex_init(&exempt->lock, NULL);
}

void exempt_hosts_done(struct exempt_hosts *exempt)
{
    hashmap_done(&exempt->hosts);
    (void)pthread_mutex_destroy(&exempt->lock);
}

int exempt_hosts_put(struct exempt_hosts *exempt, struct span host, int64_t until_ns,
                     int64_t now_ns)
{
    LOCKED(&exempt->lock);
    if (until_ns <= now_ns) {
        (void)hashmap_remove(&exempt->hosts, host);
        return 0;
    }
    if (exempt->hosts.count >= METRIC_EXEMPT_MAX && !hashmap_get(&exempt->hosts, host))
        return -ENOSPC;
    uintptr_t *until_s = hashmap_put(&exempt->hosts, host, NULL);
    if (!until_s)
        return -ENOMEM;
    *until_s = (uintptr_t)(until_ns / NS_PER_S);
    return 0;
}

bool exempt_hosts_has(struct exempt_hosts *exempt, struct span host, int64_t now_ns)
{
    LOCKED(&exempt->lock);
    const uintptr_t *until_s =
        exempt->hosts.count ? hashmap_get(&exempt->hosts, host) : NULL;
    return until_s && (int64_t)*until_s > now_ns / NS_PER_S;
}

size_t exempt_hosts_count(struct exempt_hosts *exempt, int64_t now_ns)
{
    size_t cursor = 0;
    struct span host;
    uintptr_t *until_s;
    LOCKED(&exempt->lock);
    while (hashmap_next(&exempt->hosts, &cursor, &host, &until_s))
        if ((int64_t)*until_s <= now_ns / NS_PER_S)
            (void)hashmap_remove(&exempt->hosts, host);
    return exempt->hosts.count;
}
