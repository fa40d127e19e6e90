/* SPDX-License-Identifier: Apache-2.0 */
/* metric - the table of metrics: name, unit, kind, step, aggregation.
 *
 *     name ─▶ metric ◀─ id        ids count from 0 and stay, whatever is declared again
 *
 * Metrics are declared from the configuration, or on the fly where the site allows it.
 * Declaring a known name again keeps its id and replaces the rest; series
 * that exist keep the step they were made with.
 *
 * Threads  metric_find() and metric_at(): any, without a lock; what they return stays
 *          as long as the table.  metric_declare(): any, one at a time by itself.
 */
#ifndef STORE_TREE_METRIC_H
#define STORE_TREE_METRIC_H

#include "base/cleanup.h"
#include "base/span_type.h"

#include <stdint.h>

#define METRIC_NAME_MAX 255
#define METRIC_UNIT_MAX 63
#define METRICS_MAX 65536

enum aggregation {
    AGGREGATE_SUM,
    AGGREGATE_AVG,
    AGGREGATE_NONE, /* only what a level has itself */
    AGGREGATION_COUNT,
};

enum metric_kind {
    METRIC_GAUGE,
    METRIC_COUNTER,
    METRIC_KIND_COUNT,
};

struct metric {
    uint32_t id;
    enum metric_kind kind;
    enum aggregation aggregation;
    int64_t step_ns; /* 0: each sample keeps its time */
    struct span name;
    struct span unit; /* may be empty */
};

struct metric_table;

/* Errors: -ENOMEM. */
int metric_table_new(struct metric_table **ret);
void metric_table_free(struct metric_table *table);
DEFINE_AUTO(struct metric_table, metric_table_free);

/* Everything of *metric but its id, which is given; names are copied.
 * Errors: -EINVAL (a name that is empty, too long or has control bytes; a step below
 * 0), -ENOSPC (METRICS_MAX), -ENOMEM. */
int metric_declare(struct metric_table *table, const struct metric *metric,
                   const struct metric **ret);

/* NULL: there is none. */
const struct metric *metric_find(const struct metric_table *table, struct span name);
const struct metric *metric_at(const struct metric_table *table, uint32_t id);
/* Ids below this are there. */
uint32_t metric_count(const struct metric_table *table);

#endif
