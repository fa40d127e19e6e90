/* SPDX-License-Identifier: Apache-2.0 */
/* live_shard - a part of the series, under one lock: rows become increments. */
#include "query/live/live_shard.h"

#include "base/span.h"
#include "query/live/live_window.h"

#define SERIES_OVERHEAD_BYTES 128 /* the map's slot and key, the list's place */
/* Names of servers are never forgotten: all of them have this part of the memory. */
#define SERVERS_PART 16
#define SERVERS_BYTES_LEAST ((size_t)4 << 10) /* a shard */
#define SERVER_OVERHEAD_BYTES 128             /* the map's slot, the list's place */

static struct span sid_key(const int64_t *sid)
{
    return (struct span){ (const char *)sid, sizeof *sid };
}

struct live_series *live_shard_find(struct live_shard *shard, int64_t sid)
{
    const uintptr_t *index = hashmap_get(&shard->by_sid, sid_key(&sid));
    return index ? &shard->list[*index - 1] : NULL;
}

struct span live_shard_server_name(const struct live_shard *shard, uint32_t number)
{
    return number ? shard->server_list[number] : (struct span){ 0 };
}

void live_count_bytes(struct live *live, size_t before, size_t after)
{
    if (after >= before)
        atomic_fetch_add(&live->bytes, after - before);
    else
        atomic_fetch_sub(&live->bytes, before - after);
}

/* The bytes that one more name takes, or 0: there is no room for it. */
static size_t server_room(const struct live *live, const struct live_shard *shard,
                          struct span server)
{
    size_t max = live->opts.bytes_max / SERVERS_PART / LIVE_SHARD_COUNT;
    size_t bytes = 2 * server.size + SERVER_OVERHEAD_BYTES;
    if (max < SERVERS_BYTES_LEAST)
        max = SERVERS_BYTES_LEAST;
    return shard->server_bytes + bytes <= max ? bytes : 0;
}

/* The number of a server's name; 0 for none, and when there is no room for it. */
uint32_t live_shard_server(struct live *live, struct live_shard *shard,
                           struct span server)
{
    if (server.size == 0)
        return 0;
    const uintptr_t *known = hashmap_get(&shard->servers, server);
    if (known)
        return (uint32_t)*known;
    size_t bytes = server_room(live, shard, server);
    if (bytes == 0)
        return 0;
    size_t count = shard->server_count + 2;
    struct span *grown = realloc(shard->server_list, count * sizeof *grown);
    if (!grown)
        return 0;
    shard->server_list = grown;
    struct round *rounds = realloc(shard->rounds, count * sizeof *rounds);
    if (!rounds)
        return 0;
    shard->rounds = rounds;
    char *copy = span_dup(server);
    uintptr_t *number = copy ? hashmap_put(&shard->servers, server, NULL) : NULL;
    if (!number) {
        free(copy);
        return 0;
    }
    *number = ++shard->server_count;
    shard->server_list[*number] = (struct span){ copy, server.size };
    shard->rounds[*number] = (struct round){ 0 };
    shard->server_bytes += bytes;
    live_count_bytes(live, 0, bytes);
    return (uint32_t)*number;
}

void live_mark(struct live *live, struct live_series *s)
{
    if (s->is_marked || live->opts.is_alone)
        return;
    s->is_marked = true;
    atomic_fetch_add(&live->marked, 1);
    atomic_fetch_add(&live->marked_count, 1);
}

struct live_series *live_shard_add(struct live *live, struct live_shard *shard,
                                   const struct series *series)
{
    if (shard->count == shard->capacity) {
        size_t capacity = shard->capacity ? shard->capacity * 2 : 64;
        struct live_series *grown = realloc(shard->list, capacity * sizeof *grown);
        if (!grown)
            return NULL;
        shard->list = grown;
        shard->capacity = capacity;
    }
    struct live_series *s = &shard->list[shard->count];
    if (live_series_init(s, series) < 0)
        return NULL;
    uintptr_t *index = hashmap_put(&shard->by_sid, sid_key(&series->sid), NULL);
    if (!index) {
        live_series_done(s);
        return NULL;
    }
    *index = ++shard->count;
    s->base_ms = T_NONE;
    atomic_fetch_add(&live->series_count, 1);
    live_count_bytes(live, 0, live_series_bytes(s) + SERIES_OVERHEAD_BYTES);
    return s;
}

void live_shard_remove(struct live *live, struct live_shard *shard, size_t index)
{
    struct live_series *s = &shard->list[index];
    live_count_bytes(live, live_series_bytes(s) + SERIES_OVERHEAD_BYTES, 0);
    atomic_fetch_sub(&live->series_count, 1);
    if (s->is_marked)
        atomic_fetch_sub(&live->marked_count, 1);
    (void)hashmap_remove(&shard->by_sid, sid_key(&s->series.sid));
    live_series_done(s);
    if (index == --shard->count)
        return;
    *s = shard->list[shard->count];
    *hashmap_get(&shard->by_sid, sid_key(&s->series.sid)) = index + 1;
}

/* Forget what is too old of the series at index; false: the series itself went. */
static bool live_shard_prune(struct live *live, struct live_shard *shard, size_t index)
{
    struct live_series *s = &shard->list[index];
    int64_t horizon = live_horizon_ms(live);
    size_t before = live_series_bytes(s);
    live_series_prune(s, horizon);
    live_count_bytes(live, before, live_series_bytes(s));
    if (s->head < s->size || !s->last || s->last->t_ms > horizon)
        return true;
    live_shard_remove(live, shard, index);
    return false;
}

/* One series a row: the old ones go as new rows come. */
void live_shard_sweep(struct live *live, struct live_shard *shard)
{
    if (shard->count == 0)
        return;
    if (shard->hand >= shard->count)
        shard->hand = 0;
    if (live_shard_prune(live, shard, shard->hand))
        shard->hand++;
}

void live_shard_shorten(struct live *live, struct live_shard *shard)
{
    live_window_shorten(live);
    for (size_t i = 0; i < shard->count;)
        i += live_shard_prune(live, shard, i);
}

/* before: the row that row goes on from, or NULL. */
int live_shard_push(struct live *live, struct live_shard *shard, struct live_series *s,
                    const struct jobrow *before, const struct jobrow *row)
{
    struct increment inc;
    uint32_t server = live_shard_server(live, shard, row->server);
    if (row->server.size && !server)
        return -EAGAIN; /* its owner is unknown here: the database knows it */
    if (!s->last)
        s->base_ms = row->t_ms;
    increment_between(before, row, &inc);
    int rc = live_series_push(s, &inc, server);
    return rc < 0 ? rc : live_series_set_last(s, row, server);
}

int live_shard_pass(struct live *live, struct live_shard *shard, struct live_series *s,
                    const struct jobrow *row)
{
    uint32_t server = live_shard_server(live, shard, row->server);
    if (row->server.size && !server)
        return -EAGAIN;
    if (!s->last)
        s->base_ms = row->t_ms;
    return live_series_set_last(s, row, server);
}

void live_shard_done(struct live_shard *shard)
{
    for (size_t i = 0; i < shard->count; i++)
        live_series_done(&shard->list[i]);
    for (size_t i = 1; i <= shard->server_count; i++)
        free((char *)(uintptr_t)shard->server_list[i].data);
    free(shard->list);
    free(shard->server_list);
    free(shard->rounds);
    hashmap_done(&shard->by_sid);
    hashmap_done(&shard->servers);
    (void)pthread_mutex_destroy(&shard->lock);
}
