/* SPDX-License-Identifier: Apache-2.0 */
/* lookup_cache - which series the bytes of a line stand for. */
#define XXH_INLINE_ALL
#include "ingest/lookup_cache.h"

#include <openssl/rand.h>
#include <stdatomic.h>
#include <xxhash.h>

enum {
    SECRET_BYTES = 192,
    CHUNK_ENTRIES = 1024,
    SLOTS_FIRST = 4096,
};

struct chunk {
    struct chunk *next;
    size_t used;
    struct lookup_entry entries[CHUNK_ENTRIES];
};

/* Open addressing; at most half full. */
struct lookup_table {
    struct lookup_table *older; /* readers may still stand in it */
    size_t mask;
    _Atomic(struct lookup_entry *) slots[];
};

struct lookup_cache {
    _Atomic(struct lookup_table *) table;
    size_t entries_max;
    pthread_mutex_t lock; /* of all that writes */
    struct chunk *chunks;
    size_t count;
    size_t bytes;
    uint64_t forgone;
    unsigned char secret[SECRET_BYTES];
};

static struct lookup_table *table_new(struct lookup_cache *cache, size_t slots)
{
    size_t size =
        sizeof(struct lookup_table) + slots * sizeof(_Atomic(struct lookup_entry *));
    struct lookup_table *table = calloc(1, size);
    if (!table)
        return NULL;
    table->mask = slots - 1;
    cache->bytes += size;
    return table;
}

int lookup_cache_new(size_t entries_max, struct lookup_cache **ret)
{
    struct lookup_cache *cache = calloc(1, sizeof *cache);
    if (!cache)
        return -ENOMEM;
    (void)pthread_mutex_init(&cache->lock, NULL);
    cache->entries_max = entries_max;
    struct lookup_table *table = table_new(cache, SLOTS_FIRST);
    atomic_init(&cache->table, table);
    bool is_random = RAND_bytes(cache->secret, sizeof cache->secret) == 1;
    if (!table || !is_random) {
        lookup_cache_free(cache);
        return table ? -EIO : -ENOMEM;
    }
    *ret = cache;
    return 0;
}

void lookup_cache_free(struct lookup_cache *cache)
{
    if (!cache)
        return;
    for (struct lookup_table *table = atomic_load(&cache->table); table;) {
        struct lookup_table *older = table->older;
        free(table);
        table = older;
    }
    for (struct chunk *chunk = cache->chunks; chunk;) {
        struct chunk *next = chunk->next;
        free(chunk);
        chunk = next;
    }
    (void)pthread_mutex_destroy(&cache->lock);
    free(cache);
}

struct lookup_key lookup_cache_key(const struct lookup_cache *cache, struct span bytes)
{
    XXH128_hash_t hash = XXH3_128bits_withSecret(
        bytes.data ? bytes.data : "", bytes.size, cache->secret, sizeof cache->secret);
    return (struct lookup_key){ hash.low64, hash.high64 };
}

static bool is_key(const struct lookup_entry *entry, struct lookup_key key)
{
    return entry->key.low == key.low && entry->key.high == key.high;
}

static struct lookup_entry *table_find(struct lookup_table *table,
                                       struct lookup_key key, size_t *ret_slot)
{
    size_t slot = key.low & table->mask;
    struct lookup_entry *entry;
    while ((entry = atomic_load_explicit(&table->slots[slot], memory_order_acquire))) {
        if (is_key(entry, key))
            break;
        slot = (slot + 1) & table->mask;
    }
    *ret_slot = slot;
    return entry;
}

struct lookup_entry *lookup_cache_find(struct lookup_cache *cache,
                                       struct lookup_key key,
                                       struct lookup_entry *before)
{
    struct lookup_entry *entry;
    if (before) {
        entry = atomic_load_explicit(&before->after, memory_order_acquire);
        if (entry && is_key(entry, key))
            return entry;
    }
    size_t slot;
    struct lookup_table *table =
        atomic_load_explicit(&cache->table, memory_order_acquire);
    entry = table_find(table, key, &slot);
    if (entry && before)
        atomic_store_explicit(&before->after, entry, memory_order_release);
    return entry;
}

/* ---- writing, under the lock ---- */

static struct lookup_entry *entry_new(struct lookup_cache *cache)
{
    struct chunk *chunk = cache->chunks;
    if (!chunk || chunk->used == CHUNK_ENTRIES) {
        chunk = calloc(1, sizeof *chunk);
        if (!chunk)
            return NULL;
        chunk->next = cache->chunks;
        cache->chunks = chunk;
        cache->bytes += sizeof *chunk;
    }
    return &chunk->entries[chunk->used++];
}

static struct lookup_table *table_grow(struct lookup_cache *cache,
                                       struct lookup_table *old)
{
    struct lookup_table *table = table_new(cache, (old->mask + 1) * 2);
    if (!table)
        return NULL;
    for (size_t i = 0; i <= old->mask; i++) {
        struct lookup_entry *entry = atomic_load(&old->slots[i]);
        size_t slot;
        if (!entry)
            continue;
        (void)table_find(table, entry->key, &slot);
        atomic_init(&table->slots[slot], entry);
    }
    table->older = old;
    atomic_store_explicit(&cache->table, table, memory_order_release);
    return table;
}

/* The series last: who sees it sees the rest. */
static void set_meaning(struct lookup_entry *entry,
                        const struct lookup_meaning *meaning)
{
    atomic_store_explicit(&entry->generation, meaning->generation,
                          memory_order_relaxed);
    atomic_store_explicit(&entry->shard, meaning->shard, memory_order_relaxed);
    atomic_store_explicit(&entry->series, meaning->series, memory_order_release);
}

static struct lookup_entry *add_entry(struct lookup_cache *cache,
                                      struct lookup_table *table, struct lookup_key key,
                                      const struct lookup_meaning *meaning)
{
    size_t slot;
    if (cache->count >= cache->entries_max)
        return NULL;
    if ((cache->count + 1) * 2 > table->mask + 1)
        table = table_grow(cache, table);
    struct lookup_entry *entry = table ? entry_new(cache) : NULL;
    if (!entry)
        return NULL;
    entry->key = key;
    entry->flags = meaning->flags;
    entry->line_bytes = meaning->line_bytes;
    set_meaning(entry, meaning);
    (void)table_find(table, key, &slot);
    atomic_store_explicit(&table->slots[slot], entry, memory_order_release);
    cache->count++;
    return entry;
}

static bool is_added(struct lookup_cache *cache, struct lookup_table *table,
                     struct lookup_key key, const struct lookup_meaning *meaning,
                     struct sender_account *account)
{
    if (account && !sender_account_take_key(account))
        return false;
    bool is_added = add_entry(cache, table, key, meaning) != NULL;
    if (account && !is_added)
        sender_account_return_key(account);
    return is_added;
}

void lookup_cache_put(struct lookup_cache *cache, struct lookup_key key,
                      const struct lookup_meaning *meaning,
                      struct sender_account *account)
{
    size_t slot;
    LOCKED(&cache->lock);
    struct lookup_table *table = atomic_load(&cache->table);
    struct lookup_entry *entry = table_find(table, key, &slot);
    if (entry)
        set_meaning(entry, meaning);
    else if (!is_added(cache, table, key, meaning, account))
        cache->forgone++;
}

void lookup_cache_stats(struct lookup_cache *cache, struct lookup_cache_stats *ret)
{
    LOCKED(&cache->lock);
    *ret = (struct lookup_cache_stats){
        .entries = cache->count,
        .bytes = cache->bytes,
        .forgone = cache->forgone,
    };
}
