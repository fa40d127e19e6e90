/* SPDX-License-Identifier: Apache-2.0 */
/* run - one time: plan, and do it, node by node.
 *
 *     table of /v1/resources ─┐
 *     sinfo ──────────────────┼─▶ act_plan ─▶ of each: sinfo again ─▶ record ─▶
 * scontrol record ─────────────────┘                        same verb?               ─▶
 * log
 *
 * A node is read again right before it is changed: what another drained meanwhile is
 * not overwritten.
 */
#ifndef ACT_RUN_H
#define ACT_RUN_H

#include "act/plan.h"
#include "act/slurm.h"
#include "base/table/table.h"

struct act_run_opts {
    const struct act_rules *rules;
    const struct slurm_opts *slurm;
    const char *state; /* the directory of the record */
    bool is_dry;
    /* A line for each action, and for each that a limit left. */
    void (*print)(void *arg, const char *line);
    void *arg;
};

struct act_outcome {
    size_t drained, resumed, limited, failed;
};

/* resources: of the hosts of the scheduler's cluster.  What failed is counted, and not
 * done.  Errors: -EBADMSG (no such table), as act_record_open(), slurm_nodes(); nothing
 * was done then. */
int act_run(const struct act_run_opts *opts, const struct table *resources,
            struct act_outcome *ret, struct err *err);

#endif
