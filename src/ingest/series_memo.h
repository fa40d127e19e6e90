/* SPDX-License-Identifier: Apache-2.0 */
/* series_memo - which series the bytes of a line stand for.
 *
 *     bytes as sent ─hash─▶ is it what followed the last one? ─▶ entry ─▶ series
 *                                    └ no: the table ─┘ └ no: the long way, once
 *
 * Senders send the same lines in the same order each time, so an entry remembers which
 * one came after it; and that one how long its key is, so that the bytes of the next
 * line can be hashed without being read.  Bytes are known by 128 bits of a hash with a
 * secret of this process (doc/decisions/0120): nothing is compared, and nobody outside
 * can make two keys meet.  Entries stay as long as the memo; past entries_max new ones
 * are not remembered and take the long way each time.
 *
 * Threads  any; finding takes no lock.
 */
#ifndef INGEST_SERIES_MEMO_H
#define INGEST_SERIES_MEMO_H

#include "base/cleanup.h"
#include "ingest/sink.h"

#include <stdatomic.h>

struct series_memo;

struct memo_key {
    uint64_t low, high;
};

enum memo_flag {
    MEMO_HAS_UNKNOWN_TAG = 1,
};

struct memo_entry {
    struct memo_key key;
    _Atomic(struct level_series *) series; /* NULL: the metric is not known ... */
    _Atomic(struct memo_entry *) after;    /* what came after it the last time */
    _Atomic uint32_t generation;           /* ... to this generation of the sink */
    _Atomic uint16_t shard;
    uint8_t flags;
    uint8_t line_bytes; /* see struct memo_meaning */
};

/* Errors: -ENOMEM, -EIO (no random bytes). */
int series_memo_new(size_t entries_max, struct series_memo **ret);
void series_memo_free(struct series_memo *memo);
DEFINE_AUTO(struct series_memo, series_memo_free);

/* What bytes mean depends on the sender: context is the key of what is known of it. */
struct memo_key series_memo_key(const struct series_memo *memo, struct span bytes);
static inline struct memo_key memo_key_mix(struct memo_key a, struct memo_key b)
{
    /* Not commutative: a key twice is not nothing. */
    return (struct memo_key){ a.low ^ (b.low << 1 | b.low >> 63),
                              a.high ^ (b.high << 7 | b.high >> 57) };
}

/* NULL: not known.  *after is the entry before in the same text, or NULL. */
struct memo_entry *series_memo_find(struct series_memo *memo, struct memo_key key,
                                    struct memo_entry *before);
/* series NULL: the metric is not known to the sink of this generation. */
struct memo_meaning {
    struct level_series *series;
    uint32_t generation;
    uint16_t shard;
    uint8_t flags;
    uint8_t line_bytes; /* of which key is; 0: of something else, or of too many */
};
/* Remember it.  A key that is new is charged to its sender's account (NULL: nobody's);
 * one that is known has the new meaning from now on and costs nothing.  A full memo, an
 * account that has its share or no memory is no failure: it is counted. */
void series_memo_put(struct series_memo *memo, struct memo_key key,
                     const struct memo_meaning *meaning,
                     struct sender_account *account);

struct series_memo_stats {
    uint64_t entries, bytes;
    uint64_t forgone; /* not remembered */
};
void series_memo_stats(struct series_memo *memo, struct series_memo_stats *ret);

#endif
