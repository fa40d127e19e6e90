/* SPDX-License-Identifier: Apache-2.0 */
/* plugin_runner - the plugins of the administrator's directory, on a loop.
 *
 *     plugin_runner_trigger ─▶ calls of source ─▶ yields ... ─▶ done_fn
 *     plugin_runner_sink    ─▶ calls of sink, one after another ─▶ ... ─▶ done_fn
 *
 * Nothing waits for their process: it is watched, killed and started again by
 * plugin/host.h.
 *
 * Threads  begin to end: those of the loop.  new and free: while it does not run.
 */
#ifndef PLUGIN_DIRECTORY_PLUGIN_RUNNER_H
#define PLUGIN_DIRECTORY_PLUGIN_RUNNER_H

#include "plugin/directory/plugin_report.h"
#include "plugin/directory/plugins_config.h"
#include "plugin/directory/sink_queue.h"
#include "plugin/plugin.h"

#include <uv.h>

struct plugin_runner;

struct plugin_runner_opts {
    const struct plugins_opts *plugins;
    const char *root; /* of the files that they read; "": this machine's */
    const struct plugin_report *report;
    struct plugin_yields yields;
    void (*done_fn)(void *arg); /* all calls of a trigger, of a result have ended */
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
/* At the control node, with what all contributed to an epoch: sinks that are due have
 * the numbers of their own plugin.  A result that comes before those of the last are
 * through is late: none has it.  What runs sinks calls no trigger.  Returns how many
 * are to be called. */
size_t plugin_runner_sink(struct plugin_runner *runner, uint64_t epoch, int64_t t_ns,
                          const struct bundle *bundle);
/* What is contributed for lua is merged by the reduce of its plugin, before it goes up
 * or to the sinks: as those of sinks, one call after another, and done_fn.  0: there is
 * nothing to merge, or calls go on; it goes up as it is. */
size_t plugin_runner_reduce(struct plugin_runner *runner, uint64_t epoch, int64_t t_ns,
                            const struct bundle *bundle);
void plugin_runner_end(struct plugin_runner *runner);
struct runner_counts {
    struct host_counts host;
    struct sink_counts sinks, reduces;
};

/* As they were when the last trigger or result came, or was done with. */
void plugin_runner_count(struct plugin_runner *runner, struct runner_counts *ret);

#endif
