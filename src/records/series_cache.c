/* SPDX-License-Identifier: Apache-2.0 */
/* series_cache - the series seen lately, by (fs, target, identifier), in memory. */
#include "records/series_cache.h"

#include "base/hashmap.h"
#include "base/span.h"

#include <xxhash.h>

struct cache_entry {
    struct cache_entry *next; /* in its bucket */
    uint64_t hash;
    bool is_used; /* used since the hand came by */
    struct series series;
    char text[]; /* where the spans of series point */
};

struct series_cache {
    struct cache_entry **buckets;
    size_t bucket_count;       /* a power of two, at least count */
    struct cache_entry **ring; /* count of them, in the order of the clock */
    size_t ring_capacity;
    size_t count;
    size_t series_max;
    size_t hand;
};

static uint64_t key_hash(struct span fs, struct span target, struct span entry_id)
{
    uint64_t hash = XXH3_64bits_withSeed(fs.data, fs.size, hashmap_seed());
    hash = XXH3_64bits_withSeed(target.data, target.size, hash);
    return XXH3_64bits_withSeed(entry_id.data, entry_id.size, hash);
}

int series_cache_new(size_t series_max, struct series_cache **ret)
{
    if (series_max < 1 || series_max > (UINT64_C(1) << 31))
        return -EINVAL;
    AUTO(series_cache_free) struct series_cache *cache = calloc(1, sizeof *cache);
    if (!cache)
        return -ENOMEM;
    cache->series_max = series_max;
    cache->bucket_count = 1024;
    cache->buckets = calloc(cache->bucket_count, sizeof *cache->buckets);
    if (!cache->buckets)
        return -ENOMEM;
    *ret = TAKE(cache);
    return 0;
}

void series_cache_clear(struct series_cache *cache)
{
    for (size_t i = 0; i < cache->count; i++)
        free(cache->ring[i]);
    memset(cache->buckets, 0, cache->bucket_count * sizeof *cache->buckets);
    cache->count = 0;
    cache->hand = 0;
}

void series_cache_free(struct series_cache *cache)
{
    if (!cache)
        return;
    if (cache->buckets)
        series_cache_clear(cache);
    free(cache->buckets);
    free(cache->ring);
    free(cache);
}

size_t series_cache_count(const struct series_cache *cache)
{
    return cache->count;
}

const struct series *series_cache_get(struct series_cache *cache, struct span fs,
                                      struct span target, struct span entry_id)
{
    uint64_t hash = key_hash(fs, target, entry_id);
    struct cache_entry *e = cache->buckets[hash & (cache->bucket_count - 1)];
    for (; e; e = e->next) {
        if (e->hash != hash || !span_eq(e->series.entry_id, entry_id) ||
            !span_eq(e->series.target, target) || !span_eq(e->series.fs, fs))
            continue;
        e->is_used = true;
        return &e->series;
    }
    return NULL;
}

static void bucket_remove(struct series_cache *cache, const struct cache_entry *gone)
{
    struct cache_entry **at = &cache->buckets[gone->hash & (cache->bucket_count - 1)];
    while (*at != gone)
        at = &(*at)->next;
    *at = gone->next;
}

/* The slot in the ring for the next entry; one may be evicted. */
static size_t ring_free_slot(struct series_cache *cache)
{
    if (cache->count < cache->series_max)
        return cache->count++;
    for (;; cache->hand++) {
        if (cache->hand >= cache->count)
            cache->hand = 0;
        struct cache_entry *e = cache->ring[cache->hand];
        if (!e->is_used) {
            bucket_remove(cache, e);
            free(e);
            return cache->hand++;
        }
        e->is_used = false;
    }
}

static int cache_grow(struct series_cache *cache)
{
    if (cache->count == cache->ring_capacity) {
        size_t capacity = cache->ring_capacity ? cache->ring_capacity * 2 : 1024;
        void *ring = realloc(cache->ring, capacity * sizeof(struct cache_entry *));
        if (!ring)
            return -ENOMEM;
        cache->ring = ring;
        cache->ring_capacity = capacity;
    }
    if (cache->count < cache->bucket_count)
        return 0;
    size_t bucket_count = cache->bucket_count * 2;
    struct cache_entry **buckets = calloc(bucket_count, sizeof(struct cache_entry *));
    if (!buckets)
        return -ENOMEM;
    for (size_t i = 0; i < cache->count; i++) {
        struct cache_entry *e = cache->ring[i];
        e->next = buckets[e->hash & (bucket_count - 1)];
        buckets[e->hash & (bucket_count - 1)] = e;
    }
    free(cache->buckets);
    cache->buckets = buckets;
    cache->bucket_count = bucket_count;
    return 0;
}

int series_cache_put(struct series_cache *cache, const struct series *key,
                     const struct series *series)
{
    if (cache->count < cache->series_max && cache_grow(cache) < 0)
        return -ENOMEM;
    struct series whole = *series;
    whole.fs = key->fs;
    whole.target = key->target;
    whole.entry_id = key->entry_id;
    struct cache_entry *e = malloc(sizeof *e + series_text_size(&whole));
    if (!e)
        return -ENOMEM;
    series_copy_to(&whole, &e->series, e->text);
    e->hash = key_hash(whole.fs, whole.target, whole.entry_id);
    e->is_used = false;
    cache->ring[ring_free_slot(cache)] = e;
    struct cache_entry **bucket = &cache->buckets[e->hash & (cache->bucket_count - 1)];
    e->next = *bucket;
    *bucket = e;
    return 0;
}
