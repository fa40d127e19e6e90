/* SPDX-License-Identifier: Apache-2.0 */
/* host_bounds - how much the reports of one host's parts may cost. */
#include "records/inventory/host_bounds.h"

#include "base/hashmap.h"
#include "base/number.h"
#include "base/strbuf.h"

#include <errno.h>
#include <stdlib.h>

#define HOSTS_MAX ((size_t)100000)
#define DAY_MS INT64_C(86400000)

struct host_bound {
    int64_t full_ms; /* when all of the burst is there again */
    int64_t day;
    size_t changes; /* of day */
};

struct host_bounds {
    struct hashmap by_host; /* cluster and host: index + 1 */
    struct host_bound *items;
    size_t count, capacity;
};

int host_bounds_new(struct host_bounds **ret)
{
    *ret = calloc(1, sizeof **ret);
    return *ret ? 0 : -ENOMEM;
}

void host_bounds_free(struct host_bounds *bounds)
{
    if (!bounds)
        return;
    hashmap_done(&bounds->by_host);
    free(bounds->items);
    free(bounds);
}

static int item_grow(struct host_bounds *bounds)
{
    if (bounds->count < bounds->capacity)
        return 0;
    size_t capacity = 2 * bounds->capacity + 64;
    void *grown = reallocarray(bounds->items, capacity, sizeof *bounds->items);
    if (!grown)
        return -ENOMEM;
    bounds->items = grown;
    bounds->capacity = capacity;
    return 0;
}

/* NULL: no memory. */
static struct host_bound *bound_of(struct host_bounds *bounds, struct span cluster,
                                   struct span host)
{
    AUTO(strbuf_done) struct strbuf key = STRBUF_INIT;
    if (bounds->count >= HOSTS_MAX) {
        hashmap_done(&bounds->by_host);
        bounds->by_host = (struct hashmap)HASHMAP_INIT;
        bounds->count = 0;
    }
    strbuf_add_span(&key, cluster);
    strbuf_addc(&key, '\n');
    strbuf_add_span(&key, host);
    if (strbuf_error(&key) < 0 || item_grow(bounds) < 0)
        return NULL;
    uintptr_t *slot = hashmap_put(&bounds->by_host, strbuf_span(&key), NULL);
    if (!slot)
        return NULL;
    if (*slot == 0) {
        bounds->items[bounds->count++] = (struct host_bound){ 0 };
        *slot = bounds->count;
    }
    return &bounds->items[*slot - 1];
}

int host_bounds_report(struct host_bounds *bounds, struct span cluster,
                       struct span host, int64_t now_ms)
{
    const int64_t burst_ms = HOST_REPORTS_BURST * HOST_REPORT_INTERVAL_MS;
    struct host_bound *bound = bound_of(bounds, cluster, host);
    if (!bound)
        return -ENOMEM;
    /* A clock that was set back refuses for no longer than the burst is. */
    if (bound->full_ms < now_ms || bound->full_ms > now_ms + burst_ms)
        bound->full_ms = now_ms;
    if (bound->full_ms + HOST_REPORT_INTERVAL_MS > now_ms + burst_ms)
        return 0;
    bound->full_ms += HOST_REPORT_INTERVAL_MS;
    return 1;
}

size_t host_bounds_changes(struct host_bounds *bounds, struct span cluster,
                           struct span host, int64_t now_ms, size_t count)
{
    struct host_bound *bound = bound_of(bounds, cluster, host);
    if (!bound)
        return 0;
    if (bound->day != now_ms / DAY_MS) {
        bound->day = now_ms / DAY_MS;
        bound->changes = 0;
    }
    size_t left = HOST_CHANGES_PER_DAY - bound->changes;
    count = count < left ? count : left;
    bound->changes += count;
    return count;
}
