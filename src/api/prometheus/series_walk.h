/* SPDX-License-Identifier: Apache-2.0 */
/* series_walk - the series of the metric store that fit matchers, one after another.
 *
 *     matchers ─▶ metrics that fit ─┐
 *              ─▶ clusters, hosts ──┴▶ levels ─▶ series ─▶ fn
 *
 * Nothing is listed; a host that is named is looked up, not searched.
 * Threads  one worker's, inside a visit of the store.
 */
#ifndef API_PROMETHEUS_SERIES_WALK_H
#define API_PROMETHEUS_SERIES_WALK_H

#include "api/prometheus/component_labels.h"
#include "api/reading/reading.h"

struct series_walk {
    struct metric_visit *visit;
    int (*watch)(void *arg); /* shall it go on?  Below 0: not.  NULL: always */
    void *watch_arg;
    const struct matcher *matchers;
    size_t matcher_count;
    /* labels has all labels of the series, and is the walk's until fn returns.  Not 0
     * ends the walk with that value. */
    int (*fn)(void *arg, const struct component_labels *labels,
              struct level_series *series);
    void *arg;
};

/* Errors: -ENOMEM, what watch and fn return. */
int series_walk_run(const struct series_walk *walk);

#endif
