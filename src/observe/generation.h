/* SPDX-License-Identifier: Apache-2.0 */
/* generation - what is remembered of one entry between rounds, and the table of them.
 *
 * A life (generation of the counters) runs from the creation of an entry on its server
 * to its removal there; counters grow only within one.
 *
 *     generations.slots ──▶ [ struct generation | id bytes | packed counters | slack ]
 *
 * One allocation an entry, about 140 bytes: a server may show 200,000.  The slots are
 * found by XXH3 with the process's seed; nothing is removed one by one, a sweep at the
 * end of a round builds the table anew.
 */
#ifndef OBSERVE_GENERATION_H
#define OBSERVE_GENERATION_H

#include "model/model.h"

enum {
    /* It may have moved after it was seen last, and before it ended. */
    GENERATION_TAIL_UNSEEN = 1 << 0,
    /* The clock was set back: its next row needs a base in the new order of time. */
    GENERATION_WANTS_BASE = 1 << 1,
    /* Of a total: what it counts from here on is at least that. */
    GENERATION_IS_LOSSY = 1 << 2,
    /* In the open round: its entry waits. */
    GENERATION_WAITS = 1 << 3,
    /* A row states that its end was not seen; it may be there still. */
    GENERATION_TAIL_REPORTED = 1 << 4,
};
#define GENERATION_FLAGS_SAVED \
    (GENERATION_TAIL_UNSEEN | GENERATION_WANTS_BASE | GENERATION_IS_LOSSY)

struct generation {
    uint64_t hash;
    int64_t seen_ms;     /* the last round in which the entry stood */
    int64_t row_ms;      /* of its last row; T_NONE: none yet */
    int64_t start_ns;    /* T_NONE: not known */
    int64_t snapshot_ns; /* as printed last: when it moved, by the server's clock */
    int64_t moved_ms;    /* it moved last at or after this; T_NONE: not known */
    uint32_t seen_round;
    uint16_t counters_size, counters_capacity;
    uint8_t id_size;
    uint8_t flags;  /* GENERATION_* */
    uint8_t data[]; /* id, then counters_capacity bytes */
};

struct generations {
    struct generation **slots;
    size_t capacity; /* a power of two; 0 while empty */
    size_t count;
};

void generations_done(struct generations *generations);
uint64_t generation_hash(struct span id);
static inline struct span generation_id(const struct generation *generation)
{
    return (struct span){ (const char *)generation->data, generation->id_size };
}
static inline const uint8_t *generation_counters(const struct generation *generation)
{
    return generation->data + generation->id_size;
}

/* Where the generation of id stands, or NULL. */
struct generation **generations_find(const struct generations *generations,
                                     struct span id);
/* A new generation with no times; it must not be there yet.  NULL: memory is out. */
struct generation **generations_add(struct generations *generations, struct span id);
/* May move *slot.  Errors: -ENOMEM. */
int generation_set_counters(struct generation **slot, const uint8_t *packed,
                            size_t size);

/* An instant after row_ms and seen_ms and before before_ms, at which no row is; where
 * there is none, one before row_ms. */
int64_t generation_unseen_instant(int64_t row_ms, int64_t seen_ms, int64_t before_ms);

/* Forget the generations for which is_over is true.  Returns how many. */
typedef bool generation_over_fn(const struct generation *generation, const void *arg);
size_t generations_sweep(struct generations *generations, generation_over_fn *is_over,
                         const void *arg);

#endif
