/* SPDX-License-Identifier: Apache-2.0 */
/* live_shard - a part of the series, under one lock: rows become increments; private to
 * live.
 *
 * Threads  one at a time, under the shard's lock.
 */
#ifndef QUERY_LIVE_LIVE_SHARD_H
#define QUERY_LIVE_LIVE_SHARD_H

#include "query/live/live_private.h"

static inline struct live_shard *live_shard_of(struct live *live, int64_t sid)
{
    return &live->shards[(uint64_t)sid % LIVE_SHARD_COUNT];
}

/* NULL: it has none of that number.  Valid until the shard changes. */
struct live_series *live_shard_find(struct live_shard *shard, int64_t sid);
/* A series without rows; NULL: out of memory. */
struct live_series *live_shard_add(struct live *live, struct live_shard *shard,
                                   const struct series *series);
void live_shard_remove(struct live *live, struct live_shard *shard, size_t index);

/* The number of a server's name; 0 for none, and when there is no memory for it. */
uint32_t live_shard_server(struct live *live, struct live_shard *shard,
                           struct span server);
/* data NULL: of number 0. */
struct span live_shard_server_name(const struct live_shard *shard, uint32_t number);

/* Add a row to s, of this shard or to be put into it; before: the row that it goes on
 * from, or NULL.  Errors: -EAGAIN (no memory for the name of its server), -ENOMEM. */
int live_shard_push(struct live *live, struct live_shard *shard, struct live_series *s,
                    const struct jobrow *before, const struct jobrow *row);
/* The same of a row that lies before what is stored: only later ones go on from it. */
int live_shard_pass(struct live *live, struct live_shard *shard, struct live_series *s,
                    const struct jobrow *row);
/* The series is to be read from the database, where there is one. */
void live_mark(struct live *live, struct live_series *s);

/* Drop what is too old of one series, another with each call. */
void live_shard_sweep(struct live *live, struct live_shard *shard);
/* Memory is out: shorten the window, and drop what is too old of every series. */
void live_shard_shorten(struct live *live, struct live_shard *shard);

/* Something that took so many bytes takes so many now. */
void live_count_bytes(struct live *live, size_t before, size_t after);

void live_shard_done(struct live_shard *shard);

#endif
