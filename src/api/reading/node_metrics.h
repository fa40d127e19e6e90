/* SPDX-License-Identifier: Apache-2.0 */
/* node_metrics - metrics of the nodes that a job ran on, out of the metric store.
 *
 *     cluster, "nid[10-13]" ─▶ levels of hosts ─▶ by metric: each node, or its devices,
 *                                                  window by window
 *
 * Of a job's own cgroup and programs there are series below its hosts ("job:4711"):
 * they stand as the host's, and those of other jobs on it are left out.
 *
 * Threads  one worker's.
 */
#ifndef API_READING_NODE_METRICS_H
#define API_READING_NODE_METRICS_H

#include "analysis/footprint/footprint.h"
#include "store/store.h"

struct node_metrics_opts {
    struct metric_store *store;
    int (*watch)(void *arg); /* shall the reading go on?  Below 0: not.  NULL: always */
    void *watch_arg;
    const char *cluster;
    const char *hosts; /* a set */
    struct span job;   /* as the batch system counts, "4711"; empty: no job's metrics */
    int64_t from_ns, to_ns;
    bool (*is_wanted)(void *arg, struct span metric); /* NULL: all are */
    void *is_wanted_arg;
    bool is_unobserved; /* also where no node has any sample: then without metrics */
};

/* Of [from_ns, to_ns).  All of *ret lies in arena.  Errors: -ENOENT (no cluster, or
 * no metric of any of its nodes), -EINVAL (hosts), -E2BIG (more than
 * NODE_SAMPLES_HOSTS_MAX of them), what watch reports, -ENOMEM. */
int node_metrics_read(const struct node_metrics_opts *opts, struct arena *arena,
                      struct node_samples *ret, struct err *err);

#endif
