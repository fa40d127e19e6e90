/* SPDX-License-Identifier: Apache-2.0 */
/* history_accumulate - a window of the past, added up: rows, and cells where they will
 * do.
 */
#include "query/counters/counters.h"
#include "query/hours/cell_cache.h"
#include "query/hours/history.h"
#include "query/hours/plan.h"
#include "query/hours/reaching.h"
#include "query/hours/rollup.h"

/* So many series at most are looked up before their rows are read. */
#define SIDS_FIRST_MAX 200000
/* Below this length of time all rows are read rather than all series. */
#define SHORT_MS INT64_C(7200000)

struct adding {
    struct accumulator *const *accumulators;
    size_t count;
    int64_t read_ms;             /* from where on rows are read */
    int64_t from_ms, to_ms;      /* rows with from < t <= to are added */
    struct reaching *unsure;     /* not NULL: what must be read from further back */
    const struct reaching *only; /* NULL: all; otherwise those of them */
    size_t only_first, only_end;
    int64_t sid;
    struct chain chain;
};

static void add_increment(const struct adding *a, const struct series *series,
                          struct span server, const struct increment *inc)
{
    for (size_t i = 0; i < a->count; i++) {
        accumulator_series(a->accumulators[i], series);
        accumulator_server(a->accumulators[i], server);
        accumulator_add(a->accumulators[i], inc);
    }
}

/* What it goes on from depends on the rows of the hour before its own as well. */
static bool is_unsure(const struct adding *a, const struct jobrow *row)
{
    return a->unsure && chain_from_ms(row->t_ms - 1) < a->read_ms &&
           !chain_is_sure(&a->chain, row, a->read_ms);
}

static int add_row(void *arg, const struct series *series, const struct jobrow *row)
{
    struct adding *a = arg;
    struct increment inc;
    if (series->sid != a->sid)
        chain_clear(&a->chain);
    a->sid = series->sid;
    chain_enter(&a->chain, row);
    bool is_wanted = row->t_ms > a->from_ms && row->t_ms <= a->to_ms;
    if (is_wanted && a->only)
        is_wanted =
            reaching_has(a->only, a->only_first, a->only_end, series->sid, row->t_ms);
    int rc = 0;
    if (is_wanted && is_unsure(a, row)) {
        rc = reaching_add(a->unsure, series->sid, row->t_ms);
    } else if (is_wanted) {
        increment_between(chain_before(&a->chain, row), row, &inc);
        add_increment(a, series, row->server, &inc);
    }
    chain_add(&a->chain, row);
    return rc;
}

static int add_cell(void *arg, const struct series *series, struct span server,
                    const struct increment *inc)
{
    add_increment(arg, series, server, inc);
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

/* Does it name few series? */
static bool is_narrow(const struct selection *sel)
{
    const struct series_filter *f = &sel->filter;
    return f->job.data || f->user.data || f->node.data || f->entry_id.data || f->id;
}

/* Would looking up the series first save reading rows? */
static bool wants_series_first(const struct selection *sel)
{
    return is_narrow(sel) ||
           (!selection_is_open(sel) && sel->to_ms - sel->from_ms > SHORT_MS);
}

/* *ret_is_known stays false when there are too many to be worth it. */
static int find_sids(const struct history *history, const struct selection *sel,
                     struct sid_list *list, bool *ret_is_known, struct err *err)
{
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

/* What is read of one kind. */
struct reading {
    const struct history *history;
    const struct history_memory *memory;
    const struct selection *sel;
    enum target_kind kind;
    struct sid_list list; /* what is wanted, once it was searched */
    bool is_searched, is_known;
    const int64_t *sids; /* of this kind; NULL: all */
    size_t sid_count;
    int64_t newest_from_ms[TARGET_KIND_COUNT]; /* T_NONE: the database has all */
    struct adding adding;
    struct err *err;
};

static void reading_free(struct reading *r)
{
    if (!r)
        return;
    sid_list_done(&r->list);
    free(r);
}
DEFINE_AUTO(struct reading, reading_free);

static void use_sids(struct reading *r)
{
    r->sids = r->is_known ? r->list.sids[r->kind] : NULL;
    r->sid_count = r->is_known ? r->list.count[r->kind] : 0;
}

/* Before the database is read for rows, or for cells that memory does not have. */
static int search_sids(struct reading *r)
{
    int rc = 0;
    if (!r->is_searched && wants_series_first(r->sel))
        rc = find_sids(r->history, r->sel, &r->list, &r->is_known, r->err);
    r->is_searched = true;
    use_sids(r);
    return rc;
}

static bool wants_nothing(const struct reading *r)
{
    return r->is_known && r->list.count[r->kind] == 0;
}

static int read_range(struct reading *r, const struct row_range *range,
                      const struct plan_part *part)
{
    r->adding.from_ms = part->from_ms;
    r->adding.to_ms = part->to_ms;
    r->adding.read_ms = range->from_ms;
    r->adding.sid = -1;
    return history_walk(r->history, range, r->sel, add_row, &r->adding, r->err);
}

/* Rows first .. end of one hour, with the rows before them. */
static int read_reaching(struct reading *r, const struct reaching *reaching,
                         size_t first, size_t end)
{
    AUTO_FREE int64_t *sids = calloc(end - first, sizeof *sids);
    if (!sids)
        return -ENOMEM;
    size_t count = 0;
    for (size_t i = first; i < end; i++)
        if (count == 0 || sids[count - 1] != reaching->rows[i].sid)
            sids[count++] = reaching->rows[i].sid;
    int64_t hour_ms = rollup_hour_of(reaching->rows[first].t_ms);
    struct plan_part part = { PLAN_ROWS, hour_ms, hour_ms + ROLLUP_HOUR_MS };
    struct row_range range = { .kind = r->kind,
                               .from_ms = chain_from_ms(hour_ms),
                               .to_ms = part.to_ms,
                               .sids = sids,
                               .sid_count = count,
                               .with_before = true };
    r->adding.only = reaching;
    r->adding.only_first = first;
    r->adding.only_end = end;
    int rc = read_range(r, &range, &part);
    r->adding.only = NULL;
    return rc;
}

static int read_all_reaching(struct reading *r, const struct reaching *reaching)
{
    int rc = 0;
    for (size_t i = 0, end; i < reaching->count && rc == 0; i = end) {
        end = reaching_hour_end(reaching, i);
        rc = read_reaching(r, reaching, i, end);
    }
    return rc;
}

/* A short window is read from its beginning, or for "now" far more is read than is
 * answered; then the few rows, those of a new server above all, of which it shows that
 * what lies further back decides. */
static int read_rows(struct reading *r, const struct plan_part *part)
{
    AUTO(reaching_done) struct reaching unsure = { 0 };
    bool is_short =
        !plan_is_long(r->sel) && part->from_ms == selection_reach_ms(r->sel);
    struct row_range range = { .kind = r->kind,
                               .from_ms = is_short ? part->from_ms
                                                   : chain_from_ms(part->from_ms),
                               .to_ms = part->to_ms,
                               .sids = r->sids,
                               .sid_count = r->sid_count,
                               .with_before = true };
    r->adding.unsure = is_short ? &unsure : NULL;
    int rc = read_range(r, &range, part);
    r->adding.unsure = NULL;
    reaching_sort(&unsure);
    return rc < 0 ? rc : read_all_reaching(r, &unsure);
}

static int read_long_rows(struct reading *r, const struct plan_part *part)
{
    AUTO(reaching_done) struct reaching reaching = { 0 };
    struct row_range range = { .kind = r->kind,
                               .sids = r->sids,
                               .sid_count = r->sid_count,
                               /* A row is chained behind its `previous`, which may be
                                * as much further back. */
                               .reach_ms = r->sel->to_ms + RECORDS_LOOKBACK_MS };
    int rc = reaching_find(r->history, &range, part->from_ms, part->to_ms, &reaching,
                           r->err);
    return rc < 0 ? rc : read_all_reaching(r, &reaching);
}

struct hours {
    int64_t *clean;
    struct cell_hour *states; /* of the same hours */
    size_t count, capacity;
};

static void hours_done(struct hours *hours)
{
    free(hours->clean);
    free(hours->states);
}
DEFINE_AUTO_DONE(struct hours, hours_done);

static void find_wanted_ops(const struct reading *r, uint64_t *ret_samples,
                            uint64_t *ret_sums)
{
    *ret_samples = *ret_sums = 0;
    for (size_t i = 0; i < r->adding.count; i++) {
        const struct selection *sel = r->adding.accumulators[i]->sel;
        for (size_t m = 0; m < sel->measure_count; m++) {
            *ret_samples |= sel->measures[m].samples;
            *ret_sums |= sel->measures[m].sums;
        }
    }
}

/* 0: memory does not have them. */
static int read_cached_cells(struct reading *r, const struct hours *hours,
                             const struct plan_part *part)
{
    struct cell_walk walk = { .history = r->history,
                              .kind = r->kind,
                              .sel = r->sel,
                              .fn = add_cell,
                              .arg = &r->adding };
    if (!r->memory || !r->memory->cells || part->read != PLAN_CELLS ||
        is_narrow(r->sel))
        return 0;
    for (size_t i = 0; i < hours->count; i++) {
        if (hours->clean[i] < part->from_ms || hours->clean[i] >= part->to_ms)
            continue;
        if (walk.hour_count++ == 0)
            walk.hours = &hours->states[i];
    }
    find_wanted_ops(r, &walk.samples, &walk.sums);
    return cell_cache_walk(r->memory->cells, &walk, r->err);
}

static int read_cells(struct reading *r, const struct hours *hours,
                      const struct plan_part *part)
{
    int rc = read_cached_cells(r, hours, part);
    if (rc != 0)
        return rc < 0 ? rc : 0;
    rc = search_sids(r);
    if (rc < 0 || wants_nothing(r))
        return rc;
    struct cell_range range = { .kind = r->kind,
                                .from_ms = part->from_ms,
                                .to_ms = part->to_ms,
                                .sids = r->sids,
                                .sid_count = r->sid_count };
    if (part->read == PLAN_LONG_CELLS)
        range.reach_ms = r->sel->to_ms;
    find_wanted_ops(r, &range.samples, &range.sums);
    return history_walk_cells(r->history, &range, r->sel, add_cell, &r->adding, r->err);
}

static int hours_grow(struct hours *hours)
{
    size_t capacity = hours->capacity ? hours->capacity * 2 : 256;
    int64_t *clean = realloc(hours->clean, capacity * sizeof *clean);
    if (!clean)
        return -ENOMEM;
    hours->clean = clean;
    struct cell_hour *states = realloc(hours->states, capacity * sizeof *states);
    if (!states)
        return -ENOMEM;
    hours->states = states;
    hours->capacity = capacity;
    return 0;
}

static int keep_hour(void *arg, int64_t hour_ms, bool is_clean, int64_t changes)
{
    struct hours *hours = arg;
    if (!is_clean)
        return 0;
    if (hours->count == hours->capacity && hours_grow(hours) < 0)
        return -ENOMEM;
    hours->states[hours->count] = (struct cell_hour){ hour_ms, changes };
    hours->clean[hours->count++] = hour_ms;
    return 0;
}

/* What the last rows of the plan are is left to memory, as far as it has them: also all
 * behind them, which reaches back.  Behind what is read it is from an hour on. */
static void leave_newest(struct reading *r, struct plan *plan)
{
    const struct history_newest *newest = r->memory ? r->memory->newest : NULL;
    int64_t stored_ms = newest ? newest->stored_from_ms(newest->arg) : T_NONE;
    for (size_t i = plan->count; stored_ms != T_NONE && i > 0; i--) {
        const struct plan_part *part = &plan->parts[i - 1];
        bool is_rows = part->read == PLAN_ROWS || part->read == PLAN_LONG_ROWS;
        if (!is_rows || part->from_ms < stored_ms)
            return;
        if (i > 1 && rollup_hour_of(part->from_ms + 1) != part->from_ms)
            continue;
        r->newest_from_ms[r->kind] = part->from_ms;
        plan->count = i - 1;
    }
}

static int read_part(struct reading *r, const struct hours *hours,
                     const struct plan_part *part)
{
    if (part->read == PLAN_CELLS || part->read == PLAN_LONG_CELLS)
        return read_cells(r, hours, part);
    int rc = search_sids(r);
    if (rc < 0 || wants_nothing(r))
        return rc;
    return part->read == PLAN_ROWS ? read_rows(r, part) : read_long_rows(r, part);
}

static int read_kind(struct reading *r)
{
    AUTO(hours_done) struct hours hours = { 0 };
    AUTO(plan_done) struct plan plan = { 0 };
    const struct history *history = r->history;
    int rc = 0;
    if (history->read_hours)
        rc = history->read_hours(history->arg, r->kind, r->sel->from_ms, PLAN_END_MS,
                                 keep_hour, &hours, r->err);
    if (rc == 0 && r->memory && r->memory->newest)
        r->memory->newest->on_moment(r->memory->newest->arg);
    if (rc == 0)
        rc = plan_make(r->sel, r->adding.accumulators, r->adding.count, hours.clean,
                       hours.count, &plan);
    if (rc == 0)
        leave_newest(r, &plan);
    for (size_t i = 0; i < plan.count && rc == 0; i++)
        rc = read_part(r, &hours, &plan.parts[i]);
    return rc;
}

static int read_kinds(struct reading *r)
{
    int rc = 0;
    for (enum target_kind kind = 0; rc >= 0 && kind < TARGET_KIND_COUNT; kind++) {
        r->newest_from_ms[kind] = T_NONE;
        r->kind = kind;
        use_sids(r);
        if (wants_kind(r->sel, kind) && !wants_nothing(r))
            rc = read_kind(r);
    }
    return rc < 0 ? rc : 0;
}

static int add_newest(struct reading *r)
{
    const struct history_newest *newest = r->memory ? r->memory->newest : NULL;
    bool is_left = false;
    for (enum target_kind kind = 0; newest && kind < TARGET_KIND_COUNT; kind++)
        is_left |= r->newest_from_ms[kind] != T_NONE;
    return is_left ? newest->accumulate(newest->arg, r->sel, r->newest_from_ms,
                                        r->adding.accumulators[0])
                   : 0;
}

static int accumulate_all(const struct history *history,
                          const struct history_memory *memory,
                          const struct selection *sel,
                          struct accumulator *const *accumulators, size_t count,
                          struct err *err)
{
    /* It is as large as rows are: a chain has some. */
    AUTO(reading_free) struct reading *r = calloc(1, sizeof *r);
    if (!r)
        return -ENOMEM;
    *r = (struct reading){
        .history = history, .memory = memory, .sel = sel, .err = err
    };
    r->adding.accumulators = accumulators;
    r->adding.count = count;
    /* With cells in memory they are searched when they are needed. */
    bool is_later = memory && memory->cells && !is_narrow(sel);
    int rc = is_later ? 0 : search_sids(r);
    bool is_begun = rc >= 0 && history->begin != NULL;
    if (is_begun)
        rc = history->begin(history->arg, err);
    if (rc < 0)
        return rc;
    rc = read_kinds(r);
    if (is_begun)
        history->end(history->arg);
    return rc < 0 ? rc : add_newest(r);
}

int history_accumulate(const struct history *history, const struct selection *sel,
                       struct accumulator *const *accumulators, size_t count,
                       struct err *err)
{
    return accumulate_all(history, NULL, sel, accumulators, count, err);
}

int history_accumulate_with(const struct history *history,
                            const struct history_memory *memory,
                            const struct selection *sel,
                            struct accumulator *accumulator, struct err *err)
{
    return accumulate_all(history, memory, sel, &accumulator, 1, err);
}
