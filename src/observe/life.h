/* SPDX-License-Identifier: Apache-2.0 */
/* life - what is remembered of one entry between rounds, and the table of them.
 *
 *     lives.slots ──▶ [ struct life | id bytes | packed counters | slack ]
 *
 * One allocation an entry, about 140 bytes: a server may show 200,000.  The slots are
 * found by XXH3 with the process's seed; nothing is removed one by one, a sweep at the
 * end of a round builds the table anew.
 */
#ifndef OBSERVE_LIFE_H
#define OBSERVE_LIFE_H

#include "model/model.h"

enum {
    /* It may have moved after it was seen last, and before it ended. */
    LIFE_TAIL_UNSEEN = 1 << 0,
    /* The clock was set back: its next row needs a base in the new order of time. */
    LIFE_WANTS_BASE = 1 << 1,
    /* Of a total: what it counts from here on is at least that. */
    LIFE_IS_LOSSY = 1 << 2,
    /* In the open round: its entry waits. */
    LIFE_WAITS = 1 << 3,
    /* A row says that its end was not seen; it may be there still. */
    LIFE_TAIL_TOLD = 1 << 4,
};
#define LIFE_FLAGS_SAVED (LIFE_TAIL_UNSEEN | LIFE_WANTS_BASE | LIFE_IS_LOSSY)

struct life {
    uint64_t hash;
    int64_t seen_ms;     /* the last round in which the entry stood */
    int64_t row_ms;      /* of its last row; T_NONE: none yet */
    int64_t start_ns;    /* T_NONE: not known */
    int64_t snapshot_ns; /* as printed last: when it moved, by the server's clock */
    int64_t moved_ms;    /* it moved last at or after this; T_NONE: nobody knows */
    uint32_t seen_round;
    uint16_t counters_size, counters_room;
    uint8_t id_size;
    uint8_t flags;  /* LIFE_* */
    uint8_t data[]; /* id, then counters_room bytes */
};

struct lives {
    struct life **slots;
    size_t capacity; /* a power of two; 0 while empty */
    size_t count;
};

void lives_done(struct lives *lives);
uint64_t life_hash(struct span id);
static inline struct span life_id(const struct life *life)
{
    return (struct span){ (const char *)life->data, life->id_size };
}
static inline const uint8_t *life_counters(const struct life *life)
{
    return life->data + life->id_size;
}

/* Where the life of id stands, or NULL. */
struct life **lives_find(const struct lives *lives, struct span id);
/* A new life with no times; it must not be there yet.  NULL: memory is out. */
struct life **lives_add(struct lives *lives, struct span id);
/* May move *slot.  Errors: -ENOMEM. */
int life_set_counters(struct life **slot, const uint8_t *packed, size_t size);

/* Forget the lives for which is_over says so.  Returns how many. */
typedef bool life_over_fn(const struct life *life, const void *arg);
size_t lives_sweep(struct lives *lives, life_over_fn *is_over, const void *arg);

#endif
