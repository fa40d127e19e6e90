/* SPDX-License-Identifier: Apache-2.0 */
/* history - the rows of the past, from a database or whatever stands in for one. */
#include "query/hours/history.h"

#include "base/span.h"

#include "query/hours/rollup.h"

#define WALK_ROWS_MAX 4096
#define WALK_SERVER_MAX 256

/* ---- walking ---- */

struct walk {
    const struct history *history;
    const struct selection *sel;
    history_row_fn *fn;
    void *arg;
    struct err *err;
    history_cell_fn *cell_fn;
    struct jobrow *rows;    /* gathered, not yet handed on; */
    struct increment *incs; /* or these, out of cells */
    int64_t *sids;          /* of each row */
    char (*servers)[WALK_SERVER_MAX];
    size_t row_count;
    struct arena arena; /* the series of the gathered rows */
    struct series *series;
    size_t series_count, series_capacity;
};

static void walk_done(struct walk *w)
{
    free(w->rows);
    free(w->incs);
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
        return -EPROTO; /* more results than requests */
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
        if (series && w->rows)
            rc = w->fn(w->arg, series, &w->rows[i]);
        else if (series)
            rc = w->cell_fn(w->arg, series, span_of(w->servers[i]), &w->incs[i]);
    }
    w->row_count = 0;
    return rc < 0 ? rc : 0;
}

/* A place for one more; SIZE_MAX after an error, which is in *ret. */
static size_t walk_place(struct walk *w, int64_t sid, int *ret)
{
    *ret = w->row_count == WALK_ROWS_MAX ? walk_flush(w) : 0;
    if (*ret < 0)
        return SIZE_MAX;
    w->sids[w->row_count] = sid;
    return w->row_count++;
}

/* Copied, and ended by a zero byte: names of servers hold none. */
static struct span walk_server(struct walk *w, size_t i, struct span server)
{
    if (server.size >= WALK_SERVER_MAX)
        server.size = WALK_SERVER_MAX - 1;
    if (server.size)
        memcpy(w->servers[i], server.data, server.size);
    w->servers[i][server.size] = '\0';
    return (struct span){ w->servers[i], server.size };
}

static int walk_row(void *arg, int64_t sid, const struct jobrow *row)
{
    struct walk *w = arg;
    int rc;
    size_t i = walk_place(w, sid, &rc);
    if (rc < 0)
        return rc;
    w->rows[i] = *row;
    w->rows[i].more = (struct span){ 0 };
    w->rows[i].server = walk_server(w, i, row->server);
    return 0;
}

static int walk_cell(void *arg, const struct rollup_cell *cell)
{
    struct walk *w = arg;
    int rc;
    size_t i = walk_place(w, cell->sid, &rc);
    if (rc < 0)
        return rc;
    (void)walk_server(w, i, cell->server);
    rollup_increment(cell, &w->incs[i]);
    return 0;
}

static int walk_start(struct walk *w)
{
    arena_init(&w->arena, 0);
    w->sids = calloc(WALK_ROWS_MAX, sizeof *w->sids);
    w->servers = calloc(WALK_ROWS_MAX, sizeof *w->servers);
    w->series = calloc(WALK_ROWS_MAX, sizeof *w->series);
    if (w->fn)
        w->rows = calloc(WALK_ROWS_MAX, sizeof *w->rows);
    else
        w->incs = calloc(WALK_ROWS_MAX, sizeof *w->incs);
    bool is_whole = w->sids && w->servers && w->series && (w->rows || w->incs);
    return is_whole ? 0 : -ENOMEM;
}

int history_walk(const struct history *history, const struct row_range *range,
                 const struct selection *sel, history_row_fn *fn, void *arg,
                 struct err *err)
{
    AUTO(walk_done)
    struct walk w = {
        .history = history, .sel = sel, .fn = fn, .arg = arg, .err = err
    };
    int rc = walk_start(&w);
    if (rc == 0)
        rc = history->read_rows(history->arg, range, walk_row, &w, err);
    return rc < 0 ? rc : walk_flush(&w);
}

int history_walk_cells(const struct history *history, const struct cell_range *range,
                       const struct selection *sel, history_cell_fn *fn, void *arg,
                       struct err *err)
{
    AUTO(walk_done)
    struct walk w = {
        .history = history, .sel = sel, .cell_fn = fn, .arg = arg, .err = err
    };
    int rc = walk_start(&w);
    if (rc == 0)
        rc = history->read_cells(history->arg, range, walk_cell, &w, err);
    return rc < 0 ? rc : walk_flush(&w);
}
