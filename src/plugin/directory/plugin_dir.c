/* SPDX-License-Identifier: Apache-2.0 */
/* plugin_dir - the administrator's directory of plugins, and what of it is loaded. */
#include "plugin/directory/plugin_dir.h"

#include "base/file.h"
#include "base/number.h"
#include "base/span.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#define NOT_SAFE                                                                    \
    "it has to be a file, no link, of root or of the program's user that only its " \
    "owner may write"

bool plugin_is_safe(const struct stat *st)
{
    bool is_ours = st->st_uid == 0 || st->st_uid == geteuid();
    return is_ours && !(st->st_mode & (S_IWGRP | S_IWOTH));
}

/* ---- what is known ---- */

static struct plugin_file *find_file(struct plugin_file *files, const char *name)
{
    for (size_t i = 0; i < HOST_PLUGINS_MAX; i++)
        if (strcmp(files[i].name, name) == 0)
            return &files[i];
    return NULL;
}

/* NULL: there are as many as can be. */
static struct plugin_file *add_file(struct plugin_file *files, const char *name)
{
    struct plugin_file *file = find_file(files, name);
    if (!file)
        file = find_file(files, "");
    if (file)
        (void)snprintf(file->name, sizeof file->name, "%s", name);
    return file;
}

static bool is_unchanged(const struct plugin_file *file, const struct stat *st)
{
    return file->inode == st->st_ino && file->size == (uint64_t)st->st_size &&
           file->changed_ns == st->st_ctim.tv_sec * NS_PER_S + st->st_ctim.tv_nsec;
}

static void note_file(struct plugin_file *file, const struct stat *st, int error)
{
    file->inode = st->st_ino;
    file->size = (uint64_t)st->st_size;
    file->changed_ns = st->st_ctim.tv_sec * NS_PER_S + st->st_ctim.tv_nsec;
    file->error = error;
}

/* ---- a file ---- */

/* Once for what it is now. */
static void refuse_file(struct plugin_dir *dir, const char *name, const struct stat *st,
                        const char *why)
{
    struct plugin_file *file = add_file(dir->refused, name);
    if (!file)
        return;
    file->is_there = true;
    if (is_unchanged(file, st))
        return;
    note_file(file, st, 0);
    plugin_report(dir->report, LOG_LEVEL_WARN, true, "plugin %s is not run: %s", name,
                  why);
}

static void refuse_and_unload(struct plugin_dir *dir, struct plugin_host *host,
                              const char *name, const struct stat *st, const char *why)
{
    struct plugin_file *file = find_file(dir->files, name);
    if (file) {
        /* It is there, and was not removed: read again when it is safe. */
        (void)host_withdraw(host, name);
        note_file(file, &(struct stat){ 0 }, 0);
        file->is_there = true;
    }
    refuse_file(dir, name, st, why);
}

/* The system, not the plugin, has failed: what is loaded goes on, and the
 * next scan tries again. */
static void note_error(struct plugin_dir *dir, struct plugin_file *file,
                       const char *name, int error)
{
    if (file && file->error == error)
        return;
    if (file)
        file->error = error;
    plugin_report(dir->report, LOG_LEVEL_WARN, false,
                  "plugin %s is not read: %s; it is tried again", name,
                  strerror(error));
}

static bool is_of_the_system(int rc)
{
    return rc < 0 && rc != -EINVAL && rc != -EMSGSIZE;
}

/* Only the text that these bytes of metadata belong to is loaded: a file that is being
 * written is read again at the next scan. */
static void load_file(struct plugin_dir *dir, struct plugin_file *file, int fd,
                      const struct stat *st, struct plugin_host *host)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct err err = { 0 };
    int rc = file_read_fd(fd, (size_t)1 << 20, &text);
    if (is_of_the_system(rc)) {
        note_error(dir, file, file->name, -rc);
        return;
    }
    if (rc == 0)
        rc = host_load(host, file->name, strbuf_span(&text), &err);
    if (rc == -ENOMEM || rc == -ENOSPC) {
        note_error(dir, file, file->name, -rc);
        return;
    }
    note_file(file, st, 0);
    file->is_announced = false;
    if (rc < 0)
        plugin_report(dir->report, LOG_LEVEL_WARN, false, "plugin %s is not loaded: %s",
                      file->name, err.text[0] ? err.text : strerror(-rc));
}

/* -1: it cannot be opened, or is of no kind that is. */
static int open_file(struct plugin_dir *dir, int dir_fd, const char *name,
                     struct plugin_host *host)
{
    struct plugin_file *file = find_file(dir->files, name);
    struct stat st;
    int fd =
        openat(dir_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    int error = errno;
    if (fd >= 0 || error == ENOENT)
        return fd;
    bool is_there = fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
    if (is_there && !S_ISREG(st.st_mode)) {
        refuse_and_unload(dir, host, name, &st, NOT_SAFE);
        return -1;
    }
    if (file)
        file->is_there = true;
    else if (is_there)
        file = add_file(dir->refused, name);
    if (file)
        file->is_there = true;
    note_error(dir, file, name, error);
    return -1;
}

static void see_file(struct plugin_dir *dir, int dir_fd, const char *name,
                     struct plugin_host *host)
{
    struct stat st;
    struct span text = span_of(name);
    if (name[0] == '.' || text.size < 5 || text.size >= sizeof dir->files[0].name ||
        strcmp(name + text.size - 4, ".lua") != 0)
        return;
    AUTO_CLOSE int fd = open_file(dir, dir_fd, name, host);
    if (fd < 0 || fstat(fd, &st) < 0)
        return;
    if (!S_ISREG(st.st_mode) || !plugin_is_safe(&st)) {
        refuse_and_unload(dir, host, name, &st, NOT_SAFE);
        return;
    }
    struct plugin_file *file = add_file(dir->files, name);
    if (!file) {
        refuse_file(dir, name, &st, "a node runs at most 64 plugins");
        return;
    }
    file->is_there = true;
    if (!is_unchanged(file, &st))
        load_file(dir, file, fd, &st, host);
    else
        file->error = 0;
}

/* ---- the directory ---- */

static void scan_failed(struct plugin_dir *dir, int error, const char *why)
{
    if (dir->error != error)
        plugin_report(dir->report, LOG_LEVEL_WARN, false,
                      "plugins.directory: '%s': %s; what is loaded goes on", dir->path,
                      why);
    dir->error = error;
}

/* NULL: reported. */
static DIR *open_dir(struct plugin_dir *dir)
{
    struct stat st;
    AUTO_CLOSE int fd = open(dir->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) < 0) {
        scan_failed(dir, errno, strerror(errno));
        return NULL;
    }
    if (!plugin_is_safe(&st)) {
        scan_failed(
            dir, EPERM,
            "it has to be of root or of the program's user, and only its owner may "
            "write it");
        return NULL;
    }
    DIR *stream = fdopendir(fd);
    if (!stream)
        scan_failed(dir, errno, strerror(errno));
    else
        fd = -1; /* it is the stream's */
    return stream;
}

/* Returns an errno of readdir(). */
static int see_files(struct plugin_dir *dir, DIR *stream, struct plugin_host *host)
{
    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(stream);
        if (!entry)
            return errno;
        see_file(dir, dirfd(stream), entry->d_name, host);
    }
}

static void forget_gone(struct plugin_dir *dir, struct plugin_host *host)
{
    for (size_t i = 0; i < HOST_PLUGINS_MAX; i++) {
        struct plugin_file *file = &dir->files[i];
        if (!dir->refused[i].is_there)
            dir->refused[i] = (struct plugin_file){ 0 };
        if (!file->name[0] || file->is_there)
            continue;
        if (host_unload(host, file->name) == 0)
            plugin_report(dir->report, LOG_LEVEL_INFO, true, "plugin %s is gone",
                          file->name);
        *file = (struct plugin_file){ 0 };
    }
}

/* The first that has it; NULL: there is no other. */
static const char *has_same_name(struct plugin_dir *dir, const struct plugin_host *host,
                                 const struct host_plugin *plugin)
{
    size_t count = host_plugin_count(host);
    for (size_t i = 0; i < count; i++) {
        struct host_plugin other;
        host_plugin_at(host, i, &other);
        const struct plugin_file *file = find_file(dir->files, other.file);
        if (file && file->is_announced && other.state == HOST_READY &&
            strcmp(other.file, plugin->file) != 0 &&
            strcmp(other.manifest->name, plugin->manifest->name) == 0)
            return other.file;
    }
    return NULL;
}

/* What host_load() accepted may yet be refused by its process. */
static void announce(struct plugin_dir *dir, const struct plugin_host *host)
{
    size_t count = host_plugin_count(host);
    for (size_t i = 0; i < count; i++) {
        struct host_plugin plugin;
        host_plugin_at(host, i, &plugin);
        struct plugin_file *file = find_file(dir->files, plugin.file);
        if (!file || file->is_announced || plugin.state != HOST_READY)
            continue;
        const char *other = has_same_name(dir, host, &plugin);
        file->is_announced = true;
        plugin_report(dir->report, LOG_LEVEL_INFO, true, "plugin %s is loaded",
                      file->name);
        if (other)
            plugin_report(dir->report, LOG_LEVEL_WARN, true,
                          "plugin %s has the name of %s, '%s': what they contribute "
                          "is one",
                          file->name, other, plugin.manifest->name);
    }
}

void plugin_dir_scan(struct plugin_dir *dir, struct plugin_host *host)
{
    announce(dir, host);
    DIR *stream = open_dir(dir);
    if (!stream)
        return;
    for (size_t i = 0; i < HOST_PLUGINS_MAX; i++)
        dir->files[i].is_there = dir->refused[i].is_there = false;
    int error = see_files(dir, stream, host);
    (void)closedir(stream);
    if (error) {
        scan_failed(dir, error, strerror(error));
        return;
    }
    dir->error = 0;
    forget_gone(dir, host);
}
