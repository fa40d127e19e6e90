/* SPDX-License-Identifier: Apache-2.0 */
/* line_twins - lines of one text that differ only in tags that are not looked at. */
#define XXH_INLINE_ALL
#include "ingest/line_twins.h"

#include "base/hashmap.h"

#include <stdlib.h>
#include <xxhash.h>

#define TWINS_FIRST 64

struct line_twin {
    const struct level_series *series; /* NULL: empty */
    int64_t t_ns;
    uint64_t line; /* of the last */
};

void line_twins_done(struct line_twins *twins)
{
    free(twins->items);
    *twins = (struct line_twins){ 0 };
}

size_t line_twins_bytes(const struct line_twins *twins)
{
    return twins->capacity * sizeof *twins->items;
}

static struct line_twin *find(struct line_twins *twins,
                              const struct level_series *series, int64_t t_ns)
{
    const uint64_t key[] = { (uintptr_t)series, (uint64_t)t_ns };
    size_t mask = twins->capacity - 1;
    size_t hash = XXH3_64bits_withSeed(key, sizeof key, hashmap_seed());
    for (size_t i = hash & mask;; i = (i + 1) & mask) {
        struct line_twin *twin = &twins->items[i];
        twins->probes++;
        if (!twin->series || (twin->series == series && twin->t_ns == t_ns))
            return twin;
    }
}

static bool grow(struct line_twins *twins)
{
    struct line_twins grown = { .capacity = twins->capacity ? 2 * twins->capacity
                                                            : TWINS_FIRST };
    grown.items = calloc(grown.capacity, sizeof *grown.items);
    if (!grown.items)
        return false;
    for (size_t i = 0; i < twins->capacity; i++) {
        const struct line_twin *twin = &twins->items[i];
        if (twin->series)
            *find(&grown, twin->series, twin->t_ns) = *twin;
    }
    grown.count = twins->count;
    grown.probes += twins->probes;
    free(twins->items);
    *twins = grown;
    return true;
}

bool line_twins_add(struct line_twins *twins, const struct level_series *series,
                    int64_t t_ns, struct memo_key line)
{
    if (2 * twins->count >= twins->capacity && !grow(twins))
        return false;
    struct line_twin *twin = find(twins, series, t_ns);
    bool is_twin = twin->series && twin->line != line.low;
    twins->count += !twin->series;
    *twin = (struct line_twin){ series, t_ns, line.low };
    return is_twin;
}
