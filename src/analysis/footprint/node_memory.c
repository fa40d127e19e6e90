/* SPDX-License-Identifier: Apache-2.0 */
/* node_memory - whether the memory of a job's nodes was enough. */
#include "analysis/footprint/node_memory.h"

#include "analysis/stats/stats.h"

#include <math.h>

#define MEMORY_WINDOWS 3

/* The most of what three samples after each other have in their middle, as a share of
 * all memory; *ret_window: where that is above the limit first, or windows. */
static double memory_most(const struct node_grid *g, size_t host, size_t *ret_window)
{
    const double *used = node_grid_row(g, METRIC_ROLE_MEMORY_USED, host);
    double total = node_grid_median(g, node_grid_row(g, METRIC_ROLE_MEMORY_TOTAL, host),
                                    0, g->windows);
    const struct node_samples_metric *u = g->metrics[METRIC_ROLE_MEMORY_USED];
    const struct node_samples_metric *t = g->metrics[METRIC_ROLE_MEMORY_TOTAL];
    double last[MEMORY_WINDOWS] = { 0 }, most = NAN;
    size_t count = 0;
    *ret_window = g->windows;
    if (!used || !(total > 0))
        return NAN;
    double scale = metric_unit_scale(u->unit) / metric_unit_scale(t->unit) / total;
    for (size_t w = 0; w < g->windows; w++) {
        if (isnan(used[w]))
            continue;
        last[count++ % MEMORY_WINDOWS] = used[w] * scale;
        double sorted[MEMORY_WINDOWS] = { last[0], last[1], last[2] };
        (void)numbers_sort(sorted, MEMORY_WINDOWS);
        if (count < MEMORY_WINDOWS)
            continue;
        most = fmax(most, sorted[1]);
        if (sorted[1] >= FOOTPRINT_MEMORY_LIMIT && *ret_window == g->windows)
            *ret_window = w;
    }
    return most;
}

int node_memory_find(struct footprint_search *a)
{
    const struct node_grid *g = a->grid;
    const struct node_samples_metric *total =
        footprint_metric_of(a, METRIC_ROLE_MEMORY_TOTAL);
    size_t first = g->windows;
    double most = NAN;
    footprint_marks_clear(a);
    for (size_t host = 0; host < g->hosts; host++) {
        size_t window = g->windows;
        double share = memory_most(g, host, &window);
        a->marks[host] = window < g->windows;
        most = fmax(most, share);
        first = window < first ? window : first;
    }
    bool is_killed = a->job->is_out_of_memory;
    if (first == g->windows && !is_killed)
        return 0;
    struct footprint_finding f = {
        .kind = FOOTPRINT_MEMORY_LIMIT_REACHED,
        .value = most * 100,
        .usual = NAN,
        .threshold = FOOTPRINT_MEMORY_LIMIT * 100,
        .n = g->windows - first,
        .low_s = is_killed ? a->length_s : NAN,
        .high_s = is_killed ? a->length_s : NAN,
        .unused_s = NAN,
    };
    int rc = footprint_report(a, &f, METRIC_ROLE_MEMORY_USED,
                              first < g->windows ? first : 0);
    struct footprint_finding *last = &a->ret->findings[a->ret->finding_count - 1];
    last->unit = total ? "%" : "";
    return rc;
}

/* By what the flops became less. */
static double swap_loss(const struct footprint_search *a, size_t window)
{
    double before = 0, after = 0;
    for (size_t host = 0; host < a->grid->hosts; host++) {
        const double *row = node_grid_row(a->grid, METRIC_ROLE_FLOPS, host);
        if (!a->marks[host] || !row)
            continue;
        before += node_grid_median(a->grid, row, 0, window);
        after += node_grid_median(a->grid, row, window, a->grid->windows);
    }
    return before > 0 ? fmax(0, 1 - after / before) : NAN;
}

int node_swap_find(struct footprint_search *a, bool *ret_found)
{
    const struct node_grid *g = a->grid;
    const struct node_samples_metric *metric =
        footprint_metric_of(a, METRIC_ROLE_SWAP_USED);
    size_t first = g->windows;
    footprint_marks_clear(a);
    *ret_found = false;
    for (size_t host = 0; metric && host < g->hosts; host++) {
        const double *row = node_grid_row(g, METRIC_ROLE_SWAP_USED, host);
        double scale = metric_unit_scale(metric->unit);
        double at_end =
            node_grid_median(g, row, g->windows - (g->windows + 3) / 4, g->windows);
        double base = node_grid_median(g, row, 0, (g->windows + 7) / 8);
        base = isnan(base) ? 0 : base;
        a->marks[host] = (at_end - base) * scale >= FOOTPRINT_SWAP_BYTES;
        for (size_t w = 0; a->marks[host] && w < g->windows && w < first; w++)
            if ((row[w] - base) * scale >= FOOTPRINT_SWAP_BYTES / 2)
                first = w;
    }
    if (!metric || footprint_marks_count(a) == 0)
        return 0;
    *ret_found = true;
    double seconds = (double)(a->ret->to_s - footprint_window_start(a, first));
    struct footprint_finding f = {
        .kind = FOOTPRINT_SWAPPING,
        .value = footprint_median_of(a, METRIC_ROLE_SWAP_USED, true, first),
        .usual = NAN,
        .threshold = FOOTPRINT_SWAP_BYTES / metric_unit_scale(metric->unit),
        .n = g->windows - first,
        .low_s = 0,
        .high_s = seconds * swap_loss(a, first),
        .unused_s = NAN,
    };
    f.low_s = isnan(f.high_s) ? NAN : 0;
    return footprint_report(a, &f, METRIC_ROLE_SWAP_USED, first);
}
