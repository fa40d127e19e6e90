/* SPDX-License-Identifier: Apache-2.0 */
/* store_source - samples of the metric store, for the engine of the language.
 *
 * Slots without a sample are left out; other values come as they were written.  Of
 * samples within one millisecond the last counts: times of the language are whole
 * milliseconds.
 * Memory   the samples of one series at a time, charged to a hold as they grow.
 * Threads  one worker's.
 */
#ifndef API_PROMETHEUS_STORE_SOURCE_H
#define API_PROMETHEUS_STORE_SOURCE_H

#include "api/prometheus/series_walk.h"
#include "base/system/budget.h"

struct store_source {
    struct metric_store *store;
    int (*watch)(void *arg); /* shall the query go on?  Below 0: not.  NULL: always */
    void *watch_arg;
    struct budget_hold *hold; /* NULL: no limit */
    uint64_t unreadable;      /* blocks that are damaged, so far */
};

/* Errors of its select: what watch returns, those of budget_hold_add(), -ENOMEM, of
 * files. */
struct promql_source store_source_for_query(struct store_source *source);

#endif
