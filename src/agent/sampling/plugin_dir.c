/* SPDX-License-Identifier: Apache-2.0 */
/* plugin_dir - the administrator's directory of plugins, and what of it is loaded. */
#include "agent/sampling/plugin_dir.h"

#include "base/file.h"
#include "base/number.h"
#include "base/span.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static struct plugin_file *file_of(struct plugin_dir *dir, const char *name)
{
    struct plugin_file *unused = NULL;
    for (size_t i = 0; i < HOST_PLUGINS_MAX; i++) {
        struct plugin_file *file = &dir->files[i];
        if (strcmp(file->name, name) == 0)
            return file;
        if (!unused && !file->name[0])
            unused = file;
    }
    if (!unused)
        agent_report(dir->report, LOG_LEVEL_WARN, AGENT_EVENT_PLUGIN,
                     "plugin %s: a node runs at most %d plugins", name,
                     HOST_PLUGINS_MAX);
    else
        (void)snprintf(unused->name, sizeof unused->name, "%s", name);
    return unused;
}

static bool is_safe(const struct stat *st)
{
    bool is_ours = st->st_uid == 0 || st->st_uid == geteuid();
    return S_ISREG(st->st_mode) && is_ours && !(st->st_mode & S_IWOTH);
}

/* Only the text that these bytes of metadata belong to is loaded: a file that is being
 * written is read again at the next scan. */
static void load_file(struct plugin_dir *dir, struct plugin_file *file,
                      struct plugin_host *host)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct err err = { 0 };
    strbuf_addf(&path, "%s/%s", dir->path, file->name);
    int rc = strbuf_error(&path);
    if (rc == 0)
        rc = file_read(strbuf_text(&path), (size_t)1 << 20, &text, &err);
    if (rc == 0)
        rc = host_load(host, file->name, strbuf_span(&text), &err);
    if (rc < 0)
        agent_report(dir->report, LOG_LEVEL_WARN, AGENT_EVENT_PLUGIN,
                     "plugin %s is not loaded: %s", file->name,
                     err.text[0] ? err.text : strerror(-rc));
    else
        agent_report(dir->report, LOG_LEVEL_INFO, AGENT_EVENT_ONCE,
                     "plugin %s is loaded", file->name);
}

static void see_file(struct plugin_dir *dir, int dir_fd, const char *name,
                     struct plugin_host *host)
{
    struct stat st;
    struct span text = span_of(name);
    if (name[0] == '.' || text.size < 5 || text.size >= sizeof dir->files[0].name ||
        strcmp(name + text.size - 4, ".lua") != 0 || fstatat(dir_fd, name, &st, 0) < 0)
        return;
    struct plugin_file *file = file_of(dir, name);
    if (!file)
        return;
    int64_t changed_ns = st.st_ctim.tv_sec * NS_PER_S + st.st_ctim.tv_nsec;
    bool is_same = file->changed_ns == changed_ns && file->inode == st.st_ino &&
                   file->size == (uint64_t)st.st_size;
    file->is_there = true;
    if (is_same)
        return;
    file->changed_ns = changed_ns;
    file->inode = st.st_ino;
    file->size = (uint64_t)st.st_size;
    if (is_safe(&st)) {
        load_file(dir, file, host);
        return;
    }
    (void)host_unload(host, name);
    agent_report(dir->report, LOG_LEVEL_WARN, AGENT_EVENT_ONCE,
                 "plugin %s is not run: it has to be a file of root or of the agent's "
                 "user that other users may not write",
                 name);
}

void plugin_dir_scan(struct plugin_dir *dir, struct plugin_host *host)
{
    DIR *stream = opendir(dir->path);
    if (!stream) {
        if (!dir->was_unreadable)
            agent_report(dir->report, LOG_LEVEL_WARN, AGENT_EVENT_PLUGIN,
                         "plugins.directory: '%s': %s; what is loaded goes on",
                         dir->path, strerror(errno));
        dir->was_unreadable = true;
        return;
    }
    dir->was_unreadable = false;
    for (size_t i = 0; i < HOST_PLUGINS_MAX; i++)
        dir->files[i].is_there = false;
    for (const struct dirent *entry; (entry = readdir(stream));)
        see_file(dir, dirfd(stream), entry->d_name, host);
    (void)closedir(stream);
    for (size_t i = 0; i < HOST_PLUGINS_MAX; i++) {
        struct plugin_file *file = &dir->files[i];
        if (!file->name[0] || file->is_there)
            continue;
        if (host_unload(host, file->name) == 0)
            agent_report(dir->report, LOG_LEVEL_INFO, AGENT_EVENT_ONCE,
                         "plugin %s is gone", file->name);
        *file = (struct plugin_file){ 0 };
    }
}
