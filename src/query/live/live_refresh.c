/* SPDX-License-Identifier: Apache-2.0 */
/* live_refresh - marked series, read from the database again. */
#include "query/live/live_refresh.h"

#include "base/span.h"
#include "query/counters/counters.h"
#include "query/live/live_shard.h"
#include "query/live/live_window.h"

#define REFRESH_TRIES 3

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
    for (size_t i = 0; i < LIVE_SHARD_COUNT; i++) {
        struct live_shard *shard = &live->shards[i];
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
    int64_t from_ms;    /* what ends after it is stored */
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
    struct live_shard *shard = live_shard_of(r->live, key.sid);
    LOCKED(&shard->lock);
    struct live_series *s = live_shard_find(shard, key.sid);
    if (!s || !noted || s->version != noted->version || !s->is_marked) {
        live_series_done(fresh);
        return;
    }
    fresh->version = s->version;
    fresh->last_row = s->last_row;
    fresh->hour_row = s->hour_row;
    live_count_bytes(r->live, live_series_bytes(s), live_series_bytes(fresh));
    live_series_done(s);
    *s = *fresh;
    *fresh = (struct live_series){ 0 };
    atomic_fetch_sub(&r->live->marked_count, 1);
    /* It may hold rows that are not announced yet. */
    uint64_t begun = atomic_load(&r->live->stores_begun);
    if (atomic_load(&r->live->stores_ended) < begun)
        atomic_fetch_add(&r->live->early_rows, 1);
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
    struct live_shard *shard = live_shard_of(r->live, series->sid);
    LOCKED(&shard->lock); /* the servers' names are the shard's */
    chain_enter(&r->chain, row);
    int rc = row->t_ms > r->from_ms ? live_shard_push(r->live, shard, &r->fresh,
                                                      chain_before(&r->chain, row), row)
                                    : live_shard_pass(r->live, shard, &r->fresh, row);
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
    struct rebuilding r = { .live = live,
                            .list = &list,
                            .from_ms = live_complete_from_ms(live) };
    struct row_range range = { .kind = kind,
                               .from_ms = r.from_ms == T_NONE
                                              ? T_NONE
                                              : chain_from_ms(r.from_ms),
                               .to_ms = live->opts.now_ms() + LIVE_AHEAD_MS,
                               .sids = sids,
                               .sid_count = list.count,
                               .with_before = true };
    rc = history_walk(history, &range, NULL, rebuild_row, &r, err);
    if (rc >= 0)
        rebuilt_install(&r);
    else if (r.has_fresh)
        live_series_done(&r.fresh);
    return rc;
}

int live_refresh(struct live *live, const struct history *history,
                 const struct selection *sel, struct err *err)
{
    int rc = 0;
    for (int try = 0; try < REFRESH_TRIES && atomic_load(&live->marked_count); try++)
        for (enum target_kind kind = 0; rc >= 0 && kind < TARGET_KIND_COUNT; kind++)
            rc = refresh_kind(live, history, kind, sel, err);
    return rc;
}
