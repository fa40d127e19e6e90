/* SPDX-License-Identifier: Apache-2.0 */
/* idle_nodes - which of a job's nodes did nothing. */
#include "analysis/footprint/idle_nodes.h"

#include <math.h>

#define PARALLEL_LOAD_MIN 2.0

static enum metric_role activity_role(const struct footprint_search *a)
{
    return footprint_metric_of(a, METRIC_ROLE_LOAD)       ? METRIC_ROLE_LOAD
           : footprint_metric_of(a, METRIC_ROLE_CPU_BUSY) ? METRIC_ROLE_CPU_BUSY
                                                          : METRIC_ROLE_FLOPS;
}

/* While one node reads the input its load is that of one process. */
static size_t parallel_windows(const struct footprint_search *a, size_t from)
{
    bool has_load = footprint_metric_of(a, METRIC_ROLE_LOAD) != NULL;
    size_t count = 0;
    for (size_t w = from; has_load && w < a->grid->windows; w++)
        count += node_grid_others(a->grid, METRIC_ROLE_LOAD, w, SIZE_MAX) >=
                 PARALLEL_LOAD_MIN;
    return count;
}

/* Of a job that goes on a node may still wait for its work. */
static bool is_idle(const struct footprint_search *a, size_t host)
{
    size_t from = a->grid->idle_from[host];
    return from < a->grid->windows &&
           (footprint_is_settled(a, a->grid->windows - from, FOOTPRINT_ALONE_S) ||
            footprint_is_settled(a, parallel_windows(a, from), FOOTPRINT_SETTLED_S));
}

int idle_nodes_find(struct footprint_search *a)
{
    const struct node_grid *g = a->grid;
    size_t first = g->windows, working = 0;
    double unused_s = 0;
    footprint_marks_clear(a);
    for (size_t host = 0; host < g->hosts; host++) {
        if (g->idle_from[host] == g->windows) {
            working += node_grid_row(g, activity_role(a), host) != NULL;
            continue;
        }
        if (!is_idle(a, host))
            continue;
        a->marks[host] = true;
        first = g->idle_from[host] < first ? g->idle_from[host] : first;
        unused_s +=
            (double)(a->ret->to_s - footprint_window_start(a, g->idle_from[host]));
    }
    if (first == g->windows)
        return 0;
    struct footprint_finding f = {
        .kind = FOOTPRINT_IDLE_NODE,
        .others = working,
        .value = footprint_median_of(a, activity_role(a), true, first),
        .usual = footprint_median_of(a, activity_role(a), false, first),
        .threshold = activity_role(a) == METRIC_ROLE_LOAD ? FOOTPRINT_IDLE_LOAD : NAN,
        .n = g->windows - first,
        .unused_s = unused_s,
        .high_s = unused_s / (double)g->hosts,
    };
    f.low_s = working > 0 ? 0 : f.high_s;
    return footprint_report(a, &f, activity_role(a), first);
}
