/* SPDX-License-Identifier: Apache-2.0 */
/* run_footprint - the footprint of one run, out of the metric store.
 *
 *     record ─▶ nodes, time ─▶ node_metrics ─▶ metric_total ─▶ a row a metric, and one
 *                                                              of the run as a whole
 *
 * Threads  any, one at a time.
 */
#ifndef DAEMON_JOBS_RUN_FOOTPRINT_H
#define DAEMON_JOBS_RUN_FOOTPRINT_H

#include "base/arena.h"
#include "base/err.h"
#include "model/model.h"
#include "store/store.h"

#define RUN_FOOTPRINT_METRICS_MAX 257

/* "known": metrics that findings are made of, and those of the job itself. */
#define RUN_FOOTPRINT_KNOWN "known"
#define RUN_FOOTPRINT_NONE "none"

/* Whether a metric is one of patterns, which are as in /v1/query, or
 * RUN_FOOTPRINT_KNOWN among them. */
bool run_footprint_is_wanted(struct span metric, struct span patterns);

struct run_footprint_opts {
    struct metric_store *store;
    struct span patterns;
    int (*watch)(void *arg); /* below 0: stop */
    void *watch_arg;
};

struct run_footprint {
    struct job_metric rows[RUN_FOOTPRINT_METRICS_MAX]; /* the first of the whole run */
    size_t count;
    bool is_observed; /* the store has any sample of it */
};

/* The run's texts must stay; others lie in arena.  A run whose record lacks nodes, or
 * whose nodes the store does not have, has a row of the whole, which covers nothing.
 * Errors: those of watch and of reading, -ENOMEM. */
int run_footprint_make(const struct run_footprint_opts *opts, const struct job *run,
                       struct arena *arena, struct run_footprint *ret, struct err *err);

#endif
