/* SPDX-License-Identifier: Apache-2.0 */
/* space_targets - what the targets of file systems hold, out of the metric store. */
#include "api/reading/space_targets.h"

#include "api/reading/metric_visit.h"
#include "api/reading/target_levels.h"
#include "base/span.h"

#include <math.h>
#include <stdlib.h>

enum { CAPACITY, FREE, AVAILABLE, FILES_TOTAL, FILES_FREE, METRIC_COUNT };

static const char *const metric_names[METRIC_COUNT] = {
    [CAPACITY] = "lustre_capacity_bytes",   [FREE] = "lustre_free_bytes",
    [AVAILABLE] = "lustre_available_bytes", [FILES_TOTAL] = "lustre_files_total",
    [FILES_FREE] = "lustre_files_free",
};

/* One target at one server. */
struct found_target {
    const char *cluster, *fs, *name; /* of the arena */
    bool is_mdt;
    const struct level *level;
};

/* One metric of one target, of all servers it was at. */
struct slots {
    const struct space_targets_opts *opts;
    double *values; /* the newest of each step */
    int64_t *times; /* theirs */
};

struct space_search {
    const struct space_targets_opts *opts;
    struct space_targets *ret;
    const struct metric *metrics[METRIC_COUNT]; /* NULL: the store has none */
    struct metric_visit visit;
    struct found_target *found;
    size_t count, capacity;
    double *values[METRIC_COUNT]; /* of the target that is read */
    int64_t *times;
};

void space_targets_done(struct space_targets *targets)
{
    free(targets->items);
    free(targets->values);
    arena_done(&targets->arena);
    *targets = (struct space_targets){ 0 };
}

/* ---- which targets there are ---- */

static int found_capacity(struct space_search *s)
{
    if (s->count < s->capacity)
        return 0;
    size_t capacity = s->capacity ? 2 * s->capacity : 64;
    int rc =
        budget_hold_add(s->opts->hold, (capacity - s->capacity) * sizeof *s->found);
    void *grown = rc < 0 ? NULL : reallocarray(s->found, capacity, sizeof *s->found);
    if (!grown)
        return rc < 0 ? rc : -ENOMEM;
    s->found = grown;
    s->capacity = capacity;
    return 0;
}

static int on_space_level(void *arg, const struct target_level *at)
{
    struct space_search *s = arg;
    struct arena *arena = &s->ret->arena;
    const struct metric *metric = s->metrics[CAPACITY];
    if (!metric ||
        !level_series_find(metric_store_tree(s->opts->store, at->level->shard),
                           at->level, metric->id))
        return 0;
    const struct found_target found = { .cluster = arena_dup(arena, at->cluster),
                                        .fs = arena_dup(arena, at->fs),
                                        .name = arena_dup(arena, at->name),
                                        .is_mdt = at->is_mdt,
                                        .level = at->level };
    if (!found.cluster || !found.fs || !found.name)
        return -ENOMEM;
    int rc = found_capacity(s);
    if (rc == 0)
        s->found[s->count++] = found;
    return rc;
}

static int by_target_name(const void *a, const void *b)
{
    const struct found_target *x = a, *y = b;
    int order = strcmp(x->cluster, y->cluster);
    if (order == 0)
        order = strcmp(x->fs, y->fs);
    return order ? order : strcmp(x->name, y->name);
}

/* ---- what they hold ---- */

static int on_space_samples(void *arg, const int64_t *times, const double *values,
                            size_t count)
{
    struct slots *slots = arg;
    const struct space_targets_opts *o = slots->opts;
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(values[i]) || times[i] < o->from_ns)
            continue;
        size_t slot = (size_t)((times[i] - o->from_ns) / o->step_ns);
        if (slot >= o->value_count || times[i] < slots->times[slot])
            continue;
        slots->times[slot] = times[i];
        slots->values[slot] = values[i];
    }
    return 0;
}

/* All levels are of one target. */
static int metric_fill(struct space_search *s, const struct found_target *levels,
                       size_t level_count, int metric)
{
    const struct space_targets_opts *o = s->opts;
    struct slots slots = { o, s->values[metric], s->times };
    const struct metric_range range = { o->from_ns,
                                        o->from_ns +
                                            (int64_t)o->value_count * o->step_ns,
                                        on_space_samples, &slots };
    int rc = 0;
    for (size_t i = 0; i < o->value_count; i++) {
        s->values[metric][i] = NAN;
        s->times[i] = INT64_MIN;
    }
    for (size_t i = 0; rc == 0 && s->metrics[metric] && i < level_count; i++) {
        const struct level *level = levels[i].level;
        struct metric_read read = { 0 };
        const struct level_series *series = level_series_find(
            metric_store_tree(o->store, level->shard), level, s->metrics[metric]->id);
        rc = series ? metric_store_read(o->store, series, &range, &read) : 0;
    }
    return rc;
}

/* What is used in each step, and what is used and available in the newest. */
static bool series_fill(const struct space_search *s, int total, int unused,
                        int available, double *used, struct space_series *ret)
{
    *ret = (struct space_series){ .used = used, .used_now = NAN, .available_now = NAN };
    for (size_t i = 0; i < s->opts->value_count; i++) {
        double usable = s->values[available][i];
        used[i] = s->values[total][i] - s->values[unused][i];
        if (!isfinite(usable)) /* of some sources the part of root is not known */
            usable = s->values[unused][i];
        if (!isfinite(used[i]) || !isfinite(usable))
            continue;
        ret->used_now = used[i];
        ret->available_now = usable;
    }
    return isfinite(ret->used_now);
}

/* The values of one target; without its space in the range it is left out. */
static int target_read(struct space_search *s, const struct found_target *levels,
                       size_t level_count)
{
    size_t count = s->opts->value_count;
    double *used = &s->ret->values[s->ret->count * SPACE_WHAT_COUNT * count];
    struct space_target target = { .cluster = levels->cluster,
                                   .fs = levels->fs,
                                   .name = levels->name,
                                   .is_mdt = levels->is_mdt,
                                   .newest_ns = INT64_MIN };
    metric_visit_step(&s->visit);
    int rc = s->opts->watch ? s->opts->watch(s->opts->watch_arg) : 0;
    for (int metric = METRIC_COUNT - 1; rc == 0 && metric >= 0; metric--)
        rc = metric_fill(s, levels, level_count, metric);
    if (rc < 0)
        return rc;
    /* The times are those of the capacity, which was read last. */
    for (size_t i = 0; i < count; i++)
        if (s->times[i] > target.newest_ns)
            target.newest_ns = s->times[i];
    bool has_bytes =
        series_fill(s, CAPACITY, FREE, AVAILABLE, used, &target.series[SPACE_BYTES]);
    bool has_inodes = series_fill(s, FILES_TOTAL, FILES_FREE, FILES_FREE, used + count,
                                  &target.series[SPACE_INODES]);
    if (target.newest_ns != INT64_MIN && (has_bytes || has_inodes))
        s->ret->items[s->ret->count++] = target;
    return 0;
}

static int targets_allocate(struct space_search *s)
{
    size_t count = s->opts->value_count;
    size_t cells = (s->count + 1) * SPACE_WHAT_COUNT * count;
    int rc = budget_hold_add(s->opts->hold, cells * sizeof(double) +
                                                s->count * sizeof(struct space_target));
    if (rc < 0)
        return rc;
    s->ret->items = calloc(s->count + 1, sizeof *s->ret->items);
    s->ret->values = calloc(cells, sizeof(double));
    return s->ret->items && s->ret->values ? 0 : -ENOMEM;
}

static int targets_read(struct space_search *s)
{
    size_t count = s->opts->value_count;
    AUTO_FREE double *values = calloc(METRIC_COUNT * count, sizeof *values);
    AUTO_FREE int64_t *times = calloc(count, sizeof *times);
    int rc = values && times ? targets_allocate(s) : -ENOMEM;
    s->times = times;
    for (size_t i = 0; rc == 0 && i < METRIC_COUNT; i++)
        s->values[i] = &values[i * count];
    for (size_t first = 0, next; rc == 0 && first < s->count; first = next) {
        for (next = first + 1;
             next < s->count && by_target_name(&s->found[first], &s->found[next]) == 0;
             next++)
            ;
        rc = target_read(s, &s->found[first], next - first);
    }
    return rc;
}

int space_targets_read(const struct space_targets_opts *opts, struct space_targets *ret,
                       struct err *err)
{
    struct space_search s = { .opts = opts, .ret = ret };
    struct metric_table *metrics = metric_store_metrics(opts->store);
    arena_init(&ret->arena, 0);
    for (size_t i = 0; i < METRIC_COUNT; i++)
        s.metrics[i] = metric_find(metrics, span_of(metric_names[i]));
    const struct target_levels_opts levels = { opts->store,     opts->watch,
                                               opts->watch_arg, opts->fs,
                                               on_space_level,  &s };
    metric_visit_begin(&s.visit, opts->store);
    int rc = target_levels_visit(&levels, &s.visit);
    if (s.count > 1)
        qsort(s.found, s.count, sizeof *s.found, by_target_name);
    if (rc == 0)
        rc = targets_read(&s);
    metric_visit_end(&s.visit);
    free(s.found);
    if (rc == 0 && ret->count == 0)
        return err_set(err, ENOENT,
                       "fs: no target of '%s' has sent its space in this range (agents "
                       "of Lustre servers do, with totals_interval)",
                       opts->fs);
    return rc;
}
