/* SPDX-License-Identifier: Apache-2.0 */
/* plugin_merge - what the reduce of plugins makes of contributions for lua.
 *
 *     v = 3, 4, 12 of fds ─▶ reduce(t, inputs) ─▶ contribute("v", "lua", 5) ─▶ v = 5
 *                             fails, is over its budget ─▶ v_lost: whose they were
 *
 * Without a reduce that is called, what there is goes up as it is.
 *
 * Threads  that of the runner.
 */
#ifndef PLUGIN_DIRECTORY_PLUGIN_MERGE_H
#define PLUGIN_DIRECTORY_PLUGIN_MERGE_H

#include "plugin/plugin.h"

struct plugin_merged {
    uint8_t name_size, text_size;
    char name[BUNDLE_NAME_MAX]; /* PLUGIN.NAME:lua */
    char text[REDUCE_LABEL_MAX];
    double value;
};

/* What the call under way has yielded. */
struct plugin_merge_state {
    struct plugin_merged items[PLUGIN_LUA_ENTRIES];
    size_t count;
    uint64_t dropped; /* that are no values of lua, or too many */
    uint64_t failed;  /* calls whose inputs were lost */
};

/* Of a contribution that reduce yields. */
void plugin_merge_add(struct plugin_merge_state *state,
                      const struct plugin_contribution *contribution);
/* The call has ended: into bundle (NULL: its epoch is closed). */
void plugin_merge_done(struct plugin_merge_state *state, const struct plugin_done *done,
                       struct bundle *bundle);

#endif
