/* SPDX-License-Identifier: Apache-2.0 */
/* node_groups - which nodes are compared with each other in each window; private to
 * analysis/node.
 *
 *     window 0:  [class 0, job 3: host 4 7 9 ...] [class 0, small jobs: ...] [no job
 * ...] window 1:  ...
 */
#ifndef ANALYSIS_NODE_NODE_GROUPS_H
#define ANALYSIS_NODE_NODE_GROUPS_H

#include "analysis/node/node_check.h"

/* In the place of a job, beside NODE_JOB_NONE. */
#define NODE_JOBS_SMALL (SIZE_MAX - 1) /* each of too few nodes */
#define NODE_JOBS_MIXED (SIZE_MAX - 2) /* it began or ended within the window */

struct node_groups {
    const struct node_check_opts *opts;
    size_t *jobs;  /* [host * window_count + window] */
    size_t *order; /* [window * host_count + ...]: hosts, group by group */
};

/* Errors: -ENOMEM. */
int node_groups_init(struct node_groups *groups, const struct node_check_opts *opts);
void node_groups_done(struct node_groups *groups);

void node_groups_add_job(struct node_groups *groups, size_t job, size_t host,
                         int64_t start_ns, int64_t end_ns);
/* Once all jobs are there. */
void node_groups_sort(struct node_groups *groups);

/* The group of a window that begins at order[*at]; false: there is none.  Moves *at. */
struct node_group {
    const size_t *hosts;
    size_t count;
    size_t job;
};
bool node_groups_next(const struct node_groups *groups, size_t window, size_t *at,
                      struct node_group *ret);

#endif
