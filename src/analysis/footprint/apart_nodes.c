/* SPDX-License-Identifier: Apache-2.0 */
/* apart_nodes - which of a job's nodes are slow, or have more work than the others. */
#include "analysis/footprint/apart_nodes.h"

#include "analysis/stats/stats.h"

#include <math.h>

#define APART_SHARE_MIN 0.85  /* of the windows from its beginning */
#define APART_LENGTH_MIN 0.25 /* of the job's time */
#define WORKING_SHARE 0.3     /* of the peak: below it nodes wait, and differ */
#define OTHERS_SPREAD_MAX 0.15
#define SLOW_HOSTS_SHARE 0.13 /* more of them are no exception */
/* Bandwidth and power follow the work: in a few samples they differ by themselves. */
#define WORK_WINDOWS_MIN 6
#define LOAD_EXCESS 4.0
#define LOAD_EXCESS_RATIO 1.08
#define HEAVY_NAMED 0.9 /* of the heaviest */

/* Hosts that work and are no master. */
static bool is_comparable(const struct node_grid *g, enum metric_role role, size_t host)
{
    return node_grid_row(g, role, host) && !g->is_master[host] &&
           g->idle_from[host] == g->windows;
}

static size_t comparable_count(const struct node_grid *g, enum metric_role role)
{
    size_t count = 0;
    for (size_t host = 0; host < g->hosts; host++)
        count += is_comparable(g, role, host);
    return count;
}

static bool is_apart(enum metric_role role, double value, double others)
{
    if (role == METRIC_ROLE_LOAD)
        return value > others + LOAD_EXCESS && value > others * LOAD_EXCESS_RATIO;
    return value < others * FOOTPRINT_SLOW_RATIO;
}

static size_t windows_min(enum metric_role role)
{
    return role == METRIC_ROLE_MEMORY_BANDWIDTH || role == METRIC_ROLE_POWER
               ? WORK_WINDOWS_MIN
               : FOOTPRINT_WINDOWS_MIN;
}

/* The first window from which on it differs from the others to the end; windows: it
 * does not.  g->medians has what all do in each window. */
static size_t apart_from(const struct node_grid *g, enum metric_role role, size_t host,
                         double peak)
{
    const double *row = node_grid_row(g, role, host);
    size_t known = 0, apart = 0, from = g->windows, least = 0;
    for (size_t w = g->windows; w-- > 0;) {
        if (isnan(row[w]) || !(g->medians[w] >= WORKING_SHARE * peak))
            continue;
        known++;
        if (!is_apart(role, row[w], g->medians[w]))
            continue;
        apart++;
        if ((double)apart < APART_SHARE_MIN * (double)known)
            continue;
        from = w;
        least = apart;
    }
    bool is_long = (double)(g->windows - from) >= APART_LENGTH_MIN * (double)g->windows;
    return is_long && least >= windows_min(role) ? from : g->windows;
}

static double peak_of(const struct node_grid *g, enum metric_role role)
{
    double peak = 0;
    for (size_t w = 0; w < g->windows; w++) {
        g->medians[w] = node_grid_others(g, role, w, SIZE_MAX);
        peak = fmax(peak, g->medians[w]);
    }
    return peak;
}

/* Whether those that are not marked differ little. */
static bool is_tight(const struct footprint_search *a, enum metric_role role)
{
    const struct node_grid *g = a->grid;
    size_t count = 0;
    for (size_t host = 0; host < g->hosts; host++)
        if (is_comparable(g, role, host) && !a->marks[host])
            g->medians[count++] =
                node_grid_median(g, node_grid_row(g, role, host), 0, g->windows);
    count = numbers_sort(g->medians, count);
    double median = quantile(g->medians, count, 0.5);
    return count + 1 >= FOOTPRINT_NODES_MIN &&
           quantile(g->medians, count, 0.1) >= median * (1 - OTHERS_SPREAD_MAX) &&
           quantile(g->medians, count, 0.9) <= median * (1 + OTHERS_SPREAD_MAX);
}

/* Mark the few that are apart by this metric.  Returns the first window; windows: there
 * is none. */
static size_t apart_mark(struct footprint_search *a, enum metric_role role)
{
    const struct node_grid *g = a->grid;
    size_t comparable = comparable_count(g, role), first = g->windows;
    double peak = peak_of(g, role);
    footprint_marks_clear(a);
    if (comparable < FOOTPRINT_NODES_MIN || !(peak > 0))
        return g->windows;
    for (size_t host = 0; host < g->hosts; host++) {
        size_t from =
            is_comparable(g, role, host) ? apart_from(g, role, host, peak) : g->windows;
        a->marks[host] = from < g->windows;
        first = from < first ? from : first;
    }
    size_t most = (size_t)(SLOW_HOSTS_SHARE * (double)comparable);
    bool is_few = footprint_marks_count(a) <= (most > 1 ? most : 1);
    return is_few && footprint_marks_count(a) > 0 && is_tight(a, role) ? first
                                                                       : g->windows;
}

/* In lockstep all wait for it; of independent work it only lacks its own part. */
static int slow_report(struct footprint_search *a, enum footprint_cause cause,
                       enum metric_role role, size_t first)
{
    const struct node_grid *g = a->grid;
    double value = footprint_median_of(a, role, true, first);
    double usual = footprint_median_of(a, role, false, first);
    double lost = role == METRIC_ROLE_LOAD ? 1 - usual / value : 1 - value / usual;
    double seconds = (double)(a->ret->to_s - footprint_window_start(a, first));
    struct footprint_finding f = {
        .kind = FOOTPRINT_SLOW_NODE,
        .cause = cause,
        .others = comparable_count(g, role) - footprint_marks_count(a),
        .value = value,
        .usual = usual,
        .threshold = role == METRIC_ROLE_LOAD ? usual + LOAD_EXCESS
                                              : usual * FOOTPRINT_SLOW_RATIO,
        .n = g->windows - first,
        .low_s = lost * seconds * (double)footprint_marks_count(a) / (double)g->hosts,
        .high_s = lost * seconds,
        .unused_s = NAN,
    };
    return footprint_report(a, &f, role, first);
}

/* A lack of flops or bandwidth is the node's doing only where it does not lack work:
 * the others differ little, and it is one of few. */
int slow_nodes_find(struct footprint_search *a)
{
    static const struct {
        enum metric_role role;
        enum footprint_cause cause;
    } rules[] = {
        { METRIC_ROLE_CLOCK, FOOTPRINT_CAUSE_CLOCK },
        { METRIC_ROLE_LOAD, FOOTPRINT_CAUSE_LOAD },
        { METRIC_ROLE_MEMORY_BANDWIDTH, FOOTPRINT_CAUSE_BANDWIDTH },
        { METRIC_ROLE_POWER, FOOTPRINT_CAUSE_POWER },
    };
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        size_t first = apart_mark(a, rules[i].role);
        if (first < a->grid->windows &&
            footprint_is_settled(a, a->grid->windows - first, FOOTPRINT_SETTLED_S))
            return slow_report(a, rules[i].cause, rules[i].role, first);
    }
    return 0;
}

/* ---- uneven work ---- */

/* While a job goes on, what one node did before the others began is a large part: the
 * first window in which most work; of how many it is the first. */
static size_t work_from(const struct footprint_search *a, enum metric_role role,
                        size_t *ret_count)
{
    const struct node_grid *g = a->grid;
    double peak = peak_of(g, role); /* fills g->medians */
    size_t from = g->windows;
    *ret_count = 0;
    for (size_t w = g->windows; w-- > 0;) {
        if (!(g->medians[w] >= WORKING_SHARE * peak))
            continue;
        from = w;
        ++*ret_count;
    }
    return a->job->is_over ? 0 : from;
}

int uneven_nodes_find(struct footprint_search *a)
{
    const struct node_grid *g = a->grid;
    enum metric_role role = footprint_metric_of(a, METRIC_ROLE_FLOPS)
                                ? METRIC_ROLE_FLOPS
                                : METRIC_ROLE_MEMORY_BANDWIDTH;
    double sum = 0, most = 0;
    size_t count = comparable_count(g, role);
    size_t working = 0, from = work_from(a, role, &working);
    footprint_marks_clear(a);
    if (count < FOOTPRINT_NODES_MIN ||
        !footprint_is_settled(a, working, FOOTPRINT_SETTLED_S))
        return 0;
    for (size_t host = 0; host < g->hosts; host++) {
        double mean =
            is_comparable(g, role, host)
                ? node_grid_mean(node_grid_row(g, role, host), from, g->windows)
                : 0;
        sum += mean;
        most = fmax(most, mean);
    }
    double mean = sum / (double)count;
    if (!(most >= FOOTPRINT_HEAVY_RATIO * mean) || !(mean > 0))
        return 0;
    for (size_t host = 0; host < g->hosts; host++)
        a->marks[host] = is_comparable(g, role, host) &&
                         node_grid_mean(node_grid_row(g, role, host), from,
                                        g->windows) >= HEAVY_NAMED * most;
    struct footprint_finding f = {
        .kind = FOOTPRINT_UNEVEN_NODES,
        .others = count - footprint_marks_count(a),
        .value = most,
        .usual = mean,
        .threshold = FOOTPRINT_HEAVY_RATIO * mean,
        .n = g->windows - from,
        .low_s = 0,
        .high_s = a->length_s * (1 - mean / most),
        .unused_s = NAN,
    };
    return footprint_report(a, &f, role, from);
}
