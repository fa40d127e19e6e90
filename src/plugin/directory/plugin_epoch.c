/* SPDX-License-Identifier: Apache-2.0 */
/* plugin_epoch - an epoch of the session that waits for plugins of this node. */
#include "plugin/directory/plugin_epoch.h"

static void epoch_release(struct plugin_epoch *e)
{
    if (e->is_held)
        node_release(session_node(e->session), &e->at);
    e->is_held = false;
}

bool plugin_epoch_trigger(struct plugin_epoch *e, const struct session_instant *at,
                          bool is_held)
{
    if (!e->runner || plugin_runner_trigger(e->runner, at->epoch, at->instant_ns) == 0)
        return false;
    epoch_release(e); /* the end of its calls came just now */
    e->at = *at;
    e->is_held = is_held;
    if (is_held)
        node_hold(session_node(e->session));
    return true;
}

struct bundle *plugin_epoch_bundle(struct plugin_epoch *e, uint64_t number)
{
    return e->is_held && number == e->at.epoch
               ? node_held(session_node(e->session), &e->at)
               : NULL;
}

bool plugin_epoch_reduce(struct plugin_epoch *e, const struct session_instant *at,
                         const struct bundle *bundle)
{
    if (!e->runner || e->is_reducing)
        return false;
    e->reduce_at = *at;
    e->is_reducing = e->is_reduce_starting = true;
    e->merge.count = 0;
    size_t count = plugin_runner_reduce(e->runner, at->epoch, at->instant_ns, bundle);
    e->is_reduce_starting = false;
    e->is_reducing = e->is_reducing && count > 0; /* it may have ended already */
    return e->is_reducing;
}

void plugin_epoch_merge(struct plugin_epoch *e, const struct plugin_contribution *c)
{
    plugin_merge_add(&e->merge, c);
}

void plugin_epoch_call_done(struct plugin_epoch *e, const struct plugin_done *done)
{
    if (done->when.function != PLUGIN_REDUCE)
        return;
    bool is_ours = e->is_reducing && done->when.epoch == e->reduce_at.epoch;
    plugin_merge_done(&e->merge, done,
                      is_ours ? node_reducing(session_node(e->session), &e->reduce_at)
                              : NULL);
}

void plugin_epoch_done(struct plugin_epoch *e)
{
    bool was_reducing = e->is_reducing;
    e->is_reducing = false;
    if (was_reducing && !e->is_reduce_starting)
        node_reduced(session_node(e->session), &e->reduce_at);
    epoch_release(e);
}
