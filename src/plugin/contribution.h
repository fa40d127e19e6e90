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

#define PLUGIN_INPUTS_MAX 1024

/* The numbers of one plugin, as its sink has them. */
struct plugin_inputs {
    struct plugin_input items[PLUGIN_INPUTS_MAX];
    char names[PLUGIN_INPUTS_MAX][BUNDLE_NAME_MAX + REDUCE_LABEL_MAX + 2];
    size_t count, cut; /* cut: had no place */
};

void plugin_inputs_make(const struct bundle *bundle, const char *plugin,
                        struct plugin_inputs *ret);

#endif
