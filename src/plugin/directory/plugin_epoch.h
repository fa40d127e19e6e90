/* SPDX-License-Identifier: Apache-2.0 */
/* plugin_epoch - an epoch of the session that waits for plugins of this node.
 *
 *     trigger ─▶ hold ─▶ calls of source ─▶ held bundle ─▶ done ─▶ release
 *     reduce  ─▶ calls of reduce ─▶ merged ─▶ done ─▶ node_reduced
 *
 * Its owner hands on what plugin_runner calls: contributions, the end of each call, and
 * the end of all (done_fn).  Calls of an earlier trigger may still go on when the next
 * one comes: what they yield then belongs to no epoch.
 *
 * Threads  that of the runner.
 */
#ifndef PLUGIN_DIRECTORY_PLUGIN_EPOCH_H
#define PLUGIN_DIRECTORY_PLUGIN_EPOCH_H

#include "plugin/directory/plugin_merge.h"
#include "plugin/directory/plugin_runner.h"
#include "session/session.h"

struct plugin_epoch {
    struct plugin_runner *runner;     /* the owner's; NULL: there are no plugins */
    struct session *session;          /* NULL: none; nothing is held, nothing reduced */
    struct session_instant at;        /* of the calls of source under way */
    bool is_held;                     /* its epoch waits for what they contribute */
    struct session_instant reduce_at; /* of the epoch that is being reduced */
    bool is_reducing, is_reduce_starting;
    struct plugin_merge_state merge;
};

/* The sources that are due are called.  is_held: the trigger is a session's.  false:
 * none is called, or those of an earlier trigger go on. */
bool plugin_epoch_trigger(struct plugin_epoch *epoch, const struct session_instant *at,
                          bool is_held);
/* Where what a call of epoch number contributes goes; NULL: that epoch is closed. */
struct bundle *plugin_epoch_bundle(struct plugin_epoch *epoch, uint64_t number);
/* Of session_opts.reduce.  true: node_reduced() comes. */
bool plugin_epoch_reduce(struct plugin_epoch *epoch, const struct session_instant *at,
                         const struct bundle *bundle);
/* Of plugin_yields: a contribution of a reduce, the end of a call. */
void plugin_epoch_merge(struct plugin_epoch *epoch,
                        const struct plugin_contribution *contribution);
void plugin_epoch_call_done(struct plugin_epoch *epoch, const struct plugin_done *done);
/* Of plugin_runner_opts.done_fn: the session waits no longer. */
void plugin_epoch_done(struct plugin_epoch *epoch);

#endif
