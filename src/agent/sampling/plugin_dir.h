/* SPDX-License-Identifier: Apache-2.0 */
/* plugin_dir - the administrator's directory of plugins, and what of it is loaded.
 *
 *     new or changed NAME.lua ──▶ host_load       gone ──▶ host_unload
 *
 * A file counts where it is a regular one that root or the agent's user owns and that
 * other users may not write.
 */
#ifndef AGENT_SAMPLING_PLUGIN_DIR_H
#define AGENT_SAMPLING_PLUGIN_DIR_H

#include "agent/report.h"
#include "plugin/plugin.h"

struct plugin_dir {
    const char *path;
    const struct agent_report *report;
    struct plugin_file {
        char name[64]; /* "": free */
        int64_t changed_ns;
        uint64_t inode, size;
        bool is_there;
    } files[HOST_PLUGINS_MAX];
    bool was_unreadable;
};

void plugin_dir_scan(struct plugin_dir *dir, struct plugin_host *host);

#endif
