/* SPDX-License-Identifier: Apache-2.0 */
/* space_check - file systems and their targets: used, growth, full when. */
#include "analysis/space/space_check.h"

#include "base/cleanup.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The targets of one file system. */
struct group {
    const struct space_check_opts *opts;
    const struct space_target *targets;
    size_t count;
    struct space_row *rows; /* theirs, in the same order */
    int64_t newest_ns;
    size_t new_index; /* the newest beginning of a new target; 0: none */
    double *sum;      /* scratch */
};

double space_share(const struct space_use *use)
{
    double all = use->used + use->available;
    return use->is_known && all > 0 ? use->used / all : NAN;
}

void space_results_done(struct space_results *results)
{
    free(results->rows);
    *results = (struct space_results){ 0 };
}

static size_t first_value(const double *used, size_t count)
{
    size_t i = 0;
    while (i < count && !isfinite(used[i]))
        i++;
    return i;
}

static bool is_of_group(const struct space_target *a, const struct space_target *b)
{
    return strcmp(a->cluster, b->cluster) == 0 && strcmp(a->fs, b->fs) == 0;
}

static bool series_is_known(const struct space_series *s)
{
    return s->used && isfinite(s->used_now) && isfinite(s->available_now) &&
           s->used_now + s->available_now > 0;
}

/* Whether a target began empty, and after the range did. */
static bool target_is_new(const struct space_target *t, size_t count, size_t *ret_index)
{
    const struct space_series *s = &t->series[SPACE_BYTES];
    if (!series_is_known(s))
        return false;
    size_t first = first_value(s->used, count);
    *ret_index = first;
    return first > 0 && first < count &&
           s->used[first] <= SPACE_NEW_SHARE * (s->used_now + s->available_now);
}

/* ---- one trend ---- */

static int use_find(const struct space_check_opts *o, const double *used, size_t skip,
                    int64_t now_ns, struct space_use *use)
{
    size_t first = skip < o->count ? skip : o->count - 1;
    const struct space_trend_opts opts = { .used = used + first,
                                           .count = o->count - first,
                                           .step_ns = o->step_ns,
                                           .capacity = use->used + use->available,
                                           .available = use->available,
                                           .now_ns = now_ns,
                                           .history_ns_min = o->history_ns_min };
    use->is_known = true;
    return space_trend_of(&opts, &use->trend);
}

static int target_check(const struct group *g, size_t index)
{
    const struct space_target *t = &g->targets[index];
    struct space_row *row = &g->rows[index];
    int rc = 0;
    for (int what = 0; rc == 0 && what < SPACE_WHAT_COUNT; what++) {
        const struct space_series *s = &t->series[what];
        struct space_use *use = &row->use[what];
        if (!series_is_known(s))
            continue;
        use->used = s->used_now;
        use->available = s->available_now;
        rc = use_find(g->opts, s->used, g->new_index, t->newest_ns, use);
    }
    return rc;
}

/* ---- a file system ---- */

/* Bytes are those of OSTs, inodes those of MDTs. */
static bool is_summed(const struct group *g, size_t index, enum space_what what)
{
    const struct space_target *t = &g->targets[index];
    return t->is_mdt == (what == SPACE_INODES) && !g->rows[index].is_stale &&
           series_is_known(&t->series[what]);
}

/* Before a new target there was nothing on it. */
static double value_of(const struct group *g, size_t index, enum space_what what,
                       size_t at)
{
    const double *used = g->targets[index].series[what].used;
    if (g->rows[index].is_new && at < first_value(used, g->opts->count))
        return 0;
    return used[at];
}

static int sum_check(struct group *g, enum space_what what, struct space_row *row)
{
    struct space_use *use = &row->use[what];
    size_t summed = 0;
    for (size_t i = 0; i < g->opts->count; i++)
        g->sum[i] = 0;
    for (size_t i = 0; i < g->count; i++) {
        if (!is_summed(g, i, what))
            continue;
        const struct space_target *t = &g->targets[i];
        for (size_t at = 0; at < g->opts->count; at++)
            g->sum[at] += value_of(g, i, what, at);
        use->used += t->series[what].used_now;
        use->available += t->series[what].available_now;
        row->newest_ns = t->newest_ns < row->newest_ns ? t->newest_ns : row->newest_ns;
        summed++;
    }
    if (summed == 0)
        return 0;
    size_t first = first_value(g->sum, g->opts->count);
    int64_t since_ns = g->opts->from_ns + (int64_t)first * g->opts->step_ns;
    if (first > 0 && since_ns > row->since_ns)
        row->since_ns = since_ns;
    return use_find(g->opts, g->sum, 0, g->newest_ns, use);
}

static void group_begin(struct group *g)
{
    for (size_t i = 0; i < g->count; i++)
        if (g->targets[i].newest_ns > g->newest_ns)
            g->newest_ns = g->targets[i].newest_ns;
    for (size_t i = 0; i < g->count; i++) {
        const struct space_target *t = &g->targets[i];
        size_t first = 0;
        struct space_row row = { .target = t, .newest_ns = t->newest_ns };
        row.is_stale = g->newest_ns - t->newest_ns > g->opts->stale_ns;
        row.is_new = target_is_new(t, g->opts->count, &first);
        if (row.is_new && first > g->new_index)
            g->new_index = first;
        g->rows[i] = row;
    }
}

static int group_check(struct group *g, struct space_row *fs)
{
    int rc = 0;
    group_begin(g);
    *fs = (struct space_row){ .target = g->targets,
                              .is_fs = true,
                              .newest_ns = g->newest_ns };
    for (size_t i = 0; i < g->count && rc == 0; i++) {
        fs->osts += !g->targets[i].is_mdt;
        fs->mdts += g->targets[i].is_mdt;
        fs->stale += g->rows[i].is_stale;
        fs->is_new |= g->rows[i].is_new;
        if (g->new_index > 0)
            g->rows[i].since_ns =
                g->opts->from_ns + (int64_t)g->new_index * g->opts->step_ns;
        rc = target_check(g, i);
    }
    for (int what = 0; rc == 0 && what < SPACE_WHAT_COUNT; what++)
        rc = sum_check(g, (enum space_what)what, fs);
    return rc;
}

int space_check(const struct space_check_opts *opts, struct space_results *ret)
{
    AUTO(space_results_done) struct space_results r = { 0 };
    if (opts->count < 1 || opts->count > SPACE_VALUES_MAX || opts->step_ns <= 0)
        return -EINVAL;
    AUTO_FREE double *sum = calloc(opts->count, sizeof *sum);
    r.rows = calloc(2 * opts->target_count + 1, sizeof *r.rows);
    if (!sum || !r.rows)
        return -ENOMEM;
    for (size_t first = 0, next; first < opts->target_count; first = next) {
        const struct space_target *targets = &opts->targets[first];
        for (next = first + 1;
             next < opts->target_count && is_of_group(targets, &opts->targets[next]);
             next++)
            ;
        struct group g = { .opts = opts,
                           .targets = targets,
                           .count = next - first,
                           .rows = &r.rows[r.count + 1],
                           .newest_ns = INT64_MIN,
                           .sum = sum };
        int rc = group_check(&g, &r.rows[r.count]);
        if (rc < 0)
            return rc;
        r.count += 1 + g.count;
        r.fs_count++;
    }
    *ret = r;
    r = (struct space_results){ 0 };
    return 0;
}
