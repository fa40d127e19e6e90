/* SPDX-License-Identifier: Apache-2.0 */
/* life - what is remembered of one entry between rounds, and the table of them. */
#include "observe/life.h"

#include "base/hashmap.h"

#include <errno.h>
#include <xxhash.h>

#define CAPACITY_MIN 64
#define COUNTERS_SLACK 8 /* growing counters need a byte more now and then */

void lives_done(struct lives *lives)
{
    for (size_t i = 0; i < lives->capacity; i++)
        free(lives->slots[i]);
    free(lives->slots);
    *lives = (struct lives){ 0 };
}

uint64_t life_hash(struct span id)
{
    return XXH3_64bits_withSeed(id.data, id.size, hashmap_seed());
}

/* The slot of id, or the free one where it belongs. */
static struct life **probe(const struct lives *lives, uint64_t hash, struct span id)
{
    size_t mask = lives->capacity - 1;
    for (size_t i = (size_t)hash & mask;; i = (i + 1) & mask) {
        struct life *life = lives->slots[i];
        if (!life || (life->hash == hash && span_eq(life_id(life), id)))
            return &lives->slots[i];
    }
}

struct life **lives_find(const struct lives *lives, struct span id)
{
    if (lives->count == 0)
        return NULL;
    struct life **slot = probe(lives, life_hash(id), id);
    return *slot ? slot : NULL;
}

static int lives_resize(struct lives *lives, size_t capacity)
{
    struct lives bigger = { .capacity = capacity, .count = lives->count };
    bigger.slots = calloc(capacity, sizeof bigger.slots[0]);
    if (!bigger.slots)
        return -ENOMEM;
    for (size_t i = 0; i < lives->capacity; i++) {
        struct life *life = lives->slots[i];
        if (life)
            *probe(&bigger, life->hash, life_id(life)) = life;
    }
    free(lives->slots);
    *lives = bigger;
    return 0;
}

struct life **lives_add(struct lives *lives, struct span id)
{
    if (id.size > ENTRY_ID_BYTES_MAX)
        return NULL;
    if (lives->count + lives->count / 2 >= lives->capacity) {
        size_t capacity = lives->capacity ? lives->capacity * 2 : CAPACITY_MIN;
        if (lives_resize(lives, capacity) < 0)
            return NULL;
    }
    struct life *life = malloc(sizeof *life + id.size);
    if (!life)
        return NULL;
    *life = (struct life){
        .hash = life_hash(id),
        .seen_ms = T_NONE,
        .row_ms = T_NONE,
        .start_ns = T_NONE,
        .snapshot_ns = T_NONE,
        .moved_ms = T_NONE,
        .id_size = (uint8_t)id.size,
    };
    memcpy(life->data, id.data, id.size);
    struct life **slot = probe(lives, life->hash, id);
    *slot = life;
    lives->count++;
    return slot;
}

int life_set_counters(struct life **slot, const uint8_t *packed, size_t size)
{
    struct life *life = *slot;
    if (size > life->counters_room) {
        size_t room = size + COUNTERS_SLACK;
        if (room > UINT16_MAX)
            return -ENOMEM;
        life = realloc(life, sizeof *life + life->id_size + room);
        if (!life)
            return -ENOMEM;
        life->counters_room = (uint16_t)room;
        *slot = life;
    }
    memcpy(life->data + life->id_size, packed, size);
    life->counters_size = (uint16_t)size;
    return 0;
}

size_t lives_sweep(struct lives *lives, life_over_fn *is_over, const void *arg)
{
    size_t over = 0;
    for (size_t i = 0; i < lives->capacity; i++)
        if (lives->slots[i] && is_over(lives->slots[i], arg))
            over++;
    if (over == 0)
        return 0;
    struct lives kept = { .capacity = CAPACITY_MIN, .count = lives->count - over };
    while (kept.count + kept.count / 2 >= kept.capacity)
        kept.capacity *= 2;
    kept.slots = calloc(kept.capacity, sizeof kept.slots[0]);
    if (!kept.slots)
        return 0; /* they are remembered a round longer */
    for (size_t i = 0; i < lives->capacity; i++) {
        struct life *life = lives->slots[i];
        if (life && is_over(life, arg))
            free(life);
        else if (life)
            *probe(&kept, life->hash, life_id(life)) = life;
    }
    free(lives->slots);
    *lives = kept;
    return over;
}
