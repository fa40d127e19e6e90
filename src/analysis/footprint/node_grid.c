/* SPDX-License-Identifier: Apache-2.0 */
/* node_grid - the samples of nodes by what a metric is about. */
#include "analysis/footprint/node_grid.h"

#include "analysis/footprint/job_footprint.h"
#include "analysis/stats/stats.h"

#include <errno.h>
#include <math.h>

/* The best metric of each role. */
static void metrics_choose(struct node_grid *g)
{
    size_t ranks[METRIC_ROLE_COUNT] = { 0 };
    for (size_t i = 0; i < g->samples->metric_count; i++) {
        const struct node_samples_metric *metric = &g->samples->metrics[i];
        size_t rank = 0;
        enum metric_role role = metric_role_of(metric->name, &rank);
        if (role == METRIC_ROLE_NONE || (g->metrics[role] && ranks[role] <= rank))
            continue;
        g->metrics[role] = metric;
        ranks[role] = rank;
    }
}

static size_t rows_of_all(const struct node_samples *samples)
{
    size_t most = 0;
    for (size_t i = 0; i < samples->metric_count; i++)
        if (samples->metrics[i].row_count > most)
            most = samples->metrics[i].row_count;
    return most;
}

static void rows_set(struct node_grid *g)
{
    for (size_t role = 0; role < METRIC_ROLE_COUNT; role++) {
        const struct node_samples_metric *metric = g->metrics[role];
        for (size_t i = 0; metric && i < metric->row_count; i++)
            if (!metric->rows[i].device[0] && metric->rows[i].host < g->hosts)
                g->rows[role * g->hosts + metric->rows[i].host] =
                    metric->rows[i].values;
    }
}

int node_grid_init(struct node_grid *grid, const struct node_samples *samples,
                   struct arena *arena)
{
    struct node_grid g = { .samples = samples,
                           .hosts = samples->host_count,
                           .windows = samples->window_count };
    size_t most = g.hosts + g.windows + rows_of_all(samples) + 1;
    g.rows = arena_alloc(arena, (METRIC_ROLE_COUNT * g.hosts + 1) * sizeof *g.rows);
    g.numbers = arena_alloc(arena, most * sizeof *g.numbers);
    g.medians = arena_alloc(arena, most * sizeof *g.medians);
    g.idle_from = arena_alloc(arena, (g.hosts + 1) * sizeof *g.idle_from);
    g.is_master = arena_alloc(arena, (g.hosts + 1) * sizeof *g.is_master);
    if (!g.rows || !g.numbers || !g.medians || !g.idle_from || !g.is_master)
        return -ENOMEM;
    metrics_choose(&g);
    rows_set(&g);
    for (size_t host = 0; host < g.hosts; host++)
        g.idle_from[host] = g.windows;
    *grid = g;
    return 0;
}

double node_grid_median(const struct node_grid *grid, const double *row, size_t from,
                        size_t to)
{
    size_t count = 0;
    for (size_t w = from; row && w < to; w++)
        if (!isnan(row[w]))
            grid->numbers[count++] = row[w];
    return quantile(grid->numbers, numbers_sort(grid->numbers, count), 0.5);
}

double node_grid_mean(const double *row, size_t from, size_t to)
{
    double sum = 0;
    size_t count = 0;
    for (size_t w = from; row && w < to; w++) {
        if (isnan(row[w]))
            continue;
        sum += row[w];
        count++;
    }
    return count > 0 ? sum / (double)count : NAN;
}

double node_grid_others(const struct node_grid *grid, enum metric_role role,
                        size_t window, size_t but)
{
    size_t count = 0;
    for (size_t host = 0; host < grid->hosts; host++) {
        const double *row = node_grid_row(grid, role, host);
        if (host != but && row && !isnan(row[window]) && !grid->is_master[host] &&
            window < grid->idle_from[host])
            grid->numbers[count++] = row[window];
    }
    return quantile(grid->numbers, numbers_sort(grid->numbers, count), 0.5);
}

/* ---- which nodes work ---- */

#define IDLE_BUSY_PERCENT 2.0
#define IDLE_FLOPS_SHARE 0.02 /* of what the busiest nodes did */
#define IDLE_WINDOWS_MIN 3
#define IDLE_SHARE_MIN 0.9    /* of the windows from its beginning */
#define MASTER_LOAD_SHARE 0.2 /* of the other nodes' */
#define GPU_BUSY_PERCENT 5.0

enum activity {
    ACTIVITY_UNKNOWN,
    ACTIVITY_NONE,
    ACTIVITY_SOME,
};

/* The node's GPUs may do all the work. */
static bool is_gpu_busy(const struct node_grid *g, size_t host, size_t window)
{
    const struct node_samples_metric *metric = g->metrics[METRIC_ROLE_GPU_BUSY];
    for (size_t i = 0; metric && i < metric->row_count; i++)
        if (metric->rows[i].host == host &&
            metric->rows[i].values[window] > GPU_BUSY_PERCENT)
            return true;
    return false;
}

static double value_at(const struct node_grid *g, enum metric_role role, size_t host,
                       size_t window)
{
    const double *row = node_grid_row(g, role, host);
    return row ? row[window] : NAN;
}

/* usual_flops: of the job's nodes where they computed; NaN: not known. */
static enum activity activity_of(const struct node_grid *g, double usual_flops,
                                 size_t host, size_t window)
{
    double load = value_at(g, METRIC_ROLE_LOAD, host, window);
    double busy = value_at(g, METRIC_ROLE_CPU_BUSY, host, window);
    double flops = value_at(g, METRIC_ROLE_FLOPS, host, window);
    bool is_computing = flops > IDLE_FLOPS_SHARE * usual_flops;
    if (is_gpu_busy(g, host, window))
        return ACTIVITY_SOME;
    if (!isnan(load))
        return load < FOOTPRINT_IDLE_LOAD && !is_computing ? ACTIVITY_NONE
                                                           : ACTIVITY_SOME;
    if (!isnan(busy))
        return busy < IDLE_BUSY_PERCENT && !is_computing ? ACTIVITY_NONE
                                                         : ACTIVITY_SOME;
    if (isnan(flops) || !(usual_flops > 0))
        return ACTIVITY_UNKNOWN;
    return is_computing ? ACTIVITY_SOME : ACTIVITY_NONE;
}

/* Of all nodes and windows: nine tenths of the way up. */
static double usual_flops_of(const struct node_grid *g)
{
    double most = NAN;
    for (size_t host = 0; host < g->hosts; host++)
        most = fmax(most, node_grid_median(g, node_grid_row(g, METRIC_ROLE_FLOPS, host),
                                           0, g->windows));
    return most;
}

/* The first window from which on it did nothing to the end; windows: it worked. */
static size_t idle_from(const struct node_grid *g, double usual_flops, size_t host)
{
    size_t known = 0, idle = 0, from = g->windows, least = 0;
    for (size_t w = g->windows; w-- > 0;) {
        enum activity activity = activity_of(g, usual_flops, host, w);
        known += activity != ACTIVITY_UNKNOWN;
        idle += activity == ACTIVITY_NONE;
        if (activity != ACTIVITY_NONE || (double)idle < IDLE_SHARE_MIN * (double)known)
            continue;
        from = w;
        least = idle;
    }
    bool is_long =
        (double)(g->windows - from) >= FOOTPRINT_IDLE_SHARE * (double)g->windows;
    return is_long && least >= IDLE_WINDOWS_MIN ? from : g->windows;
}

/* Of one node its load is little, its flops are none, and others have work. */
static bool is_master(const struct node_grid *g, double usual_flops, size_t host)
{
    double load =
        node_grid_median(g, node_grid_row(g, METRIC_ROLE_LOAD, host), 0, g->windows);
    double flops =
        node_grid_median(g, node_grid_row(g, METRIC_ROLE_FLOPS, host), 0, g->windows);
    size_t count = 0;
    if (g->idle_from[host] < g->windows || flops > IDLE_FLOPS_SHARE * usual_flops)
        return false;
    for (size_t other = 0; other < g->hosts; other++) {
        const double *row = node_grid_row(g, METRIC_ROLE_LOAD, other);
        if (other == host || !row || g->idle_from[other] < g->windows)
            continue;
        g->medians[count++] = node_grid_mean(row, 0, g->windows);
    }
    double usual = quantile(g->medians, numbers_sort(g->medians, count), 0.5);
    return load < MASTER_LOAD_SHARE * usual;
}

/* ---- a master process that waits for I/O ----
 *
 * Its load is no little one then: a process that waits for a disk counts.  It is known
 * by what it does not do while the others compute, and by what it sends. */

#define PART_SHARE_MAX 0.2 /* of the others' work; a slow node does more than that */
/* Of the others: a node with little work of a job that is divided unevenly sends as
 * much as they do. */
#define MASTER_NETWORK_RATIO 1.5
#define PART_PEAK_SHARE 0.3 /* of the peak: above it the others compute */

/* What the host did of this, of what the others did while they computed; NaN: not
 * known.  g->medians has the others'. */
static double work_share_of(const struct node_grid *g, enum metric_role role,
                            double peak, size_t host)
{
    const double *row = node_grid_row(g, role, host);
    double own = 0, others = 0;
    for (size_t w = 0; row && w < g->windows; w++) {
        if (isnan(row[w]) || !(g->medians[w] >= PART_PEAK_SHARE * peak))
            continue;
        own += row[w];
        others += g->medians[w];
    }
    return others > 0 ? own / others : NAN;
}

/* Where its network was not observed it may have been a master. */
static bool is_sending(const struct node_grid *g, size_t host)
{
    const double *row = node_grid_row(g, METRIC_ROLE_NETWORK, host);
    double own = node_grid_mean(row, 0, g->windows);
    size_t count = 0;
    for (size_t other = 0; other < g->hosts; other++) {
        row = node_grid_row(g, METRIC_ROLE_NETWORK, other);
        double mean = node_grid_mean(row, 0, g->windows);
        if (other != host && !isnan(mean))
            g->numbers[count++] = mean;
    }
    double usual = quantile(g->numbers, numbers_sort(g->numbers, count), 0.5);
    return isnan(own) || isnan(usual) || own >= MASTER_NETWORK_RATIO * usual;
}

/* By flops; by memory bandwidth of those whose flops were not observed. */
static size_t without_part(const struct node_grid *g, enum metric_role role,
                           size_t *ret_host)
{
    double peak = 0;
    size_t count = 0;
    for (size_t w = 0; w < g->windows; w++) {
        g->medians[w] = node_grid_others(g, role, w, SIZE_MAX);
        peak = fmax(peak, g->medians[w]);
    }
    for (size_t host = 0; peak > 0 && host < g->hosts; host++) {
        bool is_left =
            !g->is_master[host] && g->idle_from[host] == g->windows &&
            (role == METRIC_ROLE_FLOPS || !node_grid_row(g, METRIC_ROLE_FLOPS, host));
        if (!is_left || !(work_share_of(g, role, peak, host) <= PART_SHARE_MAX))
            continue;
        *ret_host = host;
        count++;
    }
    return count;
}

/* A job has one: which of several nodes without a part is it, is not known. */
static void busy_master_find(struct node_grid *g)
{
    size_t host = 0;
    size_t count = without_part(g, METRIC_ROLE_FLOPS, &host) +
                   without_part(g, METRIC_ROLE_MEMORY_BANDWIDTH, &host);
    if (count == 1 && is_sending(g, host))
        g->is_master[host] = true;
}

void node_grid_activity(struct node_grid *grid)
{
    double usual_flops = usual_flops_of(grid);
    for (size_t host = 0; host < grid->hosts; host++)
        grid->idle_from[host] = idle_from(grid, usual_flops, host);
    for (size_t host = 0; host < grid->hosts; host++)
        grid->is_master[host] = is_master(grid, usual_flops, host);
    busy_master_find(grid);
}
