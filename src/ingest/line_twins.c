/* SPDX-License-Identifier: Apache-2.0 */
/* line_twins - lines of one text that differ only in tags that are not looked at. */
#include "ingest/line_twins.h"

#include <stdlib.h>

#define TWINS_FIRST 64

struct line_twin {
    const struct sink_series *series; /* NULL: empty */
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

/* Series are addresses, times near each other: mixed, neither can be chosen to meet. */
static struct line_twin *find(const struct line_twins *twins,
                              const struct sink_series *series, int64_t t_ns)
{
    uint64_t hash = ((uint64_t)(uintptr_t)series >> 4) * UINT64_C(0x9e3779b97f4a7c15);
    hash = (hash ^ (uint64_t)t_ns) * UINT64_C(0xbf58476d1ce4e5b9);
    size_t mask = twins->capacity - 1;
    for (size_t i = (size_t)(hash >> 32) & mask;; i = (i + 1) & mask) {
        struct line_twin *twin = &twins->items[i];
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
    free(twins->items);
    *twins = grown;
    return true;
}

bool line_twins_add(struct line_twins *twins, const struct sink_series *series,
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
