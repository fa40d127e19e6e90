/* SPDX-License-Identifier: Apache-2.0 */
/* history - the rows of the past, from a database or whatever stands in for one. */
#include "query/history.h"

#include "query/chain.h"

#define WALK_ROWS_MAX 4096
#define WALK_SERVER_MAX 256
/* So many series at most are looked up before their rows are read. */
#define SIDS_FIRST_MAX 200000
/* Below this length of time all rows are read rather than all series. */
#define SHORT_MS INT64_C(7200000)

/* ---- walking ---- */

struct walk {
    const struct history *history;
    const struct selection *sel;
    history_row_fn *fn;
    void *arg;
    struct err *err;
    struct jobrow *rows; /* gathered, not yet handed on */
    int64_t *sids;       /* of each row */
    char (*servers)[WALK_SERVER_MAX];
    size_t row_count;
    struct arena arena; /* the series of the gathered rows */
    struct series *series;
    size_t series_count, series_capacity;
};

static void walk_done(struct walk *w)
{
    free(w->rows);
    free(w->sids);
    free(w->servers);
    free(w->series);
    arena_done(&w->arena);
}
DEFINE_AUTO_DONE(struct walk, walk_done);

static int copy_text(struct arena *arena, struct span *text)
{
    if (!text->data)
        return 0;
    text->data = arena_dup(arena, *text);
    return text->data ? 0 : -ENOMEM;
}

static int keep_series(void *arg, const struct series *series)
{
    struct walk *w = arg;
    if (w->series_count == w->series_capacity)
        return -EPROTO; /* more answers than questions */
    struct series *s = &w->series[w->series_count];
    *s = *series;
    struct span *texts[] = { &s->fs,  &s->target,    &s->entry_id, &s->format,
                             &s->job, &s->user,      &s->group,    &s->node,
                             &s->pid, &s->executable };
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        if (copy_text(&w->arena, texts[i]) < 0)
            return -ENOMEM;
    w->series_count++;
    return 0;
}

static int compare_series(const void *a, const void *b)
{
    const struct series *x = a, *y = b;
    return (x->sid > y->sid) - (x->sid < y->sid);
}

static const struct series *find_kept(const struct walk *w, int64_t sid)
{
    struct series key = { .sid = sid };
    return bsearch(&key, w->series, w->series_count, sizeof *w->series, compare_series);
}

/* Look up the series of all gathered rows. */
static int walk_ask(struct walk *w)
{
    AUTO_FREE int64_t *sids = calloc(w->row_count, sizeof *sids);
    if (!sids)
        return -ENOMEM;
    size_t count = 0;
    for (size_t i = 0; i < w->row_count; i++)
        if (count == 0 || sids[count - 1] != w->sids[i])
            sids[count++] = w->sids[i];
    arena_reset(&w->arena);
    w->series_count = 0;
    w->series_capacity = count;
    struct series_filter filter = { .sids = sids, .sid_count = count };
    int rc = w->history->find_series(w->history->arg, &filter, keep_series, w, w->err);
    if (rc < 0)
        return rc;
    qsort(w->series, w->series_count, sizeof *w->series, compare_series);
    return 0;
}

static int walk_flush(struct walk *w)
{
    if (w->row_count == 0)
        return 0;
    int rc = walk_ask(w);
    const struct series *series = NULL;
    int64_t sid = 0;
    for (size_t i = 0; rc >= 0 && i < w->row_count; i++) {
        if (i == 0 || w->sids[i] != sid) {
            sid = w->sids[i];
            series = find_kept(w, sid);
            if (series && w->sel && !selection_has(w->sel, series))
                series = NULL;
        }
        if (series)
            rc = w->fn(w->arg, series, &w->rows[i]);
    }
    w->row_count = 0;
    return rc < 0 ? rc : 0;
}

static int walk_row(void *arg, int64_t sid, const struct jobrow *row)
{
    struct walk *w = arg;
    if (w->row_count == WALK_ROWS_MAX) {
        int rc = walk_flush(w);
        if (rc < 0)
            return rc;
    }
    size_t i = w->row_count++;
    w->sids[i] = sid;
    w->rows[i] = *row;
    w->rows[i].more = (struct span){ 0 };
    struct span *server = &w->rows[i].server;
    if (server->size >= WALK_SERVER_MAX)
        server->size = WALK_SERVER_MAX - 1;
    if (server->size)
        memcpy(w->servers[i], server->data, server->size);
    server->data = w->servers[i];
    return 0;
}

int history_walk(const struct history *history, const struct row_range *range,
                 const struct selection *sel, history_row_fn *fn, void *arg,
                 struct err *err)
{
    AUTO(walk_done)
    struct walk w = {
        .history = history, .sel = sel, .fn = fn, .arg = arg, .err = err
    };
    arena_init(&w.arena, 0);
    w.rows = calloc(WALK_ROWS_MAX, sizeof *w.rows);
    w.sids = calloc(WALK_ROWS_MAX, sizeof *w.sids);
    w.servers = calloc(WALK_ROWS_MAX, sizeof *w.servers);
    w.series = calloc(WALK_ROWS_MAX, sizeof *w.series);
    if (!w.rows || !w.sids || !w.servers || !w.series)
        return -ENOMEM;
    int rc = history->read_rows(history->arg, range, walk_row, &w, err);
    return rc < 0 ? rc : walk_flush(&w);
}

/* ---- adding up ---- */

struct adding {
    struct tally *const *tallies;
    size_t count;
    int64_t sid;
    struct chain chain;
};

static int add_row(void *arg, const struct series *series, const struct jobrow *row)
{
    struct adding *a = arg;
    struct increment inc;
    if (series->sid != a->sid)
        chain_clear(&a->chain);
    a->sid = series->sid;
    increment_between(chain_before(&a->chain, row), row, &inc);
    for (size_t i = 0; i < a->count; i++) {
        tally_series(a->tallies[i], series);
        tally_add(a->tallies[i], row->server, &inc);
    }
    chain_add(&a->chain, row);
    return 0;
}

struct sid_list {
    int64_t *sids[TARGET_KIND_COUNT];
    size_t count[TARGET_KIND_COUNT];
    size_t capacity[TARGET_KIND_COUNT];
};

static void sid_list_done(struct sid_list *list)
{
    for (int kind = 0; kind < TARGET_KIND_COUNT; kind++)
        free(list->sids[kind]);
}
DEFINE_AUTO_DONE(struct sid_list, sid_list_done);

static int list_sid(void *arg, const struct series *series)
{
    struct sid_list *list = arg;
    enum target_kind kind = series->kind;
    if (list->count[0] + list->count[1] >= SIDS_FIRST_MAX)
        return -E2BIG;
    if (list->count[kind] == list->capacity[kind]) {
        size_t capacity = list->capacity[kind] ? list->capacity[kind] * 2 : 256;
        int64_t *grown = realloc(list->sids[kind], capacity * sizeof *grown);
        if (!grown)
            return -ENOMEM;
        list->sids[kind] = grown;
        list->capacity[kind] = capacity;
    }
    list->sids[kind][list->count[kind]++] = series->sid;
    return 0;
}

static int compare_sids(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Would looking up the series first save reading rows? */
static bool wants_series_first(const struct selection *sel)
{
    const struct series_filter *f = &sel->filter;
    if (f->job.data || f->user.data || f->node.data || f->entry_id.data || f->id)
        return true;
    return !selection_is_open(sel) && sel->to_ms - sel->from_ms > SHORT_MS;
}

/* *ret_is_known stays false when there are too many to be worth it. */
static int find_sids(const struct history *history, const struct selection *sel,
                     struct sid_list *list, bool *ret_is_known, struct err *err)
{
    if (!wants_series_first(sel))
        return 0;
    struct series_filter filter = sel->filter;
    filter.limit = SIDS_FIRST_MAX + 1;
    int rc = history->find_series(history->arg, &filter, list_sid, list, err);
    if (rc == -E2BIG)
        return 0;
    for (int kind = 0; rc >= 0 && kind < TARGET_KIND_COUNT; kind++)
        if (list->count[kind])
            qsort(list->sids[kind], list->count[kind], sizeof *list->sids[kind],
                  compare_sids);
    *ret_is_known = rc >= 0;
    return rc < 0 ? rc : 0;
}

static bool wants_kind(const struct selection *sel, enum target_kind kind)
{
    for (size_t i = 0; i < sel->measure_count; i++)
        if (sel->measures[i].kinds >> kind & 1)
            return true;
    return false;
}

int history_tally(const struct history *history, const struct selection *sel,
                  struct tally *const *tallies, size_t count, struct err *err)
{
    AUTO(sid_list_done) struct sid_list list = { 0 };
    bool is_known = false;
    int rc = find_sids(history, sel, &list, &is_known, err);
    /* A row that follows a lost one reaches back further than it says itself: rows for
     * a while after the window are read too. */
    for (enum target_kind kind = 0; rc >= 0 && kind < TARGET_KIND_COUNT; kind++) {
        if (!wants_kind(sel, kind) || (is_known && list.count[kind] == 0))
            continue;
        struct row_range range = { .kind = kind,
                                   .from_ms = selection_reach_ms(sel),
                                   .to_ms = sel->to_ms + TALLY_AFTER_MS,
                                   .with_before = true,
                                   .with_after = true };
        if (is_known) {
            range.sids = list.sids[kind];
            range.sid_count = list.count[kind];
        }
        struct adding adding = { .tallies = tallies, .count = count, .sid = -1 };
        rc = history_walk(history, &range, sel, add_row, &adding, err);
    }
    return rc < 0 ? rc : 0;
}
