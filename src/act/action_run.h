/* SPDX-License-Identifier: Apache-2.0 */
/* action_run - the actions of one run, behind its drains and resumes.
 *
 *     causes, nodes ─▶ action_plan ─▶ of each: cause again ─▶ record begun, durable
 *                                                               │
 *        record, log ◀─ its end ◀─ command ◀─ node again ◀──────┘
 *
 * Several run at once, each within its rule's bound, one at a time on a host.  Nothing
 * that fails is done to a host for it: its result is unknown.
 *
 * A kill of this program kills the commands that it started; the next run finds them
 * begun, and runs none of them again.
 */
#ifndef ACT_ACTION_RUN_H
#define ACT_ACTION_RUN_H

#include "act/hosts.h"
#include "act/line.h"
#include "act/run.h"

struct action_run_opts {
    const struct act_run_opts *run;
    const struct act_line_opts *line;
    struct act_record *record;
    const char *directory;
    const struct act_hosts *hosts; /* of barod, by name; NULL: Slurm does not respond */
    size_t host_count;             /* that barod lists */
    bool is_clock_set;    /* since the last run: what has to last starts anew */
    int64_t clock_set_ns; /* no cause is so since before it; 0: never */
};

/* What failed is counted.  Errors: of action_record_open(), of resources, -ENOMEM; no
 * action was run then. */
int action_run(const struct action_run_opts *opts, struct act_outcome *outcome,
               struct err *err);

#endif
