/* SPDX-License-Identifier: Apache-2.0 */
/* origins - the last publication that was seen of each rank that published. */
#include "session/origins.h"

#include <errno.h>
#include <stdlib.h>

#define ORIGINS_FIRST 16

static struct event_origin *origin_slot(const struct origins *origins, uint32_t rank)
{
    size_t mask = origins->capacity - 1;
    size_t at = (rank * UINT32_C(2654435761) >> 7) & mask;
    while (origins->slots[at].publication && origins->slots[at].rank != rank)
        at = (at + 1) & mask; /* at least a quarter is free */
    return &origins->slots[at];
}

struct event_origin origins_find(const struct origins *origins, uint32_t rank)
{
    if (!origins->capacity)
        return (struct event_origin){ .rank = rank };
    return *origin_slot(origins, rank);
}

static int origins_grow(struct origins *origins)
{
    struct origins grown = { .capacity = origins->capacity ? origins->capacity * 2
                                                           : ORIGINS_FIRST };
    grown.slots = calloc(grown.capacity, sizeof *grown.slots);
    if (!grown.slots)
        return -ENOMEM;
    for (size_t i = 0; i < origins->capacity; i++)
        if (origins->slots[i].publication)
            *origin_slot(&grown, origins->slots[i].rank) = origins->slots[i];
    grown.count = origins->count;
    free(origins->slots);
    *origins = grown;
    return 0;
}

int origins_set(struct origins *origins, const struct event_origin *origin)
{
    if (origins->count + 1 > origins->capacity / 4 * 3) {
        int rc = origins_grow(origins);
        if (rc < 0)
            return rc;
    }
    struct event_origin *slot = origin_slot(origins, origin->rank);
    origins->count += slot->publication == 0;
    *slot = *origin;
    return 0;
}

void origins_done(struct origins *origins)
{
    free(origins->slots);
    *origins = (struct origins){ 0 };
}
