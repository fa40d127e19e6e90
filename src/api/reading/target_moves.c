/* SPDX-License-Identifier: Apache-2.0 */
/* target_moves - which targets of file systems moved to another server, out of the
 * metric store. */
#include "api/reading/target_moves.h"

#include "api/reading/metric_visit.h"
#include "api/reading/target_levels.h"
#include "base/number.h"
#include "base/span.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOVES_METRIC \
    "lustre_capacity_bytes" /* agents send it of every target, always */

/* A target at one server; texts are the store's. */
struct served_target {
    struct span cluster, name, server;
    const struct level_series *series;
};

struct sighting {
    int64_t t_ns;
    size_t server; /* which of the target's */
};

struct moves_search {
    const struct target_moves_opts *opts;
    const struct metric *metric; /* NULL: the store has none */
    struct table *ret;
    struct metric_visit visit;
    struct served_target *served;
    size_t count, capacity;
    struct sighting *sightings; /* of the target that is read */
    size_t sighting_count, sighting_capacity;
    size_t server; /* of it, that is read */
};

/* Grow an array twofold; what it takes is charged. */
static int array_grow(struct moves_search *s, void **items, size_t size,
                      size_t *capacity)
{
    size_t more = *capacity ? 2 * *capacity : 64;
    int rc = budget_hold_add(s->opts->hold, (more - *capacity) * size);
    void *grown = rc < 0 ? NULL : reallocarray(*items, more, size);
    if (!grown)
        return rc < 0 ? rc : -ENOMEM;
    *items = grown;
    *capacity = more;
    return 0;
}

/* ---- who has targets ---- */

static int on_served_level(void *arg, const struct target_level *at)
{
    struct moves_search *s = arg;
    const struct level_series *series =
        s->metric
            ? level_series_find(metric_store_tree(s->opts->store, at->level->shard),
                                at->level, s->metric->id)
            : NULL;
    if (!series)
        return 0;
    if (s->count == s->capacity) {
        void *items = s->served;
        int rc = array_grow(s, &items, sizeof *s->served, &s->capacity);
        if (rc < 0)
            return rc;
        s->served = items;
    }
    s->served[s->count++] =
        (struct served_target){ at->cluster, at->name, level_name(at->level->parent),
                                series };
    return 0;
}

static int by_bytes(struct span a, struct span b)
{
    size_t least = a.size < b.size ? a.size : b.size;
    int order = least > 0 ? memcmp(a.data, b.data, least) : 0;
    return order ? order : (a.size > b.size) - (a.size < b.size);
}

static int by_target(const void *a, const void *b)
{
    const struct served_target *x = a, *y = b;
    int order = by_bytes(x->cluster, y->cluster);
    if (order == 0)
        order = by_bytes(x->name, y->name);
    return order ? order : by_bytes(x->server, y->server);
}

static bool is_same_target(const struct served_target *a, const struct served_target *b)
{
    return span_eq(a->cluster, b->cluster) && span_eq(a->name, b->name);
}

/* ---- when they had them ---- */

static int on_sighting(void *arg, const int64_t *times, const double *values,
                       size_t count)
{
    struct moves_search *s = arg;
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(values[i]))
            continue;
        if (s->sighting_count == s->sighting_capacity) {
            void *items = s->sightings;
            int rc = array_grow(s, &items, sizeof *s->sightings, &s->sighting_capacity);
            if (rc < 0)
                return rc;
            s->sightings = items;
        }
        s->sightings[s->sighting_count++] = (struct sighting){ times[i], s->server };
    }
    return 0;
}

static int by_sighting_time(const void *a, const void *b)
{
    const struct sighting *x = a, *y = b;
    if (x->t_ns != y->t_ns)
        return x->t_ns < y->t_ns ? -1 : 1;
    return (x->server > y->server) - (x->server < y->server);
}

static bool is_move(const struct moves_search *s, size_t i)
{
    return s->sightings[i].server != s->sightings[i - 1].server;
}

static void move_add(struct moves_search *s, const struct served_target *levels,
                     size_t i)
{
    const struct sighting *last = &s->sightings[i - 1], *first = &s->sightings[i];
    table_add_row(s->ret);
    table_set_text(s->ret, 0, levels->cluster);
    table_set_text(s->ret, 1, levels->name);
    table_set_text(s->ret, 2, levels[last->server].server);
    table_set_text(s->ret, 3, levels[first->server].server);
    table_set_i64(s->ret, 4, last->t_ns / NS_PER_MS);
    table_set_i64(s->ret, 5, first->t_ns / NS_PER_MS);
}

/* All levels are of one target. */
static int target_follow(struct moves_search *s, const struct served_target *levels,
                         size_t level_count)
{
    const struct metric_range range = { s->opts->from_ns, s->opts->to_ns, on_sighting,
                                        s };
    size_t moves = 0;
    metric_visit_step(&s->visit);
    int rc = s->opts->watch ? s->opts->watch(s->opts->watch_arg) : 0;
    s->sighting_count = 0;
    for (s->server = 0; rc == 0 && s->server < level_count; s->server++) {
        struct metric_read read = { 0 };
        rc = metric_store_read(s->opts->store, levels[s->server].series, &range, &read);
    }
    if (s->sighting_count > 1)
        qsort(s->sightings, s->sighting_count, sizeof *s->sightings, by_sighting_time);
    for (size_t i = 1; rc == 0 && i < s->sighting_count; i++)
        moves += is_move(s, i);
    for (size_t i = 1;
         rc == 0 && moves <= TARGET_MOVES_EACH_MAX && i < s->sighting_count; i++)
        if (is_move(s, i))
            move_add(s, levels, i);
    return rc;
}

/* Those that one server alone ever had are not read. */
static int targets_follow(struct moves_search *s)
{
    int rc = 0;
    for (size_t first = 0, next; rc == 0 && first < s->count; first = next) {
        for (next = first + 1;
             next < s->count && is_same_target(&s->served[first], &s->served[next]);
             next++)
            ;
        if (next - first > 1)
            rc = target_follow(s, &s->served[first], next - first);
    }
    return rc;
}

static void moves_columns_add(struct table *table)
{
    table_add_column(table, "cluster", TABLE_TEXT, "");
    table_add_column(table, "target", TABLE_TEXT, "");
    table_add_column(table, "from_server", TABLE_TEXT, "");
    table_add_column(table, "to_server", TABLE_TEXT, "");
    table_add_column(table, "last", TABLE_TIME, "");
    table_add_column(table, "first", TABLE_TIME, "");
}

int target_moves_read(const struct target_moves_opts *opts, struct table *ret,
                      struct err *err)
{
    struct moves_search s = { .opts = opts, .ret = ret };
    s.metric = metric_find(metric_store_metrics(opts->store), span_of(MOVES_METRIC));
    const struct target_levels_opts levels = { opts->store,     opts->watch,
                                               opts->watch_arg, opts->fs,
                                               on_served_level, &s };
    moves_columns_add(ret);
    metric_visit_begin(&s.visit, opts->store);
    int rc = target_levels_visit(&levels, &s.visit);
    if (s.count > 1)
        qsort(s.served, s.count, sizeof *s.served, by_target);
    if (rc == 0)
        rc = targets_follow(&s);
    metric_visit_end(&s.visit);
    free(s.served);
    free(s.sightings);
    if (rc == 0 && s.count == 0)
        return err_set(err, ENOENT,
                       "fs: no server has sent anything of a target of '%s' (agents of "
                       "Lustre servers do, with totals_interval)",
                       opts->fs);
    return rc < 0 ? rc : table_error(ret);
}
