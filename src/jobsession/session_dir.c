/* SPDX-License-Identifier: Apache-2.0 */
/* session_dir - the directory of one session of a user: its name, her plugins, its
 * data.
 */
#include "jobsession/session_dir.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/number.h"
#include "base/span.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#define NAME_MAX_BYTES 128
#define STEPS_MAX 10000
#define PLUGIN_BYTES_MAX ((size_t)1 << 20)

void session_dir_done(struct session_dir *dir)
{
    strbuf_done(&dir->name);
    strbuf_done(&dir->path);
    strbuf_done(&dir->plugins);
    strbuf_done(&dir->database);
    strbuf_done(&dir->numbers);
}

/* A part of a path, of a line and of a component: nothing of these may be in it. */
static bool is_session_name(struct span name)
{
    if (name.size == 0 || name.size > NAME_MAX_BYTES || name.data[0] == '.')
        return false;
    for (size_t i = 0; i < name.size; i++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-",
                    name.data[i]))
            return false;
    return true;
}

static void print_name(unsigned step, struct strbuf *out)
{
    const char *job = getenv("SLURM_JOB_ID"), *cluster = getenv("SLURM_CLUSTER_NAME");
    strbuf_clear(out);
    strbuf_addf(out, "step%u.", step);
    if (job && *job)
        strbuf_addf(out, "job-%s.%s", job, cluster && *cluster ? cluster : "cluster");
    else
        strbuf_addf(out, "run-%lld", (long long)(clock_now_ms() / MS_PER_S));
}

static int print_parent(struct strbuf *out, struct err *err)
{
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    if (data && *data == '/')
        strbuf_addf(out, "%s", data);
    else if (home && *home == '/')
        strbuf_addf(out, "%s/.local/share", home);
    else
        return err_set(err, EINVAL, "HOME is not set: name a directory by --dir");
    strbuf_adds(out, "/barograph/sessions");
    return strbuf_error(out);
}

static int make_own(struct session_dir *dir, const char *parent, bool has_name,
                    struct err *err)
{
    int rc = file_make_dirs(parent, 0700, err);
    for (unsigned step = 0; rc == 0 && step < STEPS_MAX; step++) {
        if (!has_name)
            print_name(step, &dir->name);
        strbuf_clear(&dir->path);
        strbuf_addf(&dir->path, "%s/%s", parent, strbuf_text(&dir->name));
        if (!is_session_name(strbuf_span(&dir->name)) || strbuf_error(&dir->path) < 0)
            return err_set(err, EINVAL, "'%s' cannot be a session's name",
                           strbuf_text(&dir->name));
        if (mkdir(strbuf_text(&dir->path), 0700) == 0)
            return 0;
        if (errno != EEXIST || has_name)
            return err_set(err, errno, "'%s': %s", strbuf_text(&dir->path),
                           strerror(errno));
    }
    return rc < 0 ? rc : err_set(err, EEXIST, "'%s' has too many sessions", parent);
}

/* Another user who may rename what is in it puts other plugins, and another file for
 * the data, in the place of hers, after any look at them. */
static int check_own(const char *path, struct err *err)
{
    struct stat st;
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) < 0)
        return err_set(err, errno, "'%s': %s", path, strerror(errno));
    if (st.st_uid != geteuid())
        return err_set(err, EPERM,
                       "'%s' is of user %u: a session's directory has to be your own",
                       path, (unsigned)st.st_uid);
    if (st.st_mode & (S_IWGRP | S_IWOTH))
        return err_set(err, EPERM,
                       "'%s' may be written by others (mode %03o): chmod go-w", path,
                       (unsigned)st.st_mode & 0777);
    return 0;
}

/* --dir: made where it is not there; it has to be without a session. */
static int make_named(struct session_dir *dir, const char *path, struct err *err)
{
    strbuf_adds(&dir->path, path);
    return file_make_dirs(path, 0700, err);
}

/* The plugins are found from any directory, and no link leads to another one later. */
static int make_whole(struct session_dir *dir, struct err *err)
{
    AUTO_FREE char *whole = realpath(strbuf_text(&dir->path), NULL);
    if (!whole)
        return err_set(err, errno, "'%s': %s", strbuf_text(&dir->path),
                       strerror(errno));
    strbuf_clear(&dir->path);
    strbuf_adds(&dir->path, whole);
    return strbuf_error(&dir->path) < 0 ? -ENOMEM : check_own(whole, err);
}

static int check_name(const char *name, struct err *err)
{
    return is_session_name(span_of(name))
               ? 0
               : err_set(err, EINVAL,
                         "'%s' cannot be a session's name: letters, digits, '.', '_' "
                         "and '-', not '.' first, at most 128",
                         name);
}

/* What is in it, once its path is whole. */
static int name_parts(struct session_dir *dir)
{
    strbuf_addf(&dir->plugins, "%s/plugins", strbuf_text(&dir->path));
    strbuf_addf(&dir->database, "%s/session.db", strbuf_text(&dir->path));
    strbuf_addf(&dir->numbers, "%s/site.numbers", strbuf_text(&dir->path));
    return strbuf_error(&dir->plugins) < 0 || strbuf_error(&dir->database) < 0 ||
                   strbuf_error(&dir->numbers) < 0
               ? -ENOMEM
               : 0;
}

int session_dir_make(const char *name, const char *path, struct session_dir *ret,
                     struct err *err)
{
    AUTO(session_dir_done) struct session_dir dir = { .name = STRBUF_INIT };
    AUTO(strbuf_done) struct strbuf parent = STRBUF_INIT;
    int rc = name ? check_name(name, err) : 0;
    if (rc < 0)
        return rc;
    if (name)
        strbuf_adds(&dir.name, name);
    else
        print_name(0, &dir.name);
    rc = path ? 0 : print_parent(&parent, err);
    if (rc == 0)
        rc = path ? make_named(&dir, path, err)
                  : make_own(&dir, strbuf_text(&parent), name != NULL, err);
    if (rc == 0)
        rc = make_whole(&dir, err);
    if (rc == 0)
        rc = name_parts(&dir);
    if (rc < 0)
        return rc;
    if (mkdir(strbuf_text(&dir.plugins), 0700) < 0)
        return err_set(err, errno, "'%s': %s", strbuf_text(&dir.plugins),
                       strerror(errno));
    *ret = dir;
    dir = (struct session_dir){ .name = STRBUF_INIT };
    return 0;
}

/* The last part of a path is the session's name, where none is given. */
static int find_path(const char *name, const char *path, struct session_dir *dir,
                     struct err *err)
{
    const char *given = path ? path : name && strchr(name, '/') ? name : NULL;
    int rc = 0;
    if (given) {
        strbuf_adds(&dir->path, given);
    } else {
        rc = name ? check_name(name, err) : err_set(err, EINVAL, "which session?");
        if (rc == 0)
            rc = print_parent(&dir->path, err);
        strbuf_addf(&dir->path, "/%s", name ? name : "");
    }
    if (rc == 0)
        rc = make_whole(dir, err);
    if (rc < 0)
        return rc;
    const char *last = strrchr(strbuf_text(&dir->path), '/');
    strbuf_adds(&dir->name, name && !strchr(name, '/') ? name : last ? last + 1 : "");
    return strbuf_error(&dir->name);
}

int session_dir_open(const char *name, const char *path, struct session_dir *ret,
                     struct err *err)
{
    AUTO(session_dir_done) struct session_dir dir = { .name = STRBUF_INIT };
    int rc = find_path(name, path, &dir, err);
    if (rc == 0)
        rc = name_parts(&dir);
    if (rc < 0)
        return rc;
    *ret = dir;
    dir = (struct session_dir){ .name = STRBUF_INIT };
    return 0;
}

/* ---- plugins ---- */

static int copy_plugin(const struct session_dir *dir, const char *from,
                       const char *name, struct err *err)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf to = STRBUF_INIT;
    int rc = file_read(from, PLUGIN_BYTES_MAX, &text, err);
    if (rc < 0)
        return rc;
    strbuf_addf(&to, "%s/%s", strbuf_text(&dir->plugins), name);
    if (strbuf_error(&to) < 0)
        return -ENOMEM;
    AUTO_CLOSE int fd =
        open(strbuf_text(&to), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return err_set(err, errno, "'%s': %s", strbuf_text(&to),
                       errno == EEXIST ? "two plugins have that name"
                                       : strerror(errno));
    rc = file_write_all(fd, text.data, text.size);
    return rc < 0 ? err_set(err, -rc, "'%s': %s", strbuf_text(&to), strerror(-rc)) : 0;
}

int session_dir_remove_plugins(const struct session_dir *dir, struct err *err)
{
    (void)mkdir(strbuf_text(&dir->plugins), 0700); /* one that failed has none */
    AUTO_CLOSEDIR DIR *stream = opendir(strbuf_text(&dir->plugins));
    const struct dirent *entry;
    if (!stream)
        return err_set(err, errno, "'%s': %s", strbuf_text(&dir->plugins),
                       strerror(errno));
    while ((entry = readdir(stream)) != NULL)
        if (span_ends(span_of(entry->d_name), ".lua") &&
            unlinkat(dirfd(stream), entry->d_name, 0) < 0)
            return err_set(err, errno, "'%s/%s': %s", strbuf_text(&dir->plugins),
                           entry->d_name, strerror(errno));
    return 0;
}

static int copy_directory(const struct session_dir *dir, const char *from, DIR *stream,
                          struct err *err)
{
    size_t count = 0;
    const struct dirent *entry;
    while ((entry = readdir(stream)) != NULL) {
        AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
        if (entry->d_name[0] == '.' || !span_ends(span_of(entry->d_name), ".lua"))
            continue;
        strbuf_addf(&path, "%s/%s", from, entry->d_name);
        int rc = strbuf_error(&path);
        if (rc == 0)
            rc = copy_plugin(dir, strbuf_text(&path), entry->d_name, err);
        if (rc < 0)
            return rc;
        count++;
    }
    return count ? 0 : err_set(err, EINVAL, "'%s' has no plugin (*.lua)", from);
}

int session_dir_copy_plugins(const struct session_dir *dir, const char *from,
                             struct err *err)
{
    const char *name = strrchr(from, '/');
    AUTO_CLOSEDIR DIR *stream = opendir(from);
    name = name ? name + 1 : from;
    if (stream)
        return copy_directory(dir, from, stream, err);
    if (errno != ENOTDIR)
        return err_set(err, errno, "'%s': %s", from, strerror(errno));
    if (!span_ends(span_of(name), ".lua"))
        return err_set(err, EINVAL,
                       "'%s' does not end in .lua, as a plugin's name does", from);
    return copy_plugin(dir, from, name, err);
}
