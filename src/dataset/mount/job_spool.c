/* SPDX-License-Identifier: Apache-2.0 */
/* job_spool - what jobs had mounted, until barod has it. */
#include "dataset/mount/job_spool.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOST "lost"
#define WRITTEN_AS ".new-" /* until it is whole */
#define SET_ASIDE_AS ".bad-"
#define AS_SIZE 5
#define WRITTEN_WITHIN_S 60 /* else its process was killed */

/* What is made has that group: root needs no right to change an owner. */
static int dir_make(const char *path, gid_t gid)
{
    (void)setfsgid(gid);
    int rc = mkdir(path, 0770) < 0 && errno != EEXIST ? -errno : 0;
    (void)setfsgid(getegid());
    return rc;
}

int job_spool_open(const char *path, gid_t gid, int *ret_fd, struct err *err)
{
    struct stat st = { 0 };
    int rc = dir_make(path, gid);
    AUTO_CLOSE int fd =
        rc < 0 ? -1 : open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (rc < 0 || fd < 0 || fstat(fd, &st) < 0)
        return err_set(err, rc < 0 ? -rc : errno, "%s: %s", path,
                       strerror(rc < 0 ? -rc : errno));
    if (st.st_uid != 0 || st.st_gid != gid)
        return err_set(err, EPERM,
                       "%s: not root's, or of another group than that of the user who "
                       "serves images: remove it",
                       path);
    if (fchmod(fd, 0770) < 0)
        return err_set(err, errno, "%s: %s", path, strerror(errno));
    *ret_fd = TAKE_FD(fd);
    return 0;
}

/* ---- writing ---- */

static int file_write(int dir, gid_t gid, const char *name, int flags, struct span text)
{
    (void)setfsgid(gid);
    AUTO_CLOSE int fd =
        openat(dir, name,
               O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | flags, 0640);
    int rc = fd < 0 ? -errno : 0;
    (void)setfsgid(getegid());
    /* Of what was there before the other process may have made another file's name. */
    if (rc == 0 && flags & O_EXCL && fchmod(fd, 0660) < 0)
        rc = -errno;
    errno = 0;
    if (rc == 0 && write(fd, text.data, text.size) != (ssize_t)text.size)
        rc = errno ? -errno : -EIO;
    return rc;
}

/* Of whom a record is: its uid, who logged in, and its job. */
struct spool_owner {
    char uid[24], login[24];
    struct span job;
    bool is_login_known;
};

static bool is_record(const char *name)
{
    return name[0] >= '0' && name[0] <= '9' && strlen(name) < JOB_SPOOL_NAME_SIZE;
}

static bool is_own(const char *name, const struct spool_owner *owner)
{
    struct span rest = span_of(name), when, uid, login, job;
    (void)span_cut(&rest, '-', &when);
    (void)span_cut(&rest, '-', &uid);
    (void)span_cut(&rest, '-', &login);
    (void)span_cut(&rest, '-', &job);
    return span_is(uid, owner->uid) ||
           (owner->is_login_known && span_is(login, owner->login)) ||
           span_eq(job, owner->job);
}

static DIR *dir_list(int dir)
{
    int copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = copy < 0 ? NULL : fdopendir(copy);
    if (!list && copy >= 0)
        (void)close(copy);
    return list;
}

static bool is_admissible(int dir, const struct job_report_opts *opts,
                          const struct spool_owner *owner)
{
    uint64_t count = 0, own = 0;
    const struct dirent *entry;
    AUTO_CLOSEDIR DIR *list = dir_list(dir);
    if (!list)
        return false;
    while ((entry = readdir(list))) {
        bool is_waiting = is_record(entry->d_name);
        /* What is set aside has a bound, too. */
        count += is_waiting || strncmp(entry->d_name, SET_ASIDE_AS, AS_SIZE) == 0;
        own += is_waiting && is_own(entry->d_name, owner);
    }
    return count < opts->spool_max && own < opts->spool_max / 4;
}

static int record_write(int dir, gid_t gid, const char *name, struct span line)
{
    char new_name[JOB_SPOOL_NAME_SIZE + AS_SIZE];
    (void)snprintf(new_name, sizeof new_name, WRITTEN_AS "%s", name);
    int rc = file_write(dir, gid, new_name, O_EXCL, line);
    if (rc == 0 && renameat(dir, new_name, dir, name) < 0)
        rc = -errno;
    if (rc < 0)
        (void)unlinkat(dir, new_name, 0);
    return rc;
}

int job_spool_add(int dir, gid_t gid, const struct job_report_opts *opts,
                  const struct job_dataset *dataset, uint32_t login)
{
    static unsigned number;
    AUTO(strbuf_done) struct strbuf line = STRBUF_INIT;
    struct spool_owner owner = { .job = dataset->job,
                                 .is_login_known = login != UINT32_MAX };
    char name[JOB_SPOOL_NAME_SIZE];
    (void)snprintf(owner.uid, sizeof owner.uid, "%lld", (long long)dataset->uid);
    (void)snprintf(owner.login, sizeof owner.login, "%lu", (unsigned long)login);
    int size = snprintf(name, sizeof name, "%019lld-%s-%s-" SPAN_FMT "-%ld-%u",
                        (long long)dataset->t_ns, owner.uid, owner.login,
                        SPAN_ARG(dataset->job), (long)getpid(), number++);
    int rc = size < 0 || (size_t)size >= sizeof name ? -ENAMETOOLONG
             : !is_admissible(dir, opts, &owner)     ? -EDQUOT
                                                     : 0;
    job_dataset_print(dataset, &line);
    if (rc == 0)
        rc = strbuf_error(&line);
    if (rc == 0)
        rc = record_write(dir, gid, name, strbuf_span(&line));
    if (rc < 0)
        (void)file_write(dir, gid, LOST, O_APPEND, SPAN("x"));
    return rc;
}

/* ---- reading ---- */

static int compare_names(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* The oldest of all, in their order. */
static void batch_add(struct job_spool_batch *batch, const char *name)
{
    size_t last = batch->count;
    if (batch->count < JOB_SPOOL_BATCH_MAX) {
        batch->count++;
    } else {
        last = 0;
        for (size_t i = 1; i < batch->count; i++)
            if (strcmp(batch->names[i], batch->names[last]) > 0)
                last = i;
        if (strcmp(name, batch->names[last]) >= 0)
            return;
    }
    (void)snprintf(batch->names[last], JOB_SPOOL_NAME_SIZE, "%s", name);
}

/* Not of this file: another one would not be read either. */
static bool is_of_process(int error)
{
    return error == -EMFILE || error == -ENFILE || error == -ENOMEM || error == -EINTR;
}

/* The size of its line; 0: it is not whole.  -ENOENT: it is gone. */
static ssize_t spooled_read(int dir, const char *name,
                            char text[static JOB_DATASET_LINE_BYTES_MAX])
{
    struct stat st;
    AUTO_CLOSE int fd =
        openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) < 0)
        return -errno;
    if (!S_ISREG(st.st_mode))
        return -EINVAL;
    ssize_t size = read(fd, text, JOB_DATASET_LINE_BYTES_MAX);
    if (size < 0)
        return -errno;
    return size > 0 && text[size - 1] == '\n' ? size : 0;
}

static int not_whole_remove(int dir, const char *name, struct job_spool_batch *batch)
{
    if (unlinkat(dir, name, 0) < 0)
        return errno == ENOENT ? 0 : -errno;
    batch->empty++;
    return 0;
}

/* So that those behind it are sent. */
static int set_aside(int dir, const char *name, int error,
                     struct job_spool_batch *batch)
{
    char aside[JOB_SPOOL_NAME_SIZE + AS_SIZE];
    (void)snprintf(aside, sizeof aside, SET_ASIDE_AS "%s", name);
    if (renameat(dir, name, dir, aside) < 0)
        return errno == ENOENT ? 0 : -errno;
    if (batch->unreadable++ == 0)
        batch->error = error;
    return 0;
}

/* What is read stays in the batch. */
static int batch_read(int dir, struct job_spool_batch *batch, struct strbuf *body)
{
    char text[JOB_DATASET_LINE_BYTES_MAX];
    size_t found = batch->count;
    int rc = 0;
    batch->count = 0;
    for (size_t i = 0; i < found && rc == 0; i++) {
        const char *name = batch->names[i];
        ssize_t size = spooled_read(dir, name, text);
        if (size > 0) {
            strbuf_add(body, text, (size_t)size);
            rc = strbuf_error(body);
            memmove(batch->names[batch->count++], name, JOB_SPOOL_NAME_SIZE);
        } else if (size == 0) {
            rc = not_whole_remove(dir, name, batch);
        } else if (is_of_process((int)size)) {
            rc = (int)size;
        } else if (size != -ENOENT) {
            rc = set_aside(dir, name, (int)-size, batch);
        }
    }
    return rc;
}

static bool is_left(int dir, const char *name)
{
    struct stat st;
    return strncmp(name, WRITTEN_AS, AS_SIZE) == 0 &&
           fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
           clock_now_ms() / MS_PER_S - st.st_mtime > WRITTEN_WITHIN_S;
}

int job_spool_read(int dir, struct job_spool_batch *ret, struct strbuf *body)
{
    const struct dirent *entry;
    int rc = 0;
    ret->count = ret->empty = ret->unreadable = 0;
    ret->error = 0;
    strbuf_clear(body);
    AUTO_CLOSEDIR DIR *list = dir_list(dir);
    if (!list)
        return -errno;
    while ((entry = readdir(list))) {
        if (is_record(entry->d_name))
            batch_add(ret, entry->d_name);
        else if (is_left(dir, entry->d_name) && rc == 0)
            rc = not_whole_remove(dir, entry->d_name, ret);
    }
    qsort(ret->names, ret->count, sizeof ret->names[0], compare_names);
    int read_rc = batch_read(dir, ret, body);
    return rc < 0 ? rc : read_rc;
}

int job_spool_remove(int dir, const struct job_spool_batch *batch)
{
    int rc = 0;
    for (size_t i = 0; i < batch->count; i++)
        if (unlinkat(dir, batch->names[i], 0) < 0 && errno != ENOENT && rc == 0)
            rc = -errno;
    return rc;
}

uint64_t job_spool_lost(int dir)
{
    struct stat st;
    return fstatat(dir, LOST, &st, AT_SYMLINK_NOFOLLOW) < 0 || st.st_size < 0
               ? 0
               : (uint64_t)st.st_size;
}
