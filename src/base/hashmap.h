/* SPDX-License-Identifier: Apache-2.0 */
/* hashmap - byte strings -> a pointer or number, for keys that come from outside.
 *
 * Open addressing, XXH3 with a seed drawn at start, so that no sender can choose keys
 * that collide.  Keys are copied.  Values are uintptr_t: a pointer or an index.
 * Threads  none inside.
 */
#ifndef BASE_HASHMAP_H
#define BASE_HASHMAP_H

#include "base/cleanup.h"
#include "base/span_type.h"

#include <stdint.h>

struct hashmap_slot;

struct hashmap {
    struct hashmap_slot *slots;
    size_t capacity; /* a power of two; 0 while empty */
    size_t count;
    size_t tombstones;
    size_t key_bytes; /* what the copied keys take */
};

#define HASHMAP_INIT \
    {                \
        0            \
    }

void hashmap_done(struct hashmap *map);
DEFINE_AUTO_DONE(struct hashmap, hashmap_done);

/* Where the value of key stands, to be read or changed; NULL: not there.  Valid until
 * the next put or remove. */
uintptr_t *hashmap_get(const struct hashmap *map, struct span key);

/* Where the value of key stands; a new one is made with 0 there.  *ret_is_new may be
 * NULL.  NULL: memory is out, nothing changed. */
uintptr_t *hashmap_put(struct hashmap *map, struct span key, bool *ret_is_new);

/* The memory that it takes. */
size_t hashmap_bytes(const struct hashmap *map);

bool hashmap_remove(struct hashmap *map, struct span key);

/* Every pair in no order: start with *cursor = 0; false at the end.  Removing the pair
 * just seen is allowed. */
bool hashmap_next(const struct hashmap *map, size_t *cursor, struct span *ret_key,
                  uintptr_t **ret_value);

/* The process's seed, for other tables with keys from outside. */
uint64_t hashmap_seed(void);

#endif
