/* SPDX-License-Identifier: Apache-2.0 */
/* run_private - what the files of a run share: its state, its lines, its records. */
#ifndef ACT_RUN_PRIVATE_H
#define ACT_RUN_PRIVATE_H

#include "act/hosts.h"
#include "act/line.h"
#include "act/run.h"
#include "act/run_clock.h"

struct run {
    const struct act_run_opts *opts;
    struct act_record *record;
    struct table resources;
    struct node_list nodes;
    struct act_hosts hosts;
    struct run_clock clock;
    int64_t now_ns; /* of the clock */
    bool is_clock_set, is_other_slurm;
    struct act_line_opts line;
    struct act_outcome outcome;
};

/* ---- run_record: what a person reads, and what is recorded ---- */

void run_line(const struct run *run, const char *who, const char *what,
              const char *reason, const char *result);
/* A line of actions.log; one that fails is counted, and stated. */
int run_log(struct run *run, const struct act_host *host, const char *action,
            const char *reason, const char *result);
int run_record_set_durable(struct run *run, const struct act_host *host,
                           enum act_record_state state, const char *reason,
                           struct err *err);
/* action NULL: it is not worth a line of the log.  Not durable. */
void run_record_change(struct run *run, const struct act_host *host,
                       enum act_record_state state, const char *action,
                       const char *result);
/* Of barod, of the cluster's host node; NULL: of each. */
int run_resources(const struct run *run, const char *node, struct table *ret,
                  struct err *err);

/* ---- run_change: one node ---- */

/* Drained or resumed, where host and node are still so. */
void run_change(struct run *run, const struct act_host *host, enum act_verb verb);

#endif
