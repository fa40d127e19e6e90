/* SPDX-License-Identifier: Apache-2.0 */
/* plugin_dir - the administrator's directory of plugins, and what of it is loaded.
 *
 *     new or changed NAME.lua ──▶ host_load       gone ──▶ host_unload
 *                               not safe any more ──▶ host_withdraw
 *
 * A file counts where it is a regular one, no link, that root or the program's user
 * owns and that only its owner may write; the directory likewise.  What is checked is
 * what is read: one descriptor.  An error of the system unloads nothing.
 */
#ifndef PLUGIN_DIRECTORY_PLUGIN_DIR_H
#define PLUGIN_DIRECTORY_PLUGIN_DIR_H

#include "plugin/directory/plugin_report.h"
#include "plugin/plugin.h"

#include <sys/stat.h>

struct plugin_file {
    char name[64]; /* "": free */
    int64_t changed_ns;
    uint64_t inode, size;
    int error; /* of the last try, which was reported; 0: none */
    bool is_there;
    bool is_announced; /* the log has that it is loaded */
};

struct plugin_dir {
    const char *path;
    const struct plugin_report *report;
    struct plugin_file files[HOST_PLUGINS_MAX];   /* that are loaded, or were */
    struct plugin_file refused[HOST_PLUGINS_MAX]; /* reported once; more are not */
    int error; /* of the last scan, which was reported; 0: none */
};

void plugin_dir_scan(struct plugin_dir *dir, struct plugin_host *host);

/* May a plugin be read from it, by its owner and mode?  Of a file or of a directory. */
bool plugin_is_safe(const struct stat *st);

#endif
