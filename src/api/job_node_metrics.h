/* SPDX-License-Identifier: Apache-2.0 */
/* job_node_metrics - metrics of the nodes that a job ran on, out of the metric store;
 * private to api.
 *
 *     cluster, "nid[10-13]" ─▶ levels of hosts ─▶ their own gauges ─▶ by metric:
 *                                                  average, min, max, how many nodes
 *
 * Counters are left out: the average of one means nothing.
 */
#ifndef API_JOB_NODE_METRICS_H
#define API_JOB_NODE_METRICS_H

#include "analysis/job/job.h"
#include "api/api_private.h"

/* Of [start, end + 1 s).  All of *ret lies in arena.  Errors: -ENOENT (no cluster, or
 * no metric of any of its nodes), -EINVAL (hosts), -E2BIG (more than
 * NODE_SAMPLES_HOSTS_MAX of them), what the readers' watch reports, -ENOMEM. */
int job_node_metrics_read(struct metric_store *store, const struct api_readers *readers,
                          const struct job_request *job, struct arena *arena,
                          struct node_samples *ret, struct err *err);

#endif
