/* SPDX-License-Identifier: Apache-2.0 */
/* lookup_cache - which series the bytes of a line stand for.
 *
 *     bytes as sent ─hash─▶ is it what followed the last one? ─▶ entry ─▶ series
 *                                    └ no: the table ─┘ └ no: the long way, once
 *
 * Senders send the same lines in the same order each time, so an entry remembers which
 * one came after it; and that one how long its key is, so that the bytes of the next
 * line can be hashed without being read.  Bytes are known by 128 bits of a hash with a
 * secret of this process (doc/decisions/0120): nothing is compared, and nobody outside
 * can make two keys meet.  Entries stay as long as the cache; past entries_max new ones
 * are not remembered and take the long way each time.
 *
 * Threads  any; finding takes no lock.
 */
#ifndef INGEST_LOOKUP_CACHE_H
#define INGEST_LOOKUP_CACHE_H

#include "base/cleanup.h"
#include "ingest/sink.h"

#include <stdatomic.h>

struct lookup_cache;

struct lookup_key {
    uint64_t low, high;
};

enum lookup_flag {
    LOOKUP_HAS_UNKNOWN_TAG = 1,
};

struct lookup_entry {
    struct lookup_key key;
    _Atomic(struct level_series *) series; /* NULL: the metric is not known ... */
    _Atomic(struct lookup_entry *) after;  /* what came after it the last time */
    _Atomic uint32_t generation;           /* ... to this generation of the sink */
    _Atomic uint16_t shard;
    uint8_t flags;
    uint8_t line_bytes; /* see struct lookup_meaning */
};

/* Errors: -ENOMEM, -EIO (no random bytes). */
int lookup_cache_new(size_t entries_max, struct lookup_cache **ret);
void lookup_cache_free(struct lookup_cache *cache);
DEFINE_AUTO(struct lookup_cache, lookup_cache_free);

/* What bytes mean depends on the sender: context is the key of what is known of it. */
struct lookup_key lookup_cache_key(const struct lookup_cache *cache, struct span bytes);
static inline struct lookup_key lookup_key_mix(struct lookup_key a, struct lookup_key b)
{
    /* Not commutative: a key twice is not nothing. */
    return (struct lookup_key){ a.low ^ (b.low << 1 | b.low >> 63),
                                a.high ^ (b.high << 7 | b.high >> 57) };
}

/* NULL: not known.  *after is the entry before in the same text, or NULL. */
struct lookup_entry *lookup_cache_find(struct lookup_cache *cache,
                                       struct lookup_key key,
                                       struct lookup_entry *before);
/* series NULL: the metric is not known to the sink of this generation. */
struct lookup_meaning {
    struct level_series *series;
    uint32_t generation;
    uint16_t shard;
    uint8_t flags;
    uint8_t line_bytes; /* of which key is; 0: of something else, or of too many */
};
/* Remember it.  A key that is new is charged to its sender's account (NULL: no
 * account); one that is known has the new meaning from now on and costs nothing.  A
 * full cache, an account that has its share or no memory is no failure: it is counted.
 */
void lookup_cache_put(struct lookup_cache *cache, struct lookup_key key,
                      const struct lookup_meaning *meaning,
                      struct sender_account *account);

struct lookup_cache_stats {
    uint64_t entries, bytes;
    uint64_t forgone; /* not remembered */
};
void lookup_cache_stats(struct lookup_cache *cache, struct lookup_cache_stats *ret);

#endif
