/* SPDX-License-Identifier: Apache-2.0 */
/* plugin_runner - the plugins of the administrator's directory, on a loop.
 *
 *     plugin_runner_trigger ─▶ calls ─▶ yields ... ─▶ done_fn
 *
 * Nothing waits for their process: it is watched, killed and started again by
 * plugin/host.h.
 *
 * Threads  begin to end: those of the loop.  new and free: while it does not run.
 */
#ifndef AGENT_SAMPLING_PLUGIN_RUNNER_H
#define AGENT_SAMPLING_PLUGIN_RUNNER_H

#include "agent/config.h"
#include "agent/report.h"
#include "plugin/plugin.h"

#include <uv.h>

struct plugin_runner;

struct plugin_runner_opts {
    const struct agent_opts *agent;
    const struct agent_report *report;
    struct plugin_yields yields;
    void (*done_fn)(void *arg); /* all calls of a trigger have ended */
    void *arg;                  /* of done_fn */
};

/* Errors: -ENOMEM. */
int plugin_runner_new(const struct plugin_runner_opts *opts,
                      struct plugin_runner **ret);
void plugin_runner_free(struct plugin_runner *runner); /* NULL is fine */
int plugin_runner_begin(struct plugin_runner *runner, uv_loop_t *loop);
/* Returns how many are called. */
size_t plugin_runner_trigger(struct plugin_runner *runner, uint64_t epoch,
                             int64_t t_ns);
void plugin_runner_end(struct plugin_runner *runner);
/* As they were at the last trigger. */
void plugin_runner_count(struct plugin_runner *runner, struct host_counts *ret);

#endif
