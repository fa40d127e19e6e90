/* SPDX-License-Identifier: Apache-2.0 */
/* contribution - what a plugin contributes, as the session merges it.
 *
 *     contribution open, mean, of fds   ─▶  fds.open  moments
 *     merged, for the sink of fds       ─▶  open_mean, open_stddev
 */
#ifndef PLUGIN_CONTRIBUTION_H
#define PLUGIN_CONTRIBUTION_H

#include "plugin/yield.h"
#include "session/reduce/reduce.h"

/* Errors: -ENOTSUP (lua: not merged on the way), as bundle_put(). */
int plugin_contribute(const struct plugin_contribution *c, const char *host,
                      uint32_t rank, struct bundle *bundle);

/* They fit one frame.  What one contribution comes to is bounded by its reduction
 * (REDUCE_BUCKETS_MAX, REDUCE_STATES_MAX). */
#define PLUGIN_INPUTS_MAX 256

/* The numbers of one plugin, as its sink has them. */
struct plugin_inputs {
    struct plugin_input *items; /* one allocation, with their names behind them */
    size_t count, cut;          /* cut: had no place */
};

/* memory_bytes: of the plugin, they need a quarter of it at most.  Errors: -ENOMEM.
 */
int plugin_inputs_make(const struct bundle *bundle, const char *plugin,
                       size_t memory_bytes, struct plugin_inputs *ret);
void plugin_inputs_done(struct plugin_inputs *inputs);
DEFINE_AUTO_DONE(struct plugin_inputs, plugin_inputs_done);

#endif
