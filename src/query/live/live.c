/* SPDX-License-Identifier: Apache-2.0 */
/* live - the increments of the last day, stored as they arrive. */
#include "query/live/live.h"

#include "base/clock.h"
#include "base/span.h"
#include "query/counters/counters.h"
#include "query/live/live_refresh.h"
#include "query/live/live_shard.h"
#include "query/live/live_window.h"

/* So much is read at a start, however many rows it is; a longer window is read where it
 * is few, 5 us a row, and otherwise fills as rows arrive. */
#define WINDOW_MS INT64_C(4500000)
#define WARM_ROWS_MAX 500000
#define BYTES_MAX ((size_t)256 << 20)

int64_t live_stored_from_ms(struct live *live)
{
    return live->opts.is_alone ? 0 : live_shown_from_ms(live);
}

int64_t live_latest_ms(struct live *live)
{
    int64_t latest = atomic_load(&live->latest_ms);
    int64_t now = live->opts.now_ms();
    return latest > now ? now : latest;
}

/* ---- accepting rows ---- */

/* The row cannot be stored: nothing up to it is complete any more. */
static void live_lose_row(struct live *live, struct live_series *s, int64_t t_ms)
{
    atomic_fetch_add(&live->lost_rows, 1);
    if (s)
        live_mark(live, s);
    int64_t from = atomic_load(&live->complete_from_ms);
    if (from != T_NONE && from < t_ms)
        atomic_store(&live->complete_from_ms, t_ms);
}

/* Can the row be understood from what is known of its series?  Only the last row is,
 * or that none came since: what follows another one has its chain in the database. */
static bool is_understood(struct live *live, struct live_shard *shard,
                          const struct live_series *s, const struct jobrow *row)
{
    if (live->opts.is_alone)
        return true;
    int64_t from = live_complete_from_ms(live);
    if (!s->last) /* what lies before from is read in the order of time */
        return (from != T_NONE && row->t_ms <= from) ||
               chain_is_sure_behind(NULL, from, row);
    const struct jobrow last = { .t_ms = s->last->t_ms };
    bool is_own = s->last->server == live_shard_server(live, shard, row->server);
    return chain_is_sure_behind(is_own ? &last : NULL, last.t_ms, row);
}

static int push_next_row(struct live *live, struct live_shard *shard,
                         struct live_series *s, const struct jobrow *row)
{
    if (!s->last)
        return live_shard_push(live, shard, s, NULL, row);
    struct jobrow before;
    live_series_last(s, &before);
    before.server = live_shard_server_name(shard, s->last->server);
    return live_shard_push(live, shard, s,
                           chain_is_in_reach(&before, row) ? &before : NULL, row);
}

/* A row older than the newest: it matters unless it lies before all that anything
 * stored goes on from. */
static void live_accept_late(struct live *live, struct live_series *s,
                             const struct jobrow *row)
{
    if (row->t_ms == s->last->t_ms)
        return; /* read from the database before it was announced */
    atomic_fetch_add(&live->late_rows, 1);
    int64_t from = live_complete_from_ms(live);
    if (from == T_NONE || row->t_ms > s->base_ms || s->base_ms > chain_from_ms(from))
        live_mark(live, s);
}

/* Of a series that has nothing in memory: what follows it is read from the database. */
static bool is_before_all(struct live *live, const struct jobrow *row)
{
    int64_t from = live_complete_from_ms(live);
    return !live->opts.is_alone && !atomic_load(&live->is_warming) && from != T_NONE &&
           row->t_ms <= from;
}

static void note_order(struct live_series *s, const struct jobrow *row, uint64_t number)
{
    if (s->last && rollup_hour_of(s->last->t_ms) != rollup_hour_of(row->t_ms))
        s->hour_row = s->last_row;
    s->last_row = number;
}

static void live_accept_row(struct live *live, struct live_shard *shard,
                            const struct series *series, const struct jobrow *row,
                            uint64_t number)
{
    struct live_series *s = live_shard_find(shard, series->sid);
    size_t bytes = atomic_load(&live->bytes), bytes_max = live->opts.bytes_max;
    bool is_old = !s && is_before_all(live, row);
    if (!s && !is_old && bytes <= bytes_max)
        s = live_shard_add(live, shard, series);
    uint32_t server = live_shard_server(live, shard, row->server);
    bool has_server = !row->server.size || server;
    if (server)
        round_note_row(&shard->rounds[server], row);
    if (is_old)
        return;
    if (!s || !has_server || bytes > bytes_max + bytes_max / 4) {
        live_lose_row(live, s, row->t_ms);
        return;
    }
    s->version++;
    if (s->last && row->t_ms <= s->last->t_ms) {
        live_accept_late(live, s, row);
        return;
    }
    note_order(s, row, number);
    if (!is_understood(live, shard, s, row))
        live_mark(live, s);
    size_t before = live_series_bytes(s);
    int rc = s->is_marked ? live_series_set_last(s, row, server)
                          : push_next_row(live, shard, s, row);
    live_count_bytes(live, before, live_series_bytes(s));
    if (rc < 0)
        live_lose_row(live, s, row->t_ms);
}

void live_accept(void *arg, const struct series *series, const struct jobrow *row)
{
    struct live *live = arg;
    struct live_shard *shard = live_shard_of(live, series->sid);
    LOCKED(&shard->lock);
    uint64_t number = atomic_fetch_add(&live->rows, 1) + 1;
    live_note_latest(live, row->t_ms);
    live_accept_row(live, shard, series, row, number);
    live_shard_sweep(live, shard);
    size_t bytes = atomic_load(&live->bytes);
    /* Going over the whole shard is for every so many rows only. */
    if (bytes > live->opts.bytes_max && ++shard->over % (shard->count / 4 + 4) == 0)
        live_shard_shorten(live, shard);
    else if (shard->hand == 0 && bytes < live->opts.bytes_max / 2)
        live_window_lengthen(live);
}

static void live_forget(struct live *live)
{
    for (size_t i = 0; i < LIVE_SHARD_COUNT; i++) {
        struct live_shard *shard = &live->shards[i];
        LOCKED(&shard->lock);
        while (shard->count)
            live_shard_remove(live, shard, shard->count - 1);
    }
}

void live_doubt(struct live *live, int64_t t_ms)
{
    int64_t from = atomic_load(&live->complete_from_ms);
    if (from != T_NONE && from < t_ms)
        atomic_store(&live->complete_from_ms, t_ms);
    live_forget(live);
}

struct warming {
    struct live *live;
    uint64_t rows, rows_max;
};

static int warm_row(void *arg, const struct series *series, const struct jobrow *row)
{
    struct warming *w = arg;
    if (w->rows++ == w->rows_max)
        return -E2BIG;
    live_accept(w->live, series, row);
    return 0;
}

static int warm_from(struct live *live, const struct history *history, int64_t from_ms,
                     int64_t now_ms, uint64_t rows_max, struct err *err)
{
    struct warming w = { live, 0, rows_max };
    atomic_store(&live->complete_from_ms, from_ms);
    int rc = 0;
    for (enum target_kind kind = 0; rc >= 0 && kind < TARGET_KIND_COUNT; kind++) {
        struct row_range range = { .kind = kind,
                                   .from_ms = from_ms,
                                   .to_ms = now_ms + LIVE_AHEAD_MS,
                                   .with_before = true };
        rc = history_walk(history, &range, NULL, warm_row, &w, err);
    }
    return rc < 0 ? rc : 0;
}

int live_warm(struct live *live, const struct history *history, int64_t now_ms,
              struct err *err)
{
    int64_t window_ms = atomic_load(&live->window_ms);
    bool is_short = window_ms <= WINDOW_MS;
    atomic_store(&live->is_warming, true);
    int rc = warm_from(live, history, now_ms - window_ms, now_ms,
                       is_short ? UINT64_MAX : live->opts.warm_rows_max, err);
    if (rc == -E2BIG && !is_short) {
        live_forget(live);
        rc = warm_from(live, history, now_ms - WINDOW_MS, now_ms, UINT64_MAX, err);
    }
    if (rc < 0)
        atomic_store(&live->complete_from_ms, T_NONE);
    atomic_store(&live->is_warming, false);
    return rc < 0 ? rc : 0;
}

/* ---- rounds ---- */

int live_add_rounds(struct live *live, struct rounds *rounds)
{
    int rc = 0;
    rounds->is_whole = live->opts.is_alone;
    for (size_t i = 0; rc == 0 && i < LIVE_SHARD_COUNT; i++) {
        struct live_shard *shard = &live->shards[i];
        LOCKED(&shard->lock);
        for (size_t n = 1; rc == 0 && n <= shard->server_count; n++)
            rc = rounds_add(rounds, shard->server_list[n], &shard->rounds[n]);
    }
    return rc;
}

/* ---- making ---- */

int live_new(const struct live_opts *opts, struct live **ret)
{
    struct live *live = calloc(1, sizeof *live);
    if (!live)
        return -ENOMEM;
    live->opts = *opts;
    if (live->opts.window_ms == 0)
        live->opts.window_ms = WINDOW_MS;
    if (live->opts.warm_rows_max == 0)
        live->opts.warm_rows_max = WARM_ROWS_MAX;
    if (live->opts.bytes_max == 0)
        live->opts.bytes_max = BYTES_MAX;
    if (!live->opts.now_ms)
        live->opts.now_ms = clock_now_ms;
    atomic_store(&live->window_ms, live->opts.window_ms);
    atomic_store(&live->complete_from_ms, T_NONE);
    atomic_store(&live->latest_ms, T_NONE);
    for (size_t i = 0; i < LIVE_SHARD_COUNT; i++)
        (void)pthread_mutex_init(&live->shards[i].lock, NULL);
    *ret = live;
    return 0;
}

void live_free(struct live *live)
{
    if (!live)
        return;
    for (size_t i = 0; i < LIVE_SHARD_COUNT; i++)
        live_shard_done(&live->shards[i]);
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
        .stored_from_ms = live_shown_from_ms(live),
    };
}
