/* SPDX-License-Identifier: Apache-2.0 */
/* run - one time: plan, and do it, node by node.
 *
 *     health (barod) ─┐
 *     sinfo ──────────┼─▶ act_plan ─▶ of each: health again ─▶ record, durable
 *     record ─────────┘                          same verb?    │
 *                    log ◀─ sinfo once more ◀─ scontrol ◀─ sinfo again: same verb?
 *
 * Host and node are read again before a change, and nothing that may wait is between
 * sinfo and scontrol: a host that is up meanwhile is not drained, and what another
 * drained meanwhile is not overwritten.  What of that is older than the deadline of a
 * call is no ground for anything.
 *
 * Slurm changes a node whatever it is at that moment: what another does between sinfo
 * and scontrol is overwritten.  What is there afterwards is read, and theirs stays.
 *
 * Slurm is that of the cluster, by its own ClusterName, or nothing is done.
 *
 * Actions of the site (action_run) follow.  Where Slurm does not respond those that
 * need no node are all that is done.
 */
#ifndef ACT_RUN_H
#define ACT_RUN_H

#include "act/action_rule.h"
#include "act/plan.h"
#include "act/slurm.h"
#include "base/table/table.h"

/* A record of an older version is in it, not below it. */
#define ACT_STATE_DEFAULT "/var/lib/barograph/act"

struct act_run_opts {
    const struct act_rules *rules;
    const struct slurm_opts *slurm;
    const char *cluster;
    const char *slurm_cluster; /* ClusterName there; NULL: as cluster */
    const char
        *state; /* the directory of the record; NULL: ACT_STATE_DEFAULT/CLUSTER */
    bool is_dry;
    bool is_json;                       /* what is printed */
    const char *actions_path;           /* action_rules_load(); NULL: no actions */
    const struct action_rules *actions; /* act_run() sets it */
    /* The table of /v1/resources of the components of a pattern, NULL: of all; and of
     * healths, NULL: of any. */
    int (*resources)(void *arg, const char *pattern, const char *healths,
                     struct table *ret, struct err *err);
    /* A line for each action, and for each that a limit left. */
    void (*print)(void *arg, const char *line);
    void *arg;
};

struct act_outcome {
    size_t drained, resumed, limited, failed, actions_done;
};

/* What failed is counted, and not done.  Errors: -EBADMSG (no such table), -ENOENT (no
 * host of barod is a node of the scheduler, which is of another cluster), resources',
 * as act_record_open(), action_rules_load(), slurm_cluster(), slurm_nodes(); nothing
 * was done to any node then. */
int act_run(const struct act_run_opts *opts, struct act_outcome *ret, struct err *err);

#endif
