/* SPDX-License-Identifier: Apache-2.0 */
/* job_footprint - what a job's nodes did. */
#include "analysis/footprint/job_footprint.h"

#include "analysis/footprint/footprint_rules.h"
#include "analysis/footprint/footprint_search.h"
#include "analysis/footprint/node_grid.h"
#include "analysis/stats/stats.h"
#include "base/number.h"
#include "base/span.h"
#include "base/strbuf.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static const char *const kind_names[FOOTPRINT_KIND_COUNT] = {
    [FOOTPRINT_IDLE_NODE] = "idle-node",
    [FOOTPRINT_SLOW_NODE] = "slow-node",
    [FOOTPRINT_MEMORY_LIMIT_REACHED] = "memory-limit",
    [FOOTPRINT_SWAPPING] = "swapping",
    [FOOTPRINT_GPU_IDLE] = "gpu-unused",
    [FOOTPRINT_UNEVEN_NODES] = "uneven-nodes",
};

static const char *const cause_names[FOOTPRINT_CAUSE_COUNT] = {
    [FOOTPRINT_CAUSE_NONE] = "",       [FOOTPRINT_CAUSE_CLOCK] = "clock",
    [FOOTPRINT_CAUSE_POWER] = "power", [FOOTPRINT_CAUSE_BANDWIDTH] = "memory-bandwidth",
    [FOOTPRINT_CAUSE_LOAD] = "load",
};

const char *footprint_kind_name(enum footprint_kind kind)
{
    return kind_names[kind];
}

const char *footprint_cause_name(enum footprint_cause cause)
{
    return cause_names[cause];
}

/* ---- each metric over the nodes ---- */

struct summing {
    const struct node_samples *samples;
    struct arena *arena;
    double *averages, *sorted; /* a row each */
};

static const char *row_name(const struct summing *s, const struct node_samples_row *row)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    strbuf_adds(&text, s->samples->hosts[row->host]);
    if (row->device[0])
        strbuf_addf(&text, "/%s", row->device);
    return strbuf_error(&text) < 0 ? NULL : arena_dup(s->arena, strbuf_span(&text));
}

static void spread_set(const struct summing *s, size_t rows, struct footprint_metric *m)
{
    double sum = 0;
    for (size_t i = 0; i < rows; i++)
        s->sorted[i] = s->averages[i];
    size_t count = numbers_sort(s->sorted, rows);
    for (size_t i = 0; i < count; i++)
        sum += s->sorted[i];
    m->rows = count;
    m->average = count > 0 ? sum / (double)count : NAN;
    m->low = quantile(s->sorted, count, 0.25);
    m->median = quantile(s->sorted, count, 0.5);
    m->high = quantile(s->sorted, count, 0.75);
    for (size_t i = 0; i < count; i++)
        s->sorted[i] = fabs(s->sorted[i] - m->median);
    m->deviation = quantile(s->sorted, numbers_sort(s->sorted, count), 0.5);
}

/* Of rates the windows have the ends: samples are what was counted by then. */
static void extremes_add(const struct summing *s, bool is_counter,
                         const struct node_samples_row *row, struct footprint_metric *m)
{
    if (!is_counter) {
        m->min = fmin(m->min, row->min);
        m->max = fmax(m->max, row->max);
        return;
    }
    for (size_t w = 0; w < s->samples->window_count; w++) {
        m->min = fmin(m->min, row->values[w]);
        m->max = fmax(m->max, row->values[w]);
    }
}

static int ends_set(const struct summing *s, const struct node_samples_metric *metric,
                    struct footprint_metric *m)
{
    size_t low = SIZE_MAX, high = SIZE_MAX, last = SIZE_MAX;
    for (size_t i = 0; i < metric->row_count; i++) {
        const struct node_samples_row *row = &metric->rows[i];
        if (isnan(s->averages[i]))
            continue;
        m->nodes += row->host != last;
        last = row->host;
        extremes_add(s, metric->is_counter, row, m);
        if (low == SIZE_MAX || s->averages[i] < s->averages[low])
            low = i;
        if (high == SIZE_MAX || s->averages[i] > s->averages[high])
            high = i;
    }
    if (low == SIZE_MAX)
        return 0;
    m->lowest = row_name(s, &metric->rows[low]);
    m->highest = row_name(s, &metric->rows[high]);
    m->lowest_value = s->averages[low];
    m->highest_value = s->averages[high];
    return m->lowest && m->highest ? 0 : -ENOMEM;
}

static int metric_sum(const struct summing *s, const struct node_samples_metric *metric,
                      struct footprint_metric *m)
{
    *m = (struct footprint_metric){ .name = metric->name,
                                    .unit = metric->unit,
                                    .role = metric_role_of(metric->name, NULL),
                                    .min = NAN,
                                    .max = NAN,
                                    .lowest_value = NAN,
                                    .highest_value = NAN };
    for (size_t i = 0; i < metric->row_count; i++)
        s->averages[i] =
            node_grid_mean(metric->rows[i].values, 0, s->samples->window_count);
    spread_set(s, metric->row_count, m);
    return ends_set(s, metric, m);
}

static int metrics_sum(const struct node_samples *samples, struct arena *arena,
                       struct footprint *ret)
{
    struct footprint_metric *metrics =
        arena_alloc(arena, (samples->metric_count + 1) * sizeof *metrics);
    size_t rows = 1;
    for (size_t i = 0; i < samples->metric_count; i++)
        rows =
            samples->metrics[i].row_count > rows ? samples->metrics[i].row_count : rows;
    struct summing s = { samples, arena, arena_alloc(arena, rows * sizeof(double)),
                         arena_alloc(arena, rows * sizeof(double)) };
    int rc = metrics && s.averages && s.sorted ? 0 : -ENOMEM;
    for (size_t i = 0; rc == 0 && i < samples->metric_count; i++) {
        rc = metric_sum(&s, &samples->metrics[i], &metrics[ret->metric_count]);
        ret->metric_count += rc == 0 && metrics[ret->metric_count].rows > 0;
    }
    ret->metrics = metrics;
    return rc;
}

/* ---- which nodes have metrics ---- */

static int observed_count(const struct node_samples *samples, struct arena *arena,
                          struct footprint *ret)
{
    bool *is_dark = arena_alloc(arena, (samples->host_count + 1) * sizeof *is_dark);
    if (!is_dark)
        return -ENOMEM;
    for (size_t i = 0; i < samples->host_count; i++)
        is_dark[i] = true;
    for (size_t i = 0; i < samples->metric_count; i++)
        for (size_t j = 0; j < samples->metrics[i].row_count; j++)
            if (samples->metrics[i].rows[j].samples > 0)
                is_dark[samples->metrics[i].rows[j].host] = false;
    for (size_t i = 0; i < samples->host_count; i++)
        ret->observed += !is_dark[i];
    if (ret->observed < samples->host_count)
        ret->unobserved = footprint_hosts_text(samples, is_dark, arena);
    return ret->observed < samples->host_count && !ret->unobserved ? -ENOMEM : 0;
}

/* What costs are known come first, by their middle. */
static int by_cost(const void *a, const void *b)
{
    const struct footprint_finding *x = a, *y = b;
    double left = isnan(x->high_s) ? -1 : x->low_s + x->high_s;
    double right = isnan(y->high_s) ? -1 : y->low_s + y->high_s;
    if (left < right || left > right)
        return left > right ? -1 : 1;
    return (int)x->kind - (int)y->kind;
}

int footprint_make(const struct node_samples *samples, const struct footprint_job *job,
                   struct arena *arena, struct footprint *ret)
{
    struct footprint f = {
        .hosts = samples->host_count,
        .from_s = samples->from_ns / NS_PER_S,
        .to_s = samples->to_ns / NS_PER_S,
    };
    struct node_grid grid;
    int rc = metrics_sum(samples, arena, &f);
    if (rc == 0)
        rc = observed_count(samples, arena, &f);
    if (rc == 0)
        rc = job_phases_make(samples, arena, &f.phases);
    if (rc == 0)
        roofline_make(samples, &f.phases, &f.roofline);
    if (rc == 0)
        rc = node_grid_init(&grid, samples, arena);
    if (rc < 0)
        return rc;
    node_grid_activity(&grid);
    rc = footprint_rules_apply(&grid, job, arena, &f);
    if (rc < 0)
        return rc;
    if (f.finding_count > 1)
        qsort(f.findings, f.finding_count, sizeof *f.findings, by_cost);
    *ret = f;
    return 0;
}
