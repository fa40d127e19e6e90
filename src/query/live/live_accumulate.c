/* SPDX-License-Identifier: Apache-2.0 */
/* live_accumulate - increments in memory added up, alone or behind what was read of the
 * database.
 */
#include "base/clock.h"
#include "query/live/live_private.h"
#include "query/live/live_refresh.h"
#include "query/live/live_shard.h"
#include "query/live/live_window.h"

#include <time.h>

/* So long a reading waits for rows that are being stored. */
#define STORE_WAIT_MS 200

static void live_series_accumulate(const struct live_shard *shard,
                                   const struct live_series *s, int64_t reach_ms,
                                   struct accumulator *accumulator)
{
    struct increment inc;
    uint32_t server = 0, current = 0; /* 0: none, as a series begins */
    struct live_wanted wanted = { 0 };
    for (size_t i = 0; i < accumulator->sel->measure_count; i++) {
        wanted.samples |= (uint32_t)accumulator->sel->measures[i].samples;
        wanted.sums |= (uint32_t)accumulator->sel->measures[i].sums;
    }
    if (accumulator->sel->is_sums && !live_series_has(s, &wanted))
        return; /* losses are no part of sums */
    struct live_cursor cursor = { .at = live_series_after(s, reach_ms) };
    accumulator_series(accumulator, &s->series);
    while (live_series_next(s, &wanted, &cursor, &inc, &server)) {
        if (server != current)
            accumulator_server(accumulator, live_shard_server_name(shard, server));
        current = server;
        accumulator_add(accumulator, &inc);
    }
}

/* from_ms of each kind; T_NONE: none of it.  -EAGAIN: also where an hour ended behind a
 * row that came after row_max rows. */
static int live_shard_accumulate(struct live_shard *shard, const struct selection *sel,
                                 const int64_t from_ms[TARGET_KIND_COUNT],
                                 uint64_t row_max, struct accumulator *accumulator)
{
    LOCKED(&shard->lock);
    for (size_t i = 0; i < shard->count; i++) {
        const struct live_series *s = &shard->list[i];
        int64_t reach_ms = from_ms[s->series.kind];
        if (reach_ms == T_NONE)
            continue;
        bool is_idle = s->head == s->size || (s->last && s->last->t_ms <= reach_ms);
        if ((is_idle && !s->is_marked) || !selection_has(sel, &s->series))
            continue;
        if (s->is_marked || s->hour_row > row_max)
            return -EAGAIN;
        live_series_accumulate(shard, s, reach_ms, accumulator);
    }
    return 0;
}

static int live_shards_accumulate(struct live *live, const struct selection *sel,
                                  const int64_t from_ms[TARGET_KIND_COUNT],
                                  uint64_t row_max, struct accumulator *accumulator)
{
    int rc = 0;
    for (size_t i = 0; rc >= 0 && i < LIVE_SHARD_COUNT; i++)
        rc =
            live_shard_accumulate(&live->shards[i], sel, from_ms, row_max, accumulator);
    return rc < 0 ? rc : 0;
}

/* Rows of a kind that has none of the operations add nothing to them. */
static bool live_wants_kind(const struct selection *sel, enum target_kind kind)
{
    for (size_t i = 0; i < sel->measure_count; i++)
        if (sel->measures[i].kinds >> kind & 1)
            return true;
    return false;
}

int live_accumulate(struct live *live, const struct history *history,
                    const struct selection *sel, struct accumulator *accumulator,
                    struct err *err)
{
    int64_t from = live_stored_from_ms(live);
    if (!live->opts.is_alone && (from == T_NONE || selection_reach_ms(sel) < from))
        return err_set(err, ERANGE, "not stored in memory for so long");
    int64_t from_ms[TARGET_KIND_COUNT];
    for (enum target_kind kind = 0; kind < TARGET_KIND_COUNT; kind++)
        from_ms[kind] = live_wants_kind(sel, kind) ? selection_reach_ms(sel) : T_NONE;
    int rc = history ? live_refresh(live, history, sel, err) : 0;
    return rc < 0 ? rc
                  : live_shards_accumulate(live, sel, from_ms, UINT64_MAX, accumulator);
}

/* ---- behind a reading of the database ---- */

/* A row changes what lies behind it and before it at once.  So a sum of both is right
 * when every row that the database may have shown was announced, and none came since
 * the reading began that lies before what memory adds and is followed by what it adds:
 * a late row, or one behind the last, with another one behind itself.  What memory adds
 * begins with an hour.
 */
void live_store_begin(struct live *live)
{
    atomic_fetch_add(&live->stores_begun, 1);
}

void live_store_end(struct live *live)
{
    atomic_fetch_add(&live->stores_ended, 1);
}

static int64_t newest_stored_from(void *arg)
{
    const struct live_newest *n = arg;
    return live_stored_from_ms(n->live);
}

static void newest_on_moment(void *arg)
{
    struct live_newest *n = arg;
    n->stores_begun = atomic_load(&n->live->stores_begun);
}

static int newest_wait(const struct live_newest *n)
{
    const struct timespec nap = { .tv_nsec = NS_PER_MS };
    for (int i = 0; i < STORE_WAIT_MS; i++) {
        if (atomic_load(&n->live->stores_ended) >= n->stores_begun)
            return 0;
        (void)nanosleep(&nap, NULL);
    }
    return -EAGAIN;
}

static int newest_accumulate(void *arg, const struct selection *sel,
                             const int64_t from_ms[TARGET_KIND_COUNT],
                             struct accumulator *accumulator)
{
    const struct live_newest *n = arg;
    int rc = newest_wait(n);
    if (rc == 0)
        rc = live_shards_accumulate(n->live, sel, from_ms, n->rows, accumulator);
    int64_t stored_ms = live_stored_from_ms(n->live);
    bool is_stored = stored_ms != T_NONE;
    for (enum target_kind kind = 0; kind < TARGET_KIND_COUNT; kind++)
        is_stored =
            is_stored && (from_ms[kind] == T_NONE || from_ms[kind] >= stored_ms);
    if (rc == 0 && (!is_stored || atomic_load(&n->live->late_rows) != n->late_rows ||
                    atomic_load(&n->live->early_rows) != n->early_rows))
        rc = -EAGAIN;
    return rc;
}

int live_newest_begin(struct live *live, const struct history *history,
                      const struct selection *sel, struct live_newest *ret,
                      struct err *err)
{
    int rc = live_refresh(live, history, sel, err);
    *ret = (struct live_newest){ .live = live,
                                 .rows = atomic_load(&live->rows),
                                 .late_rows = atomic_load(&live->late_rows),
                                 .early_rows = atomic_load(&live->early_rows) };
    ret->newest = (struct history_newest){ .stored_from_ms = newest_stored_from,
                                           .on_moment = newest_on_moment,
                                           .accumulate = newest_accumulate,
                                           .arg = ret };
    return rc;
}
