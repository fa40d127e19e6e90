/* SPDX-License-Identifier: Apache-2.0 */
/* hashmap - byte strings -> a pointer or number. */
#include "base/hashmap.h"
#include "base/span.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/random.h>
#include <xxhash.h>

struct hashmap_slot {
    char *key; /* NULL: free, or removed when hash is TOMBSTONE */
    size_t size;
    uint64_t hash;
    uintptr_t value;
};

#define TOMBSTONE UINT64_MAX
#define CAPACITY_LEAST 16

uint64_t hashmap_seed(void)
{
    static _Atomic uint64_t seed;
    uint64_t now = atomic_load(&seed);
    if (now)
        return now;
    uint64_t drawn = 0;
    if (getrandom(&drawn, sizeof drawn, 0) != (ssize_t)sizeof drawn || drawn == 0)
        drawn = (uint64_t)(uintptr_t)&seed | 1; /* ASLR is better than nothing */
    (void)atomic_compare_exchange_strong(&seed, &now, drawn);
    return atomic_load(&seed);
}

static uint64_t hash_of(struct span key)
{
    uint64_t hash = XXH3_64bits_withSeed(key.data, key.size, hashmap_seed());
    return hash == TOMBSTONE ? 0 : hash;
}

void hashmap_done(struct hashmap *map)
{
    for (size_t i = 0; i < map->capacity; i++)
        free(map->slots[i].key);
    free(map->slots);
    *map = (struct hashmap)HASHMAP_INIT;
}

static bool slot_is_free(const struct hashmap_slot *slot)
{
    return !slot->key && slot->hash != TOMBSTONE;
}

static bool slot_holds(const struct hashmap_slot *slot, uint64_t hash, struct span key)
{
    return slot->key && slot->hash == hash &&
           span_eq((struct span){ slot->key, slot->size }, key);
}

static struct hashmap_slot *find(const struct hashmap *map, uint64_t hash,
                                 struct span key)
{
    if (!map->capacity)
        return NULL;
    size_t mask = map->capacity - 1;
    for (size_t i = hash & mask;; i = (i + 1) & mask) {
        struct hashmap_slot *slot = &map->slots[i];
        if (slot_is_free(slot))
            return NULL;
        if (slot_holds(slot, hash, key))
            return slot;
    }
}

uintptr_t *hashmap_get(const struct hashmap *map, struct span key)
{
    struct hashmap_slot *slot = find(map, hash_of(key), key);
    return slot ? &slot->value : NULL;
}

/* The first slot that may be taken for hash; there always is one. */
static struct hashmap_slot *vacancy(struct hashmap_slot *slots, size_t capacity,
                                    uint64_t hash)
{
    size_t mask = capacity - 1;
    size_t i = hash & mask;
    while (slots[i].key)
        i = (i + 1) & mask;
    return &slots[i];
}

static int grow(struct hashmap *map)
{
    size_t used = map->count + map->tombstones;
    if (map->capacity && used + 1 <= map->capacity - map->capacity / 4)
        return 0;
    size_t capacity = map->capacity ? map->capacity : CAPACITY_LEAST;
    while (map->count + 1 > capacity / 2)
        capacity *= 2;
    struct hashmap_slot *slots = calloc(capacity, sizeof *slots);
    if (!slots)
        return -1;
    for (size_t i = 0; i < map->capacity; i++)
        if (map->slots[i].key)
            *vacancy(slots, capacity, map->slots[i].hash) = map->slots[i];
    free(map->slots);
    map->slots = slots;
    map->capacity = capacity;
    map->tombstones = 0;
    return 0;
}

uintptr_t *hashmap_put(struct hashmap *map, struct span key, bool *ret_is_new)
{
    uint64_t hash = hash_of(key);
    struct hashmap_slot *slot = find(map, hash, key);
    if (ret_is_new)
        *ret_is_new = !slot;
    if (slot)
        return &slot->value;
    if (grow(map) < 0)
        return NULL;
    char *copy = span_dup(key);
    if (!copy)
        return NULL;
    slot = vacancy(map->slots, map->capacity, hash);
    if (slot->hash == TOMBSTONE)
        map->tombstones--;
    *slot = (struct hashmap_slot){ .key = copy, .size = key.size, .hash = hash };
    map->count++;
    map->key_bytes += key.size + 1;
    return &slot->value;
}

size_t hashmap_bytes(const struct hashmap *map)
{
    return map->capacity * sizeof *map->slots + map->key_bytes;
}

bool hashmap_remove(struct hashmap *map, struct span key)
{
    struct hashmap_slot *slot = find(map, hash_of(key), key);
    if (!slot)
        return false;
    map->key_bytes -= slot->size + 1;
    free(slot->key);
    *slot = (struct hashmap_slot){ .hash = TOMBSTONE };
    map->count--;
    map->tombstones++;
    return true;
}

bool hashmap_next(const struct hashmap *map, size_t *cursor, struct span *ret_key,
                  uintptr_t **ret_value)
{
    for (; *cursor < map->capacity; (*cursor)++) {
        struct hashmap_slot *slot = &map->slots[*cursor];
        if (!slot->key)
            continue;
        *ret_key = (struct span){ slot->key, slot->size };
        *ret_value = &slot->value;
        (*cursor)++;
        return true;
    }
    return false;
}
