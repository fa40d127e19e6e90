/* SPDX-License-Identifier: Apache-2.0 */
/* live_private - what the files of live share: the table, its shards, its limits;
 * private to them.
 *
 *     live ─▶ live_refresh ─▶ live_shard ─▶ live_window
 *
 * Threads  a shard under its lock; atomics any.
 */
#ifndef QUERY_LIVE_LIVE_PRIVATE_H
#define QUERY_LIVE_LIVE_PRIVATE_H

#include "base/hashmap.h"
#include "query/live/live.h"
#include "query/live/live_series.h"

#include <pthread.h>
#include <stdatomic.h>

#define LIVE_SHARD_COUNT 16
#define LIVE_AHEAD_MS INT64_C(7200000) /* rows lie at most an hour in the future */

struct live_shard {
    pthread_mutex_t lock;
    struct hashmap by_sid; /* sid -> index in list + 1 */
    struct live_series *list;
    size_t count, capacity, hand;
    size_t over;            /* rows accepted while the memory was out */
    struct hashmap servers; /* name -> number; 0 is no server */
    struct span *server_list;
    struct round *rounds; /* by number, as server_list; 0 is not used */
    size_t server_count, server_bytes;
};

struct live {
    struct live_opts opts;
    struct live_shard shards[LIVE_SHARD_COUNT];
    atomic_size_t bytes, series_count, marked_count;
    _Atomic int64_t window_ms, complete_from_ms, latest_ms;
    atomic_bool is_warming; /* what is there is not all of it */
    atomic_uint_least64_t rows, late_rows, marked, shortened, lost_rows;
    atomic_uint_least64_t stores_begun, stores_ended;
    atomic_uint_least64_t early_rows; /* times that rows may be here before announced */
};

#endif
