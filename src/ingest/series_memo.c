/* SPDX-License-Identifier: Apache-2.0 */
/* series_memo - which series the bytes of a line stand for. */
#define XXH_INLINE_ALL
#include "ingest/series_memo.h"

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
    struct memo_entry entries[CHUNK_ENTRIES];
};

/* Open addressing; at most half full. */
struct memo_table {
    struct memo_table *older; /* readers may still stand in it */
    size_t mask;
    _Atomic(struct memo_entry *) slots[];
};

struct series_memo {
    _Atomic(struct memo_table *) table;
    size_t entries_max;
    pthread_mutex_t lock; /* of all that writes */
    struct chunk *chunks;
    size_t count;
    size_t bytes;
    uint64_t forgone;
    unsigned char secret[SECRET_BYTES];
};

static struct memo_table *table_new(struct series_memo *memo, size_t slots)
{
    size_t size =
        sizeof(struct memo_table) + slots * sizeof(_Atomic(struct memo_entry *));
    struct memo_table *table = calloc(1, size);
    if (!table)
        return NULL;
    table->mask = slots - 1;
    memo->bytes += size;
    return table;
}

int series_memo_new(size_t entries_max, struct series_memo **ret)
{
    struct series_memo *memo = calloc(1, sizeof *memo);
    if (!memo)
        return -ENOMEM;
    (void)pthread_mutex_init(&memo->lock, NULL);
    memo->entries_max = entries_max;
    struct memo_table *table = table_new(memo, SLOTS_FIRST);
    atomic_init(&memo->table, table);
    bool is_random = RAND_bytes(memo->secret, sizeof memo->secret) == 1;
    if (!table || !is_random) {
        series_memo_free(memo);
        return table ? -EIO : -ENOMEM;
    }
    *ret = memo;
    return 0;
}

void series_memo_free(struct series_memo *memo)
{
    if (!memo)
        return;
    for (struct memo_table *table = atomic_load(&memo->table); table;) {
        struct memo_table *older = table->older;
        free(table);
        table = older;
    }
    for (struct chunk *chunk = memo->chunks; chunk;) {
        struct chunk *next = chunk->next;
        free(chunk);
        chunk = next;
    }
    (void)pthread_mutex_destroy(&memo->lock);
    free(memo);
}

struct memo_key series_memo_key(const struct series_memo *memo, struct span bytes)
{
    XXH128_hash_t hash = XXH3_128bits_withSecret(
        bytes.data ? bytes.data : "", bytes.size, memo->secret, sizeof memo->secret);
    return (struct memo_key){ hash.low64, hash.high64 };
}

static bool is_key(const struct memo_entry *entry, struct memo_key key)
{
    return entry->key.low == key.low && entry->key.high == key.high;
}

static struct memo_entry *table_find(struct memo_table *table, struct memo_key key,
                                     size_t *ret_slot)
{
    size_t slot = key.low & table->mask;
    struct memo_entry *entry;
    while ((entry = atomic_load_explicit(&table->slots[slot], memory_order_acquire))) {
        if (is_key(entry, key))
            break;
        slot = (slot + 1) & table->mask;
    }
    *ret_slot = slot;
    return entry;
}

struct memo_entry *series_memo_find(struct series_memo *memo, struct memo_key key,
                                    struct memo_entry *before)
{
    struct memo_entry *entry;
    if (before) {
        entry = atomic_load_explicit(&before->after, memory_order_acquire);
        if (entry && is_key(entry, key))
            return entry;
    }
    size_t slot;
    struct memo_table *table = atomic_load_explicit(&memo->table, memory_order_acquire);
    entry = table_find(table, key, &slot);
    if (entry && before)
        atomic_store_explicit(&before->after, entry, memory_order_release);
    return entry;
}

/* ---- writing, under the lock ---- */

static struct memo_entry *entry_new(struct series_memo *memo)
{
    struct chunk *chunk = memo->chunks;
    if (!chunk || chunk->used == CHUNK_ENTRIES) {
        chunk = calloc(1, sizeof *chunk);
        if (!chunk)
            return NULL;
        chunk->next = memo->chunks;
        memo->chunks = chunk;
        memo->bytes += sizeof *chunk;
    }
    return &chunk->entries[chunk->used++];
}

static struct memo_table *table_grow(struct series_memo *memo, struct memo_table *old)
{
    struct memo_table *table = table_new(memo, (old->mask + 1) * 2);
    if (!table)
        return NULL;
    for (size_t i = 0; i <= old->mask; i++) {
        struct memo_entry *entry = atomic_load(&old->slots[i]);
        size_t slot;
        if (!entry)
            continue;
        (void)table_find(table, entry->key, &slot);
        atomic_init(&table->slots[slot], entry);
    }
    table->older = old;
    atomic_store_explicit(&memo->table, table, memory_order_release);
    return table;
}

/* The series last: who sees it sees the rest. */
static void set_meaning(struct memo_entry *entry, const struct memo_meaning *meaning)
{
    atomic_store_explicit(&entry->generation, meaning->generation,
                          memory_order_relaxed);
    atomic_store_explicit(&entry->shard, meaning->shard, memory_order_relaxed);
    atomic_store_explicit(&entry->series, meaning->series, memory_order_release);
}

static struct memo_entry *add_entry(struct series_memo *memo, struct memo_table *table,
                                    struct memo_key key,
                                    const struct memo_meaning *meaning)
{
    size_t slot;
    if (memo->count >= memo->entries_max)
        return NULL;
    if ((memo->count + 1) * 2 > table->mask + 1)
        table = table_grow(memo, table);
    struct memo_entry *entry = table ? entry_new(memo) : NULL;
    if (!entry)
        return NULL;
    entry->key = key;
    entry->flags = meaning->flags;
    entry->line_bytes = meaning->line_bytes;
    set_meaning(entry, meaning);
    (void)table_find(table, key, &slot);
    atomic_store_explicit(&table->slots[slot], entry, memory_order_release);
    memo->count++;
    return entry;
}

static bool is_added(struct series_memo *memo, struct memo_table *table,
                     struct memo_key key, const struct memo_meaning *meaning,
                     struct sender_account *account)
{
    if (account && !sender_account_take_key(account))
        return false;
    bool is_added = add_entry(memo, table, key, meaning) != NULL;
    if (account && !is_added)
        sender_account_return_key(account);
    return is_added;
}

void series_memo_put(struct series_memo *memo, struct memo_key key,
                     const struct memo_meaning *meaning, struct sender_account *account)
{
    size_t slot;
    LOCKED(&memo->lock);
    struct memo_table *table = atomic_load(&memo->table);
    struct memo_entry *entry = table_find(table, key, &slot);
    if (entry)
        set_meaning(entry, meaning);
    else if (!is_added(memo, table, key, meaning, account))
        memo->forgone++;
}

void series_memo_stats(struct series_memo *memo, struct series_memo_stats *ret)
{
    LOCKED(&memo->lock);
    *ret = (struct series_memo_stats){
        .entries = memo->count,
        .bytes = memo->bytes,
        .forgone = memo->forgone,
    };
}
