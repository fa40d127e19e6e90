/* SPDX-License-Identifier: Apache-2.0 */
/* cache_memory - chunks in memory, by their digests, up to so many bytes. */
#include "dataset/forwarder/cache_memory.h"

#include "base/hashmap.h"

#include <assert.h>

#define SMALL_SHARE 10U
#define READS_MAX 3U
#define GHOST_SHARE 16U /* of bytes_max, for entries without a payload */

enum cache_queue {
    QUEUE_SMALL,
    QUEUE_MAIN,
    QUEUE_GHOST,
    _QUEUE_COUNT,
};

struct cache_entry {
    struct cache_entry *older, *newer;
    struct payload *payload; /* NULL: a ghost */
    struct digest digest;
    uint32_t bytes; /* with the entry; also of a ghost: what it had */
    uint8_t queue, reads;
};

struct cache_list {
    struct cache_entry *oldest, *newest;
    uint64_t bytes, count;
};

struct cache_memory {
    uint64_t bytes_max;
    struct hashmap entries;
    struct cache_list queues[_QUEUE_COUNT];
};

static struct span digest_span(const struct digest *digest)
{
    return (struct span){ (const char *)digest->bytes, DIGEST_SIZE };
}

int cache_memory_new(uint64_t bytes_max, struct cache_memory **ret)
{
    struct cache_memory *cache = calloc(1, sizeof *cache);
    if (!cache)
        return -ENOMEM;
    cache->bytes_max = bytes_max;
    *ret = cache;
    return 0;
}

void cache_memory_free(struct cache_memory *cache)
{
    if (!cache)
        return;
    for (size_t i = 0; i < _QUEUE_COUNT; i++)
        while (cache->queues[i].oldest) {
            struct cache_entry *entry = cache->queues[i].oldest;
            cache->queues[i].oldest = entry->newer;
            payload_unref(entry->payload);
            free(entry);
        }
    hashmap_done(&cache->entries);
    free(cache);
}

/* ---- queues ---- */

static void entry_unlink(struct cache_memory *cache, struct cache_entry *entry)
{
    struct cache_list *list = &cache->queues[entry->queue];
    *(entry->older ? &entry->older->newer : &list->oldest) = entry->newer;
    *(entry->newer ? &entry->newer->older : &list->newest) = entry->older;
    list->count--;
    list->bytes -= entry->bytes;
}

static void entry_append(struct cache_memory *cache, struct cache_entry *entry,
                         enum cache_queue queue)
{
    struct cache_list *list = &cache->queues[queue];
    entry->queue = (uint8_t)queue;
    entry->older = list->newest;
    entry->newer = NULL;
    *(list->newest ? &list->newest->newer : &list->oldest) = entry;
    list->newest = entry;
    list->count++;
    list->bytes += entry->bytes;
}

static void entry_move(struct cache_memory *cache, struct cache_entry *entry,
                       enum cache_queue queue)
{
    entry_unlink(cache, entry);
    entry_append(cache, entry, queue);
}

static void entry_forget(struct cache_memory *cache, struct cache_entry *entry)
{
    entry_unlink(cache, entry);
    (void)hashmap_remove(&cache->entries, digest_span(&entry->digest));
    payload_unref(entry->payload);
    free(entry);
}

/* ---- eviction ---- */

/* They stand for as many bytes as are stored, and need a small share of that. */
static bool ghosts_are_many(const struct cache_memory *cache)
{
    const struct cache_list *ghosts = &cache->queues[QUEUE_GHOST];
    return ghosts->count > 1 &&
           (ghosts->bytes > cache->bytes_max ||
            ghosts->count * CACHE_MEMORY_ENTRY_BYTES > cache->bytes_max / GHOST_SHARE);
}

static void small_evict(struct cache_memory *cache)
{
    struct cache_entry *entry = cache->queues[QUEUE_SMALL].oldest;
    if (entry->reads) {
        entry->reads = 0;
        entry_move(cache, entry, QUEUE_MAIN);
        return;
    }
    payload_unref(entry->payload);
    entry->payload = NULL;
    entry_move(cache, entry, QUEUE_GHOST);
    while (ghosts_are_many(cache))
        entry_forget(cache, cache->queues[QUEUE_GHOST].oldest);
}

static void main_evict(struct cache_memory *cache)
{
    struct cache_entry *entry = cache->queues[QUEUE_MAIN].oldest;
    assert(entry);
    if (!entry->reads) {
        entry_forget(cache, entry);
        return;
    }
    entry->reads--;
    entry_move(cache, entry, QUEUE_MAIN);
}

static void cache_shrink(struct cache_memory *cache)
{
    const struct cache_list *small = &cache->queues[QUEUE_SMALL];
    const struct cache_list *main = &cache->queues[QUEUE_MAIN];
    while (cache_memory_bytes(cache) > cache->bytes_max)
        if (!main->oldest ||
            (small->oldest && small->bytes > cache->bytes_max / SMALL_SHARE))
            small_evict(cache);
        else
            main_evict(cache);
}

/* ---- the door ---- */

uint64_t cache_memory_bytes(const struct cache_memory *cache)
{
    return cache->queues[QUEUE_SMALL].bytes + cache->queues[QUEUE_MAIN].bytes;
}

static struct cache_entry *entry_find(struct cache_memory *cache,
                                      const struct digest *digest)
{
    uintptr_t *value = hashmap_get(&cache->entries, digest_span(digest));
    return value ? (struct cache_entry *)*value
                 : NULL; /* NOLINT(performance-no-int-to-ptr) */
}

struct payload *cache_memory_peek(struct cache_memory *cache,
                                  const struct digest *digest)
{
    struct cache_entry *entry = entry_find(cache, digest);
    return entry ? entry->payload : NULL;
}

struct payload *cache_memory_get(struct cache_memory *cache,
                                 const struct digest *digest)
{
    struct cache_entry *entry = entry_find(cache, digest);
    if (!entry || !entry->payload)
        return NULL;
    if (entry->reads < READS_MAX)
        entry->reads++;
    return entry->payload;
}

static uint32_t payload_bytes(const struct payload *payload)
{
    return payload->size + CACHE_MEMORY_ENTRY_BYTES;
}

/* In place of a ghost or of another form of it. */
static void entry_renew(struct cache_memory *cache, struct cache_entry *entry,
                        struct payload *payload)
{
    enum cache_queue queue = entry->payload ? entry->queue : QUEUE_MAIN;
    entry_unlink(cache, entry);
    payload_unref(entry->payload);
    entry->payload = payload_ref(payload);
    entry->bytes = payload_bytes(payload);
    entry_append(cache, entry, queue);
}

void cache_memory_put(struct cache_memory *cache, struct payload *payload)
{
    struct cache_entry *entry = entry_find(cache, &payload->digest);
    if (payload_bytes(payload) > cache->bytes_max)
        return;
    if (entry) {
        entry_renew(cache, entry, payload);
        cache_shrink(cache);
        return;
    }
    entry = calloc(1, sizeof *entry);
    uintptr_t *value =
        entry ? hashmap_put(&cache->entries, digest_span(&payload->digest), NULL)
              : NULL;
    if (!value) {
        free(entry);
        return;
    }
    *value = (uintptr_t)entry;
    entry->payload = payload_ref(payload);
    entry->digest = payload->digest;
    entry->bytes = payload_bytes(payload);
    entry_append(cache, entry, QUEUE_SMALL);
    cache_shrink(cache);
}

void cache_memory_remove(struct cache_memory *cache, const struct digest *digest)
{
    struct cache_entry *entry = entry_find(cache, digest);
    if (entry)
        entry_forget(cache, entry);
}
