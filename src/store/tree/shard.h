/* SPDX-License-Identifier: Apache-2.0 */
/* shard - the part of the store that one mutex guards: a tree of levels, its memory.
 *
 * All series of a host belong to one shard (shard_of()), so that a request touches one.
 * Writers lock it for a batch: shard_lock(), shard_series() and shard_put() as often as
 * need be, shard_unlock().  Readers stand between shard_enter() and shard_leave() and
 * take no lock.  A sample that finds its series known costs no allocation but now and
 * then that of a head.
 */
#ifndef STORE_TREE_SHARD_H
#define STORE_TREE_SHARD_H

#include "base/cleanup.h"
#include "store/tree/level.h"

struct shard;

struct shard_options {
    size_t series_max;            /* past it new series are refused, known ones go on */
    int64_t retention_ns;         /* of history in memory; 0: all */
    uint16_t index;               /* of this shard */
    struct epoch *epoch;          /* shared with other shards; NULL: its own */
    _Atomic size_t *series_total; /* likewise; series_max counts it then */
    /* Whether a host (cluster/host) is exempt from the retention; called under the
     * lock. */
    bool (*is_exempt)(void *arg, struct span host); /* NULL: none does */
    void *is_exempt_arg;
};

struct shard_status {
    struct series_counts samples;
    size_t series_count;
    size_t level_count;
    uint64_t used_bytes;
    uint64_t slab_bytes;
    uint64_t reused_count;
    uint64_t released_slots;
};

/* Errors: -ENOMEM. */
int shard_new(const struct shard_options *options, struct shard **ret);
void shard_free(struct shard *shard); /* no reader or writer may be inside */
DEFINE_AUTO(struct shard, shard_free);

/* Which of count shards a component's path belongs to: by its cluster and host. */
size_t shard_of(struct span path, uint64_t seed, size_t count);
/* Samples before this are refused. */
int64_t shard_oldest(const struct shard *shard, int64_t now_ns);

void shard_lock(struct shard *shard);
void shard_unlock(struct shard *shard);
/* For a thread that locks it over and over, between two locks: for a few milliseconds
 * at most, threads that wait for it come first. */
void shard_let_in(struct shard *shard);

/* Under the lock.  Find or make the series of a metric at a path; it stays where it is
 * as long as the shard lives.
 * Errors: -EINVAL (the path), -ENOSPC (series_max), -ENOMEM. */
int shard_series(struct shard *shard, struct span path, uint32_t metric,
                 int64_t step_ns, struct metric_series **ret);
/* The same, with its level. */
int shard_level_series(struct shard *shard, struct span path, uint32_t metric,
                       int64_t step_ns, struct level_series **ret);
/* Under the lock; now_ns says what is too old.  Errors: as series_put(). */
int shard_put(struct shard *shard, struct metric_series *series, int64_t now_ns,
              int64_t t_ns, double value);

/* Under the lock.  The log up to this record is in memory, and nothing after it. */
void shard_set_applied(struct shard *shard, uint64_t sequence);
uint64_t shard_applied(const struct shard *shard);
/* A log's sample again: however old it is.  Under the lock. */
int shard_replay(struct shard *shard, struct metric_series *series, int64_t t_ns,
                 double value);
/* For restoring series, which no limit refuses. */
void shard_set_series_max(struct shard *shard, size_t series_max);
/* Under the lock: for code that builds and changes series itself. */
struct memory *shard_memory(struct shard *shard);

/* Readers; see series_read() and level_find(). */
unsigned shard_enter(struct shard *shard);
void shard_leave(struct shard *shard, unsigned reader);
const struct level_tree *shard_tree(const struct shard *shard);

/* Let history go that is older than the retention.  Takes the lock for a few hundred
 * series at a time, so that writers wait for microseconds.  Returns how many slots
 * went. Threads  one at a time. */
size_t shard_retain(struct shard *shard, int64_t now_ns);
/* Likewise what is older than t_ns at and below path. */
size_t shard_release(struct shard *shard, struct span path, int64_t t_ns);

void shard_status(struct shard *shard, struct shard_status *ret);

#endif
