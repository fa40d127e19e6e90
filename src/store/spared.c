/* SPDX-License-Identifier: Apache-2.0 */
/* spared - hosts whose history stays in memory beyond the retention, each until a time.
 */
#include "store/spared.h"

#include "base/number.h"
#include "store/store.h"

#include <errno.h>

void spared_init(struct spared *spared)
{
    *spared = (struct spared){ .hosts = HASHMAP_INIT };
    (void)pthread_mutex_init(&spared->lock, NULL);
}

void spared_done(struct spared *spared)
{
    hashmap_done(&spared->hosts);
    (void)pthread_mutex_destroy(&spared->lock);
}

int spared_put(struct spared *spared, struct span host, int64_t until_ns,
               int64_t now_ns)
{
    LOCKED(&spared->lock);
    if (until_ns <= now_ns) {
        (void)hashmap_remove(&spared->hosts, host);
        return 0;
    }
    if (spared->hosts.count >= METRIC_SPARED_MAX && !hashmap_get(&spared->hosts, host))
        return -ENOSPC;
    uintptr_t *until_s = hashmap_put(&spared->hosts, host, NULL);
    if (!until_s)
        return -ENOMEM;
    *until_s = (uintptr_t)(until_ns / NS_PER_S);
    return 0;
}

bool spared_has(struct spared *spared, struct span host, int64_t now_ns)
{
    LOCKED(&spared->lock);
    const uintptr_t *until_s =
        spared->hosts.count ? hashmap_get(&spared->hosts, host) : NULL;
    return until_s && (int64_t)*until_s > now_ns / NS_PER_S;
}

size_t spared_count(struct spared *spared, int64_t now_ns)
{
    size_t cursor = 0;
    struct span host;
    uintptr_t *until_s;
    LOCKED(&spared->lock);
    while (hashmap_next(&spared->hosts, &cursor, &host, &until_s))
        if ((int64_t)*until_s <= now_ns / NS_PER_S)
            (void)hashmap_remove(&spared->hosts, host);
    return spared->hosts.count;
}
