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

/* A contribution NAME of the merge lua is a top PLUGIN.NAME:lua on its way, of at most
 * PLUGIN_LUA_ENTRIES values or texts, until the plugin's reduce has merged them. */
#define PLUGIN_LUA_SUFFIX ":lua"
/* The label of an entry: "=" of a value, a quotation mark and a text. */
#define PLUGIN_LUA_NUMBER "="
#define PLUGIN_LUA_TEXT "\""
#define PLUGIN_LUA_TEXT_MAX (REDUCE_LABEL_MAX - 1)
#define PLUGIN_LUA_ENTRIES REDUCE_TOP_MAX

/* The label of a value or text of lua.  Errors: -EINVAL (too long), -ENOMEM. */
int plugin_lua_label(struct span text, struct strbuf *out);

/* Errors: -EINVAL (also: a name that ends as those of lua, a text of lua that is longer
 * than PLUGIN_LUA_TEXT_MAX), as bundle_put(). */
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
/* What its reduce has: values and texts of the merge lua, each with the rank that it is
 * from.  Errors: -ENOMEM. */
int plugin_reduce_inputs_make(const struct bundle *bundle, const char *plugin,
                              struct plugin_inputs *ret);
void plugin_inputs_done(struct plugin_inputs *inputs);
DEFINE_AUTO_DONE(struct plugin_inputs, plugin_inputs_done);

#endif
