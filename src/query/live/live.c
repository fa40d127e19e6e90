/* SPDX-License-Identifier: Apache-2.0 */
/* live - the increments of the last hour, kept as they arrive. */
#include "query/live/live.h"

#include "base/clock.h"
#include "base/hashmap.h"
#include "base/span.h"
#include "query/counters/counters.h"
#include "query/live/live_series.h"

#include <pthread.h>
#include <stdatomic.h>

#define SHARD_COUNT 16
#define KEEP_MS INT64_C(4500000)
#define KEEP_LEAST_MS INT64_C(300000)
#define BYTES_MAX ((size_t)256 << 20)
#define SERIES_OVERHEAD_BYTES 128 /* the map's slot and key, the list's place */
/* Names of servers are never forgotten: all of them have this part of the memory. */
#define SERVERS_PART 16
#define SERVERS_BYTES_LEAST ((size_t)4 << 10) /* a shard */
#define SERVER_OVERHEAD_BYTES 128             /* the map's slot, the list's place */
#define REFRESH_TRIES 3
#define AHEAD_MS INT64_C(7200000) /* rows lie at most an hour in the future */

struct shard {
    pthread_mutex_t lock;
    struct hashmap by_sid; /* sid -> index in list + 1 */
    struct live_series *list;
    size_t count, capacity, hand;
    size_t over;            /* rows taken while the memory was out */
    struct hashmap servers; /* name -> number; 0 is no server */
    struct span *server_list;
    size_t server_count, server_bytes;
};

struct live {
    struct live_opts opts;
    struct shard shards[SHARD_COUNT];
    atomic_size_t bytes, series_count, marked_count;
    _Atomic int64_t keep_ms, complete_from_ms, latest_ms;
    atomic_bool is_warming; /* what is there is not all of it */
    atomic_uint_least64_t rows, late_rows, marked, shortened, lost_rows;
};

/* ---- time ---- */

static int64_t horizon_ms(const struct live *live)
{
    return live->opts.now_ms() - atomic_load(&live->keep_ms);
}

/* Everything after this time is kept. */
static int64_t complete_from_ms(struct live *live)
{
    int64_t from = atomic_load(&live->complete_from_ms);
    int64_t horizon = horizon_ms(live);
    if (from == T_NONE || from >= horizon)
        return from;
    atomic_store(&live->complete_from_ms, horizon);
    return horizon;
}

static void note_latest(struct live *live, int64_t t_ms)
{
    int64_t latest = atomic_load(&live->latest_ms);
    while (t_ms > latest &&
           !atomic_compare_exchange_weak(&live->latest_ms, &latest, t_ms))
        ;
}

/* What may be shown to others. */
static int64_t told_from_ms(struct live *live)
{
    return atomic_load(&live->is_warming) ? T_NONE : complete_from_ms(live);
}

int64_t live_kept_from_ms(struct live *live)
{
    return live->opts.is_alone ? 0 : told_from_ms(live);
}

int64_t live_latest_ms(struct live *live)
{
    int64_t latest = atomic_load(&live->latest_ms);
    int64_t now = live->opts.now_ms();
    return latest > now ? now : latest;
}

/* ---- shards ---- */

static struct span sid_key(const int64_t *sid)
{
    return (struct span){ (const char *)sid, sizeof *sid };
}

static struct shard *shard_of(struct live *live, int64_t sid)
{
    return &live->shards[(uint64_t)sid % SHARD_COUNT];
}

static struct live_series *shard_find(struct shard *shard, int64_t sid)
{
    const uintptr_t *index = hashmap_get(&shard->by_sid, sid_key(&sid));
    return index ? &shard->list[*index - 1] : NULL;
}

static struct span shard_server_name(const struct shard *shard, uint32_t number)
{
    return number ? shard->server_list[number] : (struct span){ 0 };
}

static void count_bytes(struct live *live, size_t before, size_t after)
{
    if (after >= before)
        atomic_fetch_add(&live->bytes, after - before);
    else
        atomic_fetch_sub(&live->bytes, before - after);
}

/* The bytes that one more name takes, or 0: there is no room for it. */
static size_t server_room(const struct live *live, const struct shard *shard,
                          struct span server)
{
    size_t max = live->opts.bytes_max / SERVERS_PART / SHARD_COUNT;
    size_t bytes = 2 * server.size + SERVER_OVERHEAD_BYTES;
    if (max < SERVERS_BYTES_LEAST)
        max = SERVERS_BYTES_LEAST;
    return shard->server_bytes + bytes <= max ? bytes : 0;
}

/* The number of a server's name; 0 for none, and when there is no room for it. */
static uint32_t shard_server(struct live *live, struct shard *shard, struct span server)
{
    if (server.size == 0)
        return 0;
    const uintptr_t *known = hashmap_get(&shard->servers, server);
    if (known)
        return (uint32_t)*known;
    size_t bytes = server_room(live, shard, server);
    if (bytes == 0)
        return 0;
    size_t size = (shard->server_count + 2) * sizeof *shard->server_list;
    struct span *grown = realloc(shard->server_list, size);
    if (!grown)
        return 0;
    shard->server_list = grown;
    char *copy = span_dup(server);
    uintptr_t *number = copy ? hashmap_put(&shard->servers, server, NULL) : NULL;
    if (!number) {
        free(copy);
        return 0;
    }
    *number = ++shard->server_count;
    shard->server_list[*number] = (struct span){ copy, server.size };
    shard->server_bytes += bytes;
    count_bytes(live, 0, bytes);
    return (uint32_t)*number;
}

static void mark(struct live *live, struct live_series *s)
{
    if (s->is_marked || live->opts.is_alone)
        return;
    s->is_marked = true;
    atomic_fetch_add(&live->marked, 1);
    atomic_fetch_add(&live->marked_count, 1);
}

static struct live_series *shard_add(struct live *live, struct shard *shard,
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
    count_bytes(live, 0, live_series_bytes(s) + SERIES_OVERHEAD_BYTES);
    return s;
}

static void shard_remove(struct live *live, struct shard *shard, size_t index)
{
    struct live_series *s = &shard->list[index];
    count_bytes(live, live_series_bytes(s) + SERIES_OVERHEAD_BYTES, 0);
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
static bool shard_prune(struct live *live, struct shard *shard, size_t index)
{
    struct live_series *s = &shard->list[index];
    int64_t horizon = horizon_ms(live);
    size_t before = live_series_bytes(s);
    live_series_prune(s, horizon);
    count_bytes(live, before, live_series_bytes(s));
    if (s->head < s->size || !s->last || s->last->t_ms > horizon)
        return true;
    shard_remove(live, shard, index);
    return false;
}

/* One series a row: the old ones go as new rows come. */
static void shard_sweep(struct live *live, struct shard *shard)
{
    if (shard->count == 0)
        return;
    if (shard->hand >= shard->count)
        shard->hand = 0;
    if (shard_prune(live, shard, shard->hand))
        shard->hand++;
}

/* Memory is out: keep a shorter time. */
static void shorten(struct live *live, struct shard *shard)
{
    int64_t keep = atomic_load(&live->keep_ms);
    if (keep > KEEP_LEAST_MS) {
        keep = keep * 7 / 8;
        atomic_store(&live->keep_ms, keep < KEEP_LEAST_MS ? KEEP_LEAST_MS : keep);
        atomic_fetch_add(&live->shortened, 1);
        (void)complete_from_ms(live);
    }
    for (size_t i = 0; i < shard->count;)
        i += shard_prune(live, shard, i);
}

/* There is room again: keep longer, which fills from now on. */
static void lengthen(struct live *live)
{
    int64_t keep = atomic_load(&live->keep_ms);
    if (keep >= live->opts.keep_ms)
        return;
    keep += keep / 8;
    (void)complete_from_ms(live);
    atomic_store(&live->keep_ms, keep > live->opts.keep_ms ? live->opts.keep_ms : keep);
}

/* ---- taking ---- */

/* The row cannot be kept: nothing up to it is complete any more. */
static void lose_row(struct live *live, struct live_series *s, int64_t t_ms)
{
    atomic_fetch_add(&live->lost_rows, 1);
    if (s)
        mark(live, s);
    int64_t from = atomic_load(&live->complete_from_ms);
    if (from != T_NONE && from < t_ms)
        atomic_store(&live->complete_from_ms, t_ms);
}

/* Can the row be understood from what is known of its series?  Only the last row is:
 * where another server had made that one, the chain of rows is in the database. */
static bool is_understood(struct live *live, struct shard *shard,
                          const struct live_series *s, const struct jobrow *row)
{
    if (live->opts.is_alone)
        return true;
    if (s->last && s->last->server != shard_server(live, shard, row->server))
        return false;
    if (s->last || !increment_needs_before(row))
        return true;
    int64_t from = complete_from_ms(live);
    return from != T_NONE && row->t_ms <= from;
}

/* before: the row that row goes on from, or NULL. */
static int push_row(struct live *live, struct shard *shard, struct live_series *s,
                    const struct jobrow *before, const struct jobrow *row)
{
    struct increment inc;
    uint32_t server = shard_server(live, shard, row->server);
    if (row->server.size && !server)
        return -EAGAIN; /* its owner is unknown here: the database knows it */
    if (!s->last)
        s->base_ms = row->t_ms;
    increment_between(before, row, &inc);
    int rc = live_series_push(s, &inc, server);
    return rc < 0 ? rc : live_series_set_last(s, row, server);
}

static int push_next_row(struct live *live, struct shard *shard, struct live_series *s,
                         const struct jobrow *row)
{
    if (!s->last)
        return push_row(live, shard, s, NULL, row);
    struct jobrow before;
    live_series_last(s, &before);
    before.server = shard_server_name(shard, s->last->server);
    return push_row(live, shard, s, &before, row);
}

/* A row older than the newest: it matters unless it lies before all that is kept. */
static void take_late(struct live *live, struct live_series *s,
                      const struct jobrow *row)
{
    if (row->t_ms == s->last->t_ms)
        return; /* read from the database before it was announced */
    atomic_fetch_add(&live->late_rows, 1);
    int64_t from = complete_from_ms(live);
    if (from == T_NONE || row->t_ms > s->base_ms || s->base_ms > from)
        mark(live, s);
}

static void take_row(struct live *live, struct shard *shard,
                     const struct series *series, const struct jobrow *row)
{
    struct live_series *s = shard_find(shard, series->sid);
    size_t bytes = atomic_load(&live->bytes), bytes_max = live->opts.bytes_max;
    if (!s && bytes <= bytes_max)
        s = shard_add(live, shard, series);
    bool has_server = !row->server.size || shard_server(live, shard, row->server);
    if (!s || !has_server || bytes > bytes_max + bytes_max / 4) {
        lose_row(live, s, row->t_ms);
        return;
    }
    s->version++;
    if (s->last && row->t_ms <= s->last->t_ms) {
        take_late(live, s, row);
        return;
    }
    if (!is_understood(live, shard, s, row))
        mark(live, s);
    size_t before = live_series_bytes(s);
    int rc = s->is_marked
                 ? live_series_set_last(s, row, shard_server(live, shard, row->server))
                 : push_next_row(live, shard, s, row);
    count_bytes(live, before, live_series_bytes(s));
    if (rc < 0)
        lose_row(live, s, row->t_ms);
}

void live_taken(void *arg, const struct series *series, const struct jobrow *row)
{
    struct live *live = arg;
    struct shard *shard = shard_of(live, series->sid);
    LOCKED(&shard->lock);
    atomic_fetch_add(&live->rows, 1);
    note_latest(live, row->t_ms);
    take_row(live, shard, series, row);
    shard_sweep(live, shard);
    size_t bytes = atomic_load(&live->bytes);
    /* Going over the whole shard is for every so many rows only. */
    if (bytes > live->opts.bytes_max && ++shard->over % (shard->count / 4 + 4) == 0)
        shorten(live, shard);
    else if (shard->hand == 0 && bytes < live->opts.bytes_max / 2)
        lengthen(live);
}

void live_doubt(struct live *live, int64_t t_ms)
{
    int64_t from = atomic_load(&live->complete_from_ms);
    if (from != T_NONE && from < t_ms)
        atomic_store(&live->complete_from_ms, t_ms);
    for (size_t i = 0; i < SHARD_COUNT; i++) {
        struct shard *shard = &live->shards[i];
        LOCKED(&shard->lock);
        while (shard->count)
            shard_remove(live, shard, shard->count - 1);
    }
}

static int warm_row(void *arg, const struct series *series, const struct jobrow *row)
{
    live_taken(arg, series, row);
    return 0;
}

int live_warm(struct live *live, const struct history *history, int64_t now_ms,
              struct err *err)
{
    int64_t from_ms = now_ms - atomic_load(&live->keep_ms);
    atomic_store(&live->is_warming, true);
    atomic_store(&live->complete_from_ms, from_ms);
    int rc = 0;
    for (enum target_kind kind = 0; rc >= 0 && kind < TARGET_KIND_COUNT; kind++) {
        struct row_range range = { .kind = kind,
                                   .from_ms = from_ms,
                                   .to_ms = now_ms + AHEAD_MS,
                                   .with_before = true };
        rc = history_walk(history, &range, NULL, warm_row, live, err);
    }
    if (rc < 0)
        atomic_store(&live->complete_from_ms, T_NONE);
    atomic_store(&live->is_warming, false);
    return rc < 0 ? rc : 0;
}

/* ---- reading marked series again ---- */

struct marked {
    int64_t sid;
    uint64_t version;
};

struct marked_list {
    struct marked *items;
    size_t count, capacity;
};

static void marked_list_done(struct marked_list *list)
{
    free(list->items);
}
DEFINE_AUTO_DONE(struct marked_list, marked_list_done);

static int list_marked(struct live *live, enum target_kind kind,
                       const struct selection *sel, struct marked_list *list)
{
    for (size_t i = 0; i < SHARD_COUNT; i++) {
        struct shard *shard = &live->shards[i];
        LOCKED(&shard->lock);
        for (size_t k = 0; k < shard->count; k++) {
            const struct live_series *s = &shard->list[k];
            if (!s->is_marked || s->series.kind != kind ||
                !selection_has(sel, &s->series))
                continue;
            if (list->count == list->capacity) {
                size_t capacity = list->capacity ? list->capacity * 2 : 64;
                struct marked *grown = realloc(list->items, capacity * sizeof *grown);
                if (!grown)
                    return -ENOMEM;
                list->items = grown;
                list->capacity = capacity;
            }
            list->items[list->count++] = (struct marked){ s->series.sid, s->version };
        }
    }
    return 0;
}

static int compare_marked(const void *a, const void *b)
{
    const struct marked *x = a, *y = b;
    return (x->sid > y->sid) - (x->sid < y->sid);
}

struct rebuilding {
    struct live *live;
    const struct marked_list *list;
    struct live_series fresh;
    struct chain chain; /* of its rows */
    bool has_fresh;
};

/* Put the series that was read in place of the marked one, unless a row came since. */
static void rebuilt_install(struct rebuilding *r)
{
    if (!r->has_fresh)
        return;
    r->has_fresh = false;
    struct live_series *fresh = &r->fresh;
    struct marked key = { .sid = fresh->series.sid };
    const struct marked *noted = bsearch(&key, r->list->items, r->list->count,
                                         sizeof *r->list->items, compare_marked);
    struct shard *shard = shard_of(r->live, key.sid);
    LOCKED(&shard->lock);
    struct live_series *s = shard_find(shard, key.sid);
    if (!s || !noted || s->version != noted->version || !s->is_marked) {
        live_series_done(fresh);
        return;
    }
    fresh->version = s->version;
    count_bytes(r->live, live_series_bytes(s), live_series_bytes(fresh));
    live_series_done(s);
    *s = *fresh;
    *fresh = (struct live_series){ 0 };
    atomic_fetch_sub(&r->live->marked_count, 1);
}

static int rebuild_row(void *arg, const struct series *series, const struct jobrow *row)
{
    struct rebuilding *r = arg;
    if (r->has_fresh && r->fresh.series.sid != series->sid)
        rebuilt_install(r);
    if (!r->has_fresh) {
        int rc = live_series_init(&r->fresh, series);
        if (rc < 0)
            return rc;
        r->fresh.base_ms = T_NONE;
        chain_clear(&r->chain);
        r->has_fresh = true;
    }
    struct shard *shard = shard_of(r->live, series->sid);
    LOCKED(&shard->lock); /* the servers' names are the shard's */
    int rc = push_row(r->live, shard, &r->fresh, chain_before(&r->chain, row), row);
    chain_add(&r->chain, row);
    return rc;
}

static int refresh_kind(struct live *live, const struct history *history,
                        enum target_kind kind, const struct selection *sel,
                        struct err *err)
{
    AUTO(marked_list_done) struct marked_list list = { 0 };
    int rc = list_marked(live, kind, sel, &list);
    if (rc < 0 || list.count == 0)
        return rc;
    qsort(list.items, list.count, sizeof *list.items, compare_marked);
    AUTO_FREE int64_t *sids = calloc(list.count, sizeof *sids);
    if (!sids)
        return -ENOMEM;
    for (size_t i = 0; i < list.count; i++)
        sids[i] = list.items[i].sid;
    struct row_range range = { .kind = kind,
                               .from_ms = complete_from_ms(live),
                               .to_ms = live->opts.now_ms() + AHEAD_MS,
                               .sids = sids,
                               .sid_count = list.count,
                               .with_before = true };
    struct rebuilding r = { .live = live, .list = &list };
    rc = history_walk(history, &range, NULL, rebuild_row, &r, err);
    if (rc >= 0)
        rebuilt_install(&r);
    else if (r.has_fresh)
        live_series_done(&r.fresh);
    return rc;
}

static int refresh(struct live *live, const struct history *history,
                   const struct selection *sel, struct err *err)
{
    int rc = 0;
    for (int try = 0; try < REFRESH_TRIES && atomic_load(&live->marked_count); try++)
        for (enum target_kind kind = 0; rc >= 0 && kind < TARGET_KIND_COUNT; kind++)
            rc = refresh_kind(live, history, kind, sel, err);
    return rc;
}

/* ---- answering ---- */

static void accumulator_live_series(const struct shard *shard,
                                    const struct live_series *s, int64_t reach_ms,
                                    struct accumulator *accumulator)
{
    struct increment inc;
    uint32_t server = 0;
    size_t at = s->head;
    accumulator_series(accumulator, &s->series);
    while (live_series_next(s, &at, reach_ms, &inc, &server))
        accumulator_add(accumulator, shard_server_name(shard, server), &inc);
}

static int accumulator_shard(struct shard *shard, const struct selection *sel,
                             struct accumulator *accumulator)
{
    int64_t reach_ms = selection_reach_ms(sel);
    LOCKED(&shard->lock);
    for (size_t i = 0; i < shard->count; i++) {
        const struct live_series *s = &shard->list[i];
        bool is_idle = s->head == s->size || (s->last && s->last->t_ms <= reach_ms);
        if ((is_idle && !s->is_marked) || !selection_has(sel, &s->series))
            continue;
        if (s->is_marked)
            return -EAGAIN;
        accumulator_live_series(shard, s, reach_ms, accumulator);
    }
    return 0;
}

int live_accumulate(struct live *live, const struct history *history,
                    const struct selection *sel, struct accumulator *accumulator,
                    struct err *err)
{
    int64_t from = live_kept_from_ms(live);
    if (!live->opts.is_alone && (from == T_NONE || selection_reach_ms(sel) < from))
        return err_set(err, ERANGE, "not kept in memory for so long");
    int rc = history ? refresh(live, history, sel, err) : 0;
    for (size_t i = 0; rc >= 0 && i < SHARD_COUNT; i++)
        rc = accumulator_shard(&live->shards[i], sel, accumulator);
    return rc < 0 ? rc : 0;
}

/* ---- making ---- */

int live_new(const struct live_opts *opts, struct live **ret)
{
    struct live *live = calloc(1, sizeof *live);
    if (!live)
        return -ENOMEM;
    live->opts = *opts;
    if (live->opts.keep_ms == 0)
        live->opts.keep_ms = KEEP_MS;
    if (live->opts.bytes_max == 0)
        live->opts.bytes_max = BYTES_MAX;
    if (!live->opts.now_ms)
        live->opts.now_ms = clock_now_ms;
    atomic_store(&live->keep_ms, live->opts.keep_ms);
    atomic_store(&live->complete_from_ms, T_NONE);
    atomic_store(&live->latest_ms, T_NONE);
    for (size_t i = 0; i < SHARD_COUNT; i++)
        (void)pthread_mutex_init(&live->shards[i].lock, NULL);
    *ret = live;
    return 0;
}

static void shard_done(struct shard *shard)
{
    for (size_t i = 0; i < shard->count; i++)
        live_series_done(&shard->list[i]);
    for (size_t i = 1; i <= shard->server_count; i++)
        free((char *)(uintptr_t)shard->server_list[i].data);
    free(shard->list);
    free(shard->server_list);
    hashmap_done(&shard->by_sid);
    hashmap_done(&shard->servers);
    (void)pthread_mutex_destroy(&shard->lock);
}

void live_free(struct live *live)
{
    if (!live)
        return;
    for (size_t i = 0; i < SHARD_COUNT; i++)
        shard_done(&live->shards[i]);
    free(live);
}

void live_get_stats(struct live *live, struct live_stats *ret)
{
    *ret = (struct live_stats){
        .rows = atomic_load(&live->rows),
        .late_rows = atomic_load(&live->late_rows),
        .marked = atomic_load(&live->marked),
        .shortened = atomic_load(&live->shortened),
        .lost_rows = atomic_load(&live->lost_rows),
        .series = atomic_load(&live->series_count),
        .bytes = atomic_load(&live->bytes),
        .kept_from_ms = told_from_ms(live),
    };
}
