/* SPDX-License-Identifier: Apache-2.0 */
/* job_phases - the phases of a run. */
#include "analysis/footprint/job_phases.h"

#include "analysis/footprint/node_medians.h"
#include "analysis/footprint/phase_acts.h"
#include "analysis/footprint/phase_segments.h"
#include "base/number.h"

#include <errno.h>
#include <math.h>

struct phasing {
    const struct node_samples *samples;
    struct arena *arena;
    const struct node_samples_metric *chosen[PHASE_KIND_COUNT]; /* NULL: none */
    struct phase_metric metrics[PHASE_KIND_COUNT];
    struct phase_range ranges[PHASE_KIND_COUNT];
    const double *series[PHASE_KIND_COUNT]; /* of each of metrics */
    size_t metric_count;
    struct phase_cut cut;
    double *space;
    double *medians; /* [segment * metric_count + metric] */
};

/* ---- which metrics ---- */

/* The best metric of each kind. */
static void kinds_choose(struct phasing *p)
{
    size_t ranks[PHASE_KIND_COUNT] = { 0 };
    for (size_t i = 0; i < p->samples->metric_count; i++) {
        const struct node_samples_metric *metric = &p->samples->metrics[i];
        size_t rank = 0;
        enum phase_kind kind = phase_kind_of(metric->name, &rank);
        if (kind == PHASE_KIND_NONE || (p->chosen[kind] && ranks[kind] <= rank))
            continue;
        p->chosen[kind] = metric;
        ranks[kind] = rank;
    }
}

static bool has_number(const double *series, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isnan(series[i]))
            return true;
    return false;
}

static int series_make(struct phasing *p)
{
    size_t windows = p->samples->window_count;
    for (size_t kind = 0; kind < PHASE_KIND_COUNT; kind++) {
        const struct node_samples_metric *metric = p->chosen[kind];
        if (!metric)
            continue;
        double *series = arena_alloc(p->arena, (windows + 1) * sizeof *series);
        if (!series)
            return -ENOMEM;
        node_medians_make(p->samples, metric, series);
        if (!has_number(series, windows))
            continue;
        p->series[p->metric_count] = series;
        p->ranges[p->metric_count].threshold = phase_act_threshold(
            (enum phase_kind)kind, metric->unit, metric->is_counter);
        p->metrics[p->metric_count++] =
            (struct phase_metric){ metric->name, metric->unit, (enum phase_kind)kind,
                                   phase_median(series, 0, windows, p->space) };
    }
    return 0;
}

/* ---- what was done ---- */

static int segments_measure(struct phasing *p)
{
    size_t count = p->cut.segment_count, n = p->metric_count;
    p->medians = arena_alloc(p->arena, (count * n + 1) * sizeof *p->medians);
    if (!p->medians)
        return -ENOMEM;
    for (size_t m = 0; m < n; m++) {
        struct phase_range *range = &p->ranges[m];
        range->low = range->high = NAN;
        for (size_t i = 0; i < count; i++) {
            double median = phase_median(p->series[m], p->cut.segments[i].from,
                                         p->cut.segments[i].to, p->space);
            p->medians[i * n + m] = median;
            range->low = fmin(range->low, median);
            range->high = fmax(range->high, median);
        }
    }
    return 0;
}

/* Of two levels that alternate both. */
static unsigned group_acts(const struct phasing *p, const struct phase_group *group)
{
    unsigned acts = 0;
    for (size_t i = group->first; i < group->end; i++)
        acts |= phase_acts_of(p->metrics, p->medians + i * p->metric_count, p->ranges,
                              p->metric_count, p->cut.segment_count);
    return acts;
}

static int level_mark(const struct phasing *p, size_t metric, double median)
{
    double limit = PHASE_EFFECT_MIN * p->cut.tops[metric];
    double apart = median - p->metrics[metric].median;
    return !(limit > 0) || !(fabs(apart) >= limit) ? 0 : apart > 0 ? 1 : -1;
}

/* Unix time, at most the end of what was observed. */
static int64_t phase_time(const struct node_samples *samples, size_t window)
{
    int64_t t_ns = samples->from_ns + (int64_t)window * samples->window_ns;
    return (t_ns < samples->to_ns ? t_ns : samples->to_ns) / NS_PER_S;
}

static int phase_make(const struct phasing *p, const struct phase_group *group,
                      struct job_phase *ret)
{
    const struct node_samples *s = p->samples;
    size_t from = p->cut.segments[group->first].from;
    size_t to = p->cut.segments[group->end - 1].to;
    struct phase_level *levels =
        arena_alloc(p->arena, (p->metric_count + 1) * sizeof *levels);
    if (!levels)
        return -ENOMEM;
    for (size_t m = 0; m < p->metric_count; m++) {
        levels[m].median = phase_median(p->series[m], from, to, p->space);
        levels[m].mark = level_mark(p, m, levels[m].median);
    }
    *ret = (struct job_phase){ .from = from,
                               .to = to,
                               .from_s = phase_time(s, from),
                               .to_s = phase_time(s, to),
                               .acts = group_acts(p, group),
                               .changes = group->end - group->first - 1,
                               .levels = levels };
    double length_s = (double)(s->to_ns - s->from_ns) / NS_PER_S;
    ret->share = length_s > 0 ? (double)(ret->to_s - ret->from_s) / length_s : 1;
    return 0;
}

static int phases_fill(struct phasing *p, struct job_phases *ret)
{
    size_t count = p->cut.group_count;
    struct job_phase *items = arena_alloc(p->arena, (count + 1) * sizeof *items);
    struct phase_metric *metrics =
        arena_alloc(p->arena, (p->metric_count + 1) * sizeof *metrics);
    if (!items || !metrics)
        return -ENOMEM;
    for (size_t m = 0; m < p->metric_count; m++)
        metrics[m] = p->metrics[m];
    for (size_t i = 0; i < count; i++) {
        int rc = phase_make(p, &p->cut.groups[i], &items[i]);
        if (rc < 0)
            return rc;
    }
    *ret = (struct job_phases){ metrics, p->metric_count, items, count };
    return 0;
}

int job_phases_make(const struct node_samples *samples, struct arena *arena,
                    struct job_phases *ret)
{
    struct phasing p = { .samples = samples, .arena = arena };
    size_t windows = samples->window_count;
    p.space = arena_alloc(arena, (windows + 1) * sizeof *p.space);
    if (!p.space)
        return -ENOMEM;
    kinds_choose(&p);
    int rc = series_make(&p);
    if (rc == 0 && p.metric_count == 0) {
        *ret = (struct job_phases){ 0 };
        return 0;
    }
    if (rc == 0)
        rc = phase_cut_make(p.series, p.metric_count, windows, JOB_PHASES_MAX, arena,
                            &p.cut);
    if (rc == 0)
        rc = segments_measure(&p);
    return rc < 0 ? rc : phases_fill(&p, ret);
}
