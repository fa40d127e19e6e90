/* SPDX-License-Identifier: Apache-2.0 */
/* line_repeats - lines of one text that differ only in tags that are not looked at. */
#define XXH_INLINE_ALL
#include "ingest/line_repeats.h"

#include "base/hashmap.h"

#include <stdlib.h>
#include <xxhash.h>

#define REPEATS_FIRST 64

struct line_repeat {
    const struct level_series *series; /* NULL: empty */
    int64_t t_ns;
    uint64_t line; /* of the last */
};

void line_repeats_done(struct line_repeats *repeats)
{
    free(repeats->items);
    *repeats = (struct line_repeats){ 0 };
}

size_t line_repeats_bytes(const struct line_repeats *repeats)
{
    return repeats->capacity * sizeof *repeats->items;
}

static struct line_repeat *find(struct line_repeats *repeats,
                                const struct level_series *series, int64_t t_ns)
{
    const uint64_t key[] = { (uintptr_t)series, (uint64_t)t_ns };
    size_t mask = repeats->capacity - 1;
    size_t hash = XXH3_64bits_withSeed(key, sizeof key, hashmap_seed());
    for (size_t i = hash & mask;; i = (i + 1) & mask) {
        struct line_repeat *repeat = &repeats->items[i];
        repeats->probes++;
        if (!repeat->series || (repeat->series == series && repeat->t_ns == t_ns))
            return repeat;
    }
}

static bool grow(struct line_repeats *repeats)
{
    struct line_repeats grown = { .capacity = repeats->capacity ? 2 * repeats->capacity
                                                                : REPEATS_FIRST };
    grown.items = calloc(grown.capacity, sizeof *grown.items);
    if (!grown.items)
        return false;
    for (size_t i = 0; i < repeats->capacity; i++) {
        const struct line_repeat *repeat = &repeats->items[i];
        if (repeat->series)
            *find(&grown, repeat->series, repeat->t_ns) = *repeat;
    }
    grown.count = repeats->count;
    grown.probes += repeats->probes;
    free(repeats->items);
    *repeats = grown;
    return true;
}

bool line_repeats_add(struct line_repeats *repeats, const struct level_series *series,
                      int64_t t_ns, struct lookup_key line)
{
    if (2 * repeats->count >= repeats->capacity && !grow(repeats))
        return false;
    struct line_repeat *repeat = find(repeats, series, t_ns);
    bool is_repeat = repeat->series && repeat->line != line.low;
    repeats->count += !repeat->series;
    *repeat = (struct line_repeat){ series, t_ns, line.low };
    return is_repeat;
}
