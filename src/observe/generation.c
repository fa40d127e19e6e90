/* SPDX-License-Identifier: Apache-2.0 */
/* generation - what is remembered of one entry between rounds, and the table of them.
 */
#include "observe/generation.h"

#include "base/hashmap.h"
#include "base/span.h"

#include <errno.h>
#include <xxhash.h>

#define CAPACITY_MIN 64
#define COUNTERS_SLACK 8 /* growing counters need a byte more now and then */

void generations_done(struct generations *generations)
{
    for (size_t i = 0; i < generations->capacity; i++)
        free(generations->slots[i]);
    free(generations->slots);
    *generations = (struct generations){ 0 };
}

uint64_t generation_hash(struct span id)
{
    return XXH3_64bits_withSeed(id.data, id.size, hashmap_seed());
}

/* The slot of id, or the free one where it belongs. */
static struct generation **probe(const struct generations *generations, uint64_t hash,
                                 struct span id)
{
    size_t mask = generations->capacity - 1;
    for (size_t i = (size_t)hash & mask;; i = (i + 1) & mask) {
        struct generation *generation = generations->slots[i];
        if (!generation ||
            (generation->hash == hash && span_eq(generation_id(generation), id)))
            return &generations->slots[i];
    }
}

struct generation **generations_find(const struct generations *generations,
                                     struct span id)
{
    if (generations->count == 0)
        return NULL;
    struct generation **slot = probe(generations, generation_hash(id), id);
    return *slot ? slot : NULL;
}

static int generations_resize(struct generations *generations, size_t capacity)
{
    struct generations bigger = { .capacity = capacity, .count = generations->count };
    bigger.slots = calloc(capacity, sizeof bigger.slots[0]);
    if (!bigger.slots)
        return -ENOMEM;
    for (size_t i = 0; i < generations->capacity; i++) {
        struct generation *generation = generations->slots[i];
        if (generation)
            *probe(&bigger, generation->hash, generation_id(generation)) = generation;
    }
    free(generations->slots);
    *generations = bigger;
    return 0;
}

struct generation **generations_add(struct generations *generations, struct span id)
{
    if (id.size > ENTRY_ID_BYTES_MAX)
        return NULL;
    if (generations->count + generations->count / 2 >= generations->capacity) {
        size_t capacity =
            generations->capacity ? generations->capacity * 2 : CAPACITY_MIN;
        if (generations_resize(generations, capacity) < 0)
            return NULL;
    }
    struct generation *generation = malloc(sizeof *generation + id.size);
    if (!generation)
        return NULL;
    *generation = (struct generation){
        .hash = generation_hash(id),
        .seen_ms = T_NONE,
        .row_ms = T_NONE,
        .start_ns = T_NONE,
        .snapshot_ns = T_NONE,
        .moved_ms = T_NONE,
        .id_size = (uint8_t)id.size,
    };
    memcpy(generation->data, id.data, id.size);
    struct generation **slot = probe(generations, generation->hash, id);
    *slot = generation;
    generations->count++;
    return slot;
}

int generation_set_counters(struct generation **slot, const uint8_t *packed,
                            size_t size)
{
    struct generation *generation = *slot;
    if (size > generation->counters_capacity) {
        size_t capacity = size + COUNTERS_SLACK;
        if (capacity > UINT16_MAX)
            return -ENOMEM;
        generation =
            realloc(generation, sizeof *generation + generation->id_size + capacity);
        if (!generation)
            return -ENOMEM;
        generation->counters_capacity = (uint16_t)capacity;
        *slot = generation;
    }
    memcpy(generation->data + generation->id_size, packed, size);
    generation->counters_size = (uint16_t)size;
    return 0;
}

size_t generations_sweep(struct generations *generations, generation_over_fn *is_over,
                         const void *arg)
{
    size_t over = 0;
    for (size_t i = 0; i < generations->capacity; i++)
        if (generations->slots[i] && is_over(generations->slots[i], arg))
            over++;
    if (over == 0)
        return 0;
    struct generations rest = { .capacity = CAPACITY_MIN,
                                .count = generations->count - over };
    while (rest.count + rest.count / 2 >= rest.capacity)
        rest.capacity *= 2;
    rest.slots = calloc(rest.capacity, sizeof rest.slots[0]);
    if (!rest.slots)
        return 0; /* they are remembered a round longer */
    for (size_t i = 0; i < generations->capacity; i++) {
        struct generation *generation = generations->slots[i];
        if (generation && is_over(generation, arg))
            free(generation);
        else if (generation)
            *probe(&rest, generation->hash, generation_id(generation)) = generation;
    }
    free(generations->slots);
    *generations = rest;
    return over;
}

int64_t generation_unseen_instant(int64_t row_ms, int64_t seen_ms, int64_t before_ms)
{
    int64_t ms = (row_ms > seen_ms ? row_ms : seen_ms) + 1;
    if (ms < before_ms)
        return ms;
    return (row_ms == T_NONE ? before_ms : row_ms) - 1;
}
