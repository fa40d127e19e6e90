/* SPDX-License-Identifier: Apache-2.0 */
/* node_grid - the samples of nodes by what a metric is about; private to
 * analysis/footprint.
 *
 *     role ─▶ host ─▶ windows
 *
 * Memory   all of it lies in the arena.  Threads  none inside.
 */
#ifndef ANALYSIS_FOOTPRINT_NODE_GRID_H
#define ANALYSIS_FOOTPRINT_NODE_GRID_H

#include "analysis/footprint/metric_role.h"
#include "analysis/footprint/node_samples.h"
#include "base/arena.h"

struct node_grid {
    const struct node_samples *samples;
    const struct node_samples_metric *metrics[METRIC_ROLE_COUNT]; /* NULL: none */
    const double **rows; /* [role * hosts + host]; NULL: the host has no such metric */
    size_t hosts, windows;
    double *numbers, *medians; /* each has space for a number of each window, host and
                                * row */
    size_t *idle_from; /* a host each: from this window to the end it did nothing;
                        * windows: it worked */
    bool *is_master;   /* it has no work of its own, but talks to those that have */
};

/* Errors: -ENOMEM. */
int node_grid_init(struct node_grid *grid, const struct node_samples *samples,
                   struct arena *arena);

static inline const double *node_grid_row(const struct node_grid *grid,
                                          enum metric_role role, size_t host)
{
    return grid->rows[(size_t)role * grid->hosts + host];
}

/* Over the windows from..to; NaN: there is no number. */
double node_grid_median(const struct node_grid *grid, const double *row, size_t from,
                        size_t to);
double node_grid_mean(const double *row, size_t from, size_t to);
/* Over the hosts but one (SIZE_MAX: over all), in one window; idle hosts and masters
 * are left out. */
double node_grid_others(const struct node_grid *grid, enum metric_role role,
                        size_t window, size_t but);

/* Fill idle_from and is_master. */
void node_grid_activity(struct node_grid *grid);

#endif
