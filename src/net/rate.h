/* SPDX-License-Identifier: Apache-2.0 */
/* rate - how much each sender may still ask for: token buckets in a bounded table.
 *
 * A bucket fills by so much a second up to its burst.  Whoever finds one unit in it may
 * go on, and is charged afterwards with what it really took, into debt if need be: so a
 * body larger than the burst passes, and the next one waits for it.
 *
 * The table holds RATE_SENDERS senders in sets of RATE_WAYS; a new one takes the place
 * of that which was quiet longest.  Who is forgotten begins with full buckets.
 * Threads  any: one lock, held for one lookup.
 */
#ifndef NET_RATE_H
#define NET_RATE_H

#include "base/cleanup.h"
#include "base/span_type.h"

#include <stdint.h>

enum { RATE_SENDERS = 8192, RATE_WAYS = 16 };

enum rate_kind { RATE_REQUESTS, RATE_BYTES, RATE_FAILURES, RATE_KIND_COUNT };

struct rate_limit {
    double per_s; /* 0: no limit */
    double burst;
};

struct rate;

/* NULL: memory is out. */
struct rate *rate_new(const struct rate_limit limits[RATE_KIND_COUNT]);
void rate_free(struct rate *rate);

/* A sender's key out of its name, seeded: no client can choose one that meets
 * another's.
 */
uint64_t rate_key(struct span name);

/* 0: it may go on; else the ns until it may.  Monotonic time. */
int64_t rate_wait_ns(struct rate *rate, uint64_t key, enum rate_kind kind,
                     int64_t now_ns);
void rate_charge(struct rate *rate, uint64_t key, enum rate_kind kind, double amount,
                 int64_t now_ns);
struct rate_stats {
    uint64_t senders;   /* in the table now, RATE_SENDERS at most */
    uint64_t forgotten; /* since the start: another took their place */
};
void rate_stats(struct rate *rate, struct rate_stats *ret);
/* Was it charged lately, so that it still has its place? */
bool rate_knows(struct rate *rate, uint64_t key);

#endif
