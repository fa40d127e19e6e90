/* SPDX-License-Identifier: Apache-2.0 */
/* job_spool - what jobs had mounted, until barod has it. */
#include "dataset/mount/job_spool.h"

#include "base/cleanup.h"
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
#define WRITTEN_AS ".new" /* until it is whole */

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

/* "TIME-UID-PROCESS-NUMBER" */
static bool is_of_user(const char *name, int64_t uid)
{
    char text[32];
    const char *dash = strchr(name, '-');
    (void)snprintf(text, sizeof text, "-%lld-", (long long)uid);
    return dash && strncmp(dash, text, strlen(text)) == 0;
}

static DIR *dir_list(int dir)
{
    int copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = copy < 0 ? NULL : fdopendir(copy);
    if (!list && copy >= 0)
        (void)close(copy);
    return list;
}

static bool is_admissible(int dir, const struct job_report_opts *opts, int64_t uid)
{
    uint64_t count = 0, own = 0;
    const struct dirent *entry;
    DIR *list = dir_list(dir);
    if (!list)
        return false;
    while ((entry = readdir(list))) {
        bool is_record = entry->d_name[0] >= '0' && entry->d_name[0] <= '9';
        count += is_record;
        own += is_record && is_of_user(entry->d_name, uid);
    }
    (void)closedir(list);
    return count < opts->spool_max && own < opts->spool_max / 4;
}

int job_spool_add(int dir, gid_t gid, const struct job_report_opts *opts,
                  const struct job_dataset *dataset)
{
    static unsigned number;
    AUTO(strbuf_done) struct strbuf line = STRBUF_INIT;
    char name[JOB_SPOOL_NAME_SIZE], new_name[JOB_SPOOL_NAME_SIZE + 8];
    if (!is_admissible(dir, opts, dataset->uid)) {
        (void)file_write(dir, gid, LOST, O_APPEND, SPAN("x"));
        return -EDQUOT;
    }
    job_dataset_print(dataset, &line);
    (void)snprintf(name, sizeof name, "%019lld-%lld-%ld-%u", (long long)dataset->t_ns,
                   (long long)dataset->uid, (long)getpid(), number++);
    (void)snprintf(new_name, sizeof new_name, WRITTEN_AS "-%s", name);
    int rc = strbuf_error(&line);
    if (rc == 0)
        rc = file_write(dir, gid, new_name, O_EXCL, strbuf_span(&line));
    if (rc == 0 && renameat(dir, new_name, dir, name) < 0)
        rc = -errno;
    if (rc < 0) {
        (void)unlinkat(dir, new_name, 0);
        (void)file_write(dir, gid, LOST, O_APPEND, SPAN("x"));
    }
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

static int spooled_read(int dir, const char *name, struct strbuf *body)
{
    char text[JOB_DATASET_LINE_BYTES_MAX];
    AUTO_CLOSE int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    ssize_t size = fd < 0 ? -1 : read(fd, text, sizeof text);
    if (size < 0)
        return -errno;
    if (size > 0 && text[size - 1] == '\n')
        strbuf_add(body, text, (size_t)size);
    return strbuf_error(body);
}

int job_spool_read(int dir, struct job_spool_batch *ret, struct strbuf *body)
{
    const struct dirent *entry;
    DIR *list = dir_list(dir);
    if (!list)
        return -errno;
    ret->count = 0;
    strbuf_clear(body);
    while ((entry = readdir(list)))
        if (entry->d_name[0] >= '0' && entry->d_name[0] <= '9' &&
            strlen(entry->d_name) < JOB_SPOOL_NAME_SIZE)
            batch_add(ret, entry->d_name);
    (void)closedir(list);
    qsort(ret->names, ret->count, sizeof ret->names[0], compare_names);
    int rc = 0;
    for (size_t i = 0; i < ret->count && rc == 0; i++)
        rc = spooled_read(dir, ret->names[i], body);
    return rc;
}

void job_spool_remove(int dir, const struct job_spool_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++)
        (void)unlinkat(dir, batch->names[i], 0);
}

uint64_t job_spool_lost(int dir)
{
    struct stat st;
    return fstatat(dir, LOST, &st, AT_SYMLINK_NOFOLLOW) < 0 || st.st_size < 0
               ? 0
               : (uint64_t)st.st_size;
}
