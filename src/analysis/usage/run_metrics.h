/* SPDX-License-Identifier: Apache-2.0 */
/* run_metrics - runs of jobs beside their footprints, as columns that are requested.
 *
 *     "cpu_load,mem_used:max" ─▶ columns
 *     runs ─▶ rows ◀─ footprints of these metrics, by cluster, job and start
 *
 * What was not observed is NaN, and comes last in every order.
 *
 * Memory  texts lie in the arena.  Threads  none inside.
 */
#ifndef ANALYSIS_USAGE_RUN_METRICS_H
#define ANALYSIS_USAGE_RUN_METRICS_H

#include "base/arena.h"
#include "base/err.h"
#include "base/hashmap.h"
#include "model/model.h"

#define RUN_METRIC_COLUMNS_MAX ((size_t)8)
#define RUN_METRIC_NAME_MAX ((size_t)128)

enum run_metric_stat {
    RUN_METRIC_MEAN,
    RUN_METRIC_MIN,
    RUN_METRIC_MAX,
    RUN_METRIC_SUM,
    RUN_METRIC_STAT_COUNT,
};
#define RUN_METRIC_STATS "mean, min, max, sum"

struct run_metric_column {
    const char *metric;
    enum run_metric_stat stat;
    const char *name; /* "cpu_load" of its mean, "mem_used_max" */
    const char *unit; /* "": none, or not known */
};

struct run_metrics_row {
    const char *cluster, *id, *user, *account, *partition, *state, *name;
    uint64_t nodes; /* 0: not known */
    int64_t start_ns, end_ns;
    double covered; /* by any metric; NaN: it has no footprint */
    double values[RUN_METRIC_COLUMNS_MAX];
};

struct run_metrics {
    struct arena arena;
    struct run_metric_column columns[RUN_METRIC_COLUMNS_MAX];
    size_t column_count;
    struct run_metrics_row *rows;
    size_t count, capacity;
    struct hashmap by_run; /* until it is sorted */
};

void run_metrics_init(struct run_metrics *runs);
void run_metrics_done(struct run_metrics *runs);
DEFINE_AUTO_DONE(struct run_metrics, run_metrics_done);

/* METRIC[:mean|min|max|sum],...  Errors: -EINVAL (err has what is legal), -ENOMEM. */
int run_metrics_parse(struct run_metrics *runs, struct span list, struct err *err);
/* The column that text names as above; -ENOENT: there is no such column. */
int run_metrics_column(const struct run_metrics *runs, struct span text, size_t *ret);

/* Whether list is right, and worst, which may be NULL, one of its columns; as above. */
int run_metrics_check(const char *list, const char *worst, struct err *err);

/* Errors: -ENOMEM. */
int run_metrics_add_run(struct run_metrics *runs, const struct job *run);
/* Of a run that was added; of others nothing happens.  Errors: -ENOMEM. */
int run_metrics_add(struct run_metrics *runs, const struct job_metric *metric);

/* By a column: of max and sum the most first, of mean and min the least. */
void run_metrics_sort(struct run_metrics *runs, size_t column);

/* The memory that it holds. */
size_t run_metrics_bytes(const struct run_metrics *runs);

#endif
