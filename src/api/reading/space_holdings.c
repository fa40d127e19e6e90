/* SPDX-License-Identifier: Apache-2.0 */
/* space_holdings - what users, groups or projects hold on targets. */
#include "api/reading/space_holdings.h"

#include "api/reading/target_levels.h"
#include "base/span.h"
#include "store/store.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOLDING_NAME_MAX 64

struct holding_search {
    const struct space_targets_opts *opts;
    struct space_holdings *ret;
    struct metric_visit visit;
    const struct metric *metrics[SPACE_WHAT_COUNT];
    const char *kind;
    struct metric_range range; /* of the newest values; its fn is on_newest */
    struct newest {
        int64_t t_ns;
        double value;
    } newest;
    /* Of a history: whose, and its sums. */
    const struct space_owner *owner;
    enum space_what what;
    double *values; /* one holding's */
    int64_t *times;
    double *sums;
    size_t *counts;
};

void space_holdings_done(struct space_holdings *holdings)
{
    free(holdings->items);
    arena_done(&holdings->arena);
    *holdings = (struct space_holdings){ 0 };
}

static void search_begin(struct holding_search *s)
{
    static const char *const suffixes[] = { "bytes", "inodes" };
    char name[HOLDING_NAME_MAX];
    for (int what = 0; what < SPACE_WHAT_COUNT; what++) {
        (void)snprintf(name, sizeof name, "lustre_%s_%s", s->kind, suffixes[what]);
        s->metrics[what] =
            metric_find(metric_store_metrics(s->opts->store), span_of(name));
    }
    metric_visit_begin(&s->visit, s->opts->store);
}

/* "user:1001" of a target: the text behind the colon; else false. */
static bool owner_of(const struct holding_search *s, const struct level *level,
                     struct span *ret)
{
    struct span type;
    *ret = span_skip((struct span){ level->path, level->path_size },
                     level->parent->path_size + 1u);
    return span_cut(ret, ':', &type) && span_is(type, s->kind) && ret->size > 0;
}

/* The series of an owner's bytes or inodes; NULL: there is none. */
static const struct level_series *series_of(const struct holding_search *s,
                                            const struct level *level,
                                            enum space_what what)
{
    return s->metrics[what]
               ? level_series_find(metric_store_tree(s->opts->store, level->shard),
                                   level, s->metrics[what]->id)
               : NULL;
}

/* ---- the newest values ---- */

static int on_newest(void *arg, const int64_t *times, const double *values,
                     size_t count)
{
    struct newest *newest = arg;
    for (size_t i = 0; i < count; i++)
        if (isfinite(values[i]) && times[i] >= newest->t_ns)
            *newest = (struct newest){ times[i], values[i] };
    return 0;
}

static int holdings_capacity(struct holding_search *s)
{
    struct space_holdings *r = s->ret;
    if (r->count < r->capacity)
        return 0;
    size_t capacity = r->capacity ? 2 * r->capacity : 256;
    int rc =
        budget_hold_add(s->opts->hold, (capacity - r->capacity) * 2 * sizeof *r->items);
    void *grown = rc < 0 ? NULL : reallocarray(r->items, capacity, sizeof *r->items);
    if (!grown)
        return rc < 0 ? rc : -ENOMEM;
    r->items = grown;
    r->capacity = capacity;
    return 0;
}

static int holding_add(struct holding_search *s, const struct target_level *at,
                       struct span owner)
{
    struct arena *arena = &s->ret->arena;
    const struct space_holding h = { .cluster = arena_dup(arena, at->cluster),
                                     .fs = arena_dup(arena, at->fs),
                                     .target = arena_dup(arena, at->name),
                                     .owner = arena_dup(arena, owner),
                                     .is_mdt = at->is_mdt,
                                     .now = s->newest.value,
                                     .newest_ns = s->newest.t_ns };
    if (!h.cluster || !h.fs || !h.target || !h.owner)
        return -ENOMEM;
    int rc = holdings_capacity(s);
    if (rc == 0)
        s->ret->items[s->ret->count++] = h;
    return rc;
}

static int on_holding_target(void *arg, const struct target_level *at)
{
    struct holding_search *s = arg;
    enum space_what what = at->is_mdt ? SPACE_INODES : SPACE_BYTES;
    int rc = 0;
    const struct level *level =
        atomic_load_explicit(&at->level->child, memory_order_acquire);
    for (; level && rc == 0; level = level->next) {
        struct metric_read read = { 0 };
        struct span owner;
        const struct level_series *series =
            owner_of(s, level, &owner) ? series_of(s, level, what) : NULL;
        if (!series)
            continue;
        s->newest = (struct newest){ INT64_MIN, NAN };
        rc = metric_store_read(s->opts->store, series, &s->range, &read);
        if (rc == 0 && s->newest.t_ns != INT64_MIN)
            rc = holding_add(s, at, owner);
    }
    return rc;
}

/* A target that moved to another server has its owners twice: the newest counts. */
static int by_holding(const void *a, const void *b)
{
    const struct space_holding *x = a, *y = b;
    int order = strcmp(x->cluster, y->cluster);
    if (order == 0)
        order = strcmp(x->target, y->target);
    if (order == 0)
        order = strcmp(x->owner, y->owner);
    return order ? order
                 : (x->newest_ns < y->newest_ns) - (x->newest_ns > y->newest_ns);
}

static void holdings_merge(struct space_holdings *r)
{
    size_t count = 0;
    if (r->count > 1)
        qsort(r->items, r->count, sizeof *r->items, by_holding);
    for (size_t i = 0; i < r->count; i++) {
        const struct space_holding *h = &r->items[i];
        const struct space_holding *last = count > 0 ? &r->items[count - 1] : NULL;
        if (last && strcmp(h->cluster, last->cluster) == 0 &&
            strcmp(h->target, last->target) == 0 && strcmp(h->owner, last->owner) == 0)
            continue;
        r->items[count++] = *h;
    }
    r->count = count;
}

int space_holdings_read(const struct space_targets_opts *opts, const char *kind,
                        int64_t stale_ns, struct space_holdings *ret, struct err *err)
{
    struct holding_search s = { .opts = opts, .ret = ret, .kind = kind };
    int64_t to_ns = opts->from_ns + (int64_t)opts->value_count * opts->step_ns;
    int64_t from_ns =
        to_ns - stale_ns > opts->from_ns ? to_ns - stale_ns : opts->from_ns;
    const struct target_levels_opts levels = { opts->store,       opts->watch,
                                               opts->watch_arg,   opts->fs,
                                               on_holding_target, &s };
    s.range = (struct metric_range){ from_ns, to_ns, on_newest, &s.newest };
    arena_init(&ret->arena, 0);
    search_begin(&s);
    int rc = target_levels_visit(&levels, &s.visit);
    metric_visit_end(&s.visit);
    if (rc == 0 && ret->count == 0)
        return err_set(
            err, ENOENT,
            "by: of '%s' no %s has been sent lately (agents of Lustre servers "
            "do, with usage_interval)",
            opts->fs, kind);
    if (rc == 0)
        holdings_merge(ret);
    return rc;
}

/* ---- the history of one owner ---- */

static int on_history(void *arg, const int64_t *times, const double *values,
                      size_t count)
{
    struct holding_search *s = arg;
    const struct space_targets_opts *o = s->opts;
    for (size_t i = 0; i < count; i++) {
        size_t slot = times[i] < o->from_ns
                          ? SIZE_MAX
                          : (size_t)((times[i] - o->from_ns) / o->step_ns);
        if (!isfinite(values[i]) || slot >= o->value_count || times[i] < s->times[slot])
            continue;
        s->times[slot] = times[i];
        s->values[slot] = values[i];
    }
    return 0;
}

/* Is the target one that holds something of the owner now? */
static bool is_held(const struct holding_search *s, const struct target_level *at)
{
    const struct space_owner *owner = s->owner;
    for (size_t i = 0; i < owner->holding_count; i++) {
        const struct space_holding *h = &owner->holdings[i];
        if (h->is_current && span_is(at->name, h->target) &&
            span_is(at->cluster, h->cluster))
            return true;
    }
    return false;
}

static int on_history_target(void *arg, const struct target_level *at)
{
    struct holding_search *s = arg;
    const struct space_targets_opts *o = s->opts;
    char path[LEVEL_PATH_MAX];
    if (at->is_mdt != (s->what == SPACE_INODES) || !is_held(s, at))
        return 0;
    int size = snprintf(path, sizeof path, "%.*s/%s:%s", (int)at->level->path_size,
                        at->level->path, s->kind, s->owner->holdings->owner);
    if (size < 0 || (size_t)size >= sizeof path)
        return 0;
    const struct level *level =
        level_find(metric_store_tree(o->store, at->level->shard),
                   (struct span){ path, (size_t)size });
    const struct level_series *series = level ? series_of(s, level, s->what) : NULL;
    if (!series)
        return 0;
    const struct metric_range range = {
        o->from_ns, o->from_ns + (int64_t)o->value_count * o->step_ns, on_history, s
    };
    struct metric_read read = { 0 };
    for (size_t i = 0; i < o->value_count; i++)
        s->times[i] = INT64_MIN;
    int rc = metric_store_read(o->store, series, &range, &read);
    for (size_t i = 0; rc == 0 && i < o->value_count; i++) {
        if (s->times[i] == INT64_MIN)
            continue;
        s->sums[i] += s->values[i];
        s->counts[i]++;
    }
    return rc;
}

static size_t holdings_of(const struct space_owner *owner, enum space_what what)
{
    size_t count = 0;
    for (size_t i = 0; i < owner->holding_count; i++)
        count += owner->holdings[i].is_current &&
                 owner->holdings[i].is_mdt == (what == SPACE_INODES);
    return count;
}

int space_holdings_history(const struct space_targets_opts *opts, const char *kind,
                           const struct space_owner *owner, enum space_what what,
                           double *values)
{
    size_t count = opts->value_count, wanted = holdings_of(owner, what);
    AUTO_FREE double *scratch = calloc(count, sizeof *scratch);
    AUTO_FREE int64_t *times = calloc(count, sizeof *times);
    AUTO_FREE size_t *counts = calloc(count, sizeof *counts);
    struct holding_search s = { .opts = opts,
                                .kind = kind,
                                .owner = owner,
                                .what = what,
                                .values = scratch,
                                .times = times,
                                .sums = values,
                                .counts = counts };
    const struct target_levels_opts levels = { opts->store,       opts->watch,
                                               opts->watch_arg,   owner->holdings->fs,
                                               on_history_target, &s };
    if (!scratch || !times || !counts)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        values[i] = 0;
    search_begin(&s);
    int rc = target_levels_visit(&levels, &s.visit);
    metric_visit_end(&s.visit);
    /* A target that moved within a step has two values there; their sum is not one. */
    for (size_t i = 0; rc == 0 && i < count; i++)
        if (wanted == 0 || counts[i] != wanted)
            values[i] = NAN;
    return rc;
}
