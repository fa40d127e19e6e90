/* SPDX-License-Identifier: Apache-2.0 */
/* file - whole files, safely. */
#include "base/file.h"

#include "base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

int file_read_fd(int fd, size_t size_max, struct strbuf *buf)
{
    size_t start = buf->size;
    for (;;) {
        if (strbuf_reserve(buf, 64 * 1024) < 0)
            return -ENOMEM;
        ssize_t n = read(fd, buf->data + buf->size, buf->capacity - buf->size - 1);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        if (n == 0)
            return 0;
        buf->size += (size_t)n;
        buf->data[buf->size] = '\0';
        if (buf->size - start > size_max)
            return -EMSGSIZE;
    }
}

int file_read(const char *path, size_t size_max, struct strbuf *buf, struct err *err)
{
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return err_set(err, errno, "open '%s': %s", path, strerror(errno));
    int rc = file_read_fd(fd, size_max, buf);
    if (rc == -EMSGSIZE)
        return err_set(err, EMSGSIZE, "'%s' is over %zu bytes", path, size_max);
    if (rc < 0)
        return err_set(err, -rc, "read '%s': %s", path, strerror(-rc));
    return 0;
}

int file_error(int errnum)
{
    return errnum == EDQUOT ? -ENOSPC : -errnum;
}

/* For a person in the system's own words. */
static int error_set(struct err *err, const char *what, const char *path)
{
    const int errnum = errno;
    return err_set(err, -file_error(errnum), "%s '%s': %s", what, path,
                   strerror(errnum));
}

int file_write_all(int fd, const void *data, size_t size)
{
    const char *at = data;
    while (size) {
        ssize_t n = write(fd, at, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return file_error(errno);
        at += n;
        size -= (size_t)n;
    }
    return 0;
}

int file_sync_dir(const char *dir, struct err *err)
{
    AUTO_CLOSE int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || fsync(fd) < 0)
        return error_set(err, "sync", dir);
    return 0;
}

static int write_and_sync(const char *path, const void *data, size_t size, mode_t mode,
                          struct err *err)
{
    AUTO_CLOSE int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
    if (fd < 0)
        return error_set(err, "create", path);
    int rc = file_write_all(fd, data, size);
    if (rc == 0 && fdatasync(fd) < 0)
        rc = file_error(errno);
    if (rc < 0)
        return err_set(err, -rc, "write '%s': %s", path, strerror(-rc));
    return 0;
}

int file_replace(const char *path, const void *data, size_t size, mode_t mode,
                 struct err *err)
{
    AUTO(strbuf_done) struct strbuf beside = STRBUF_INIT;
    strbuf_addf(&beside, "%s.new", path);
    AUTO_FREE char *copy = strdup(path);
    if (!copy || strbuf_error(&beside) < 0)
        return err_set(err, ENOMEM, "replace '%s': out of memory", path);
    int rc = write_and_sync(beside.data, data, size, mode, err);
    if (rc == 0 && rename(beside.data, path) < 0)
        rc = error_set(err, "rename", beside.data);
    if (rc < 0) {
        (void)unlink(beside.data);
        return rc;
    }
    return file_sync_dir(dirname(copy), err);
}

int file_make_dirs(const char *path, mode_t mode, struct err *err)
{
    if (!*path)
        return err_set(err, ENOENT, "mkdir '': the name of the directory is empty");
    AUTO_FREE char *copy = strdup(path);
    if (!copy)
        return err_set(err, ENOMEM, "mkdir '%s': out of memory", path);
    for (char *at = copy + 1;; at++) {
        char c = *at;
        if (c != '/' && c != '\0')
            continue;
        *at = '\0';
        if (mkdir(copy, mode) < 0 && errno != EEXIST)
            return error_set(err, "mkdir", copy);
        *at = c;
        if (c == '\0')
            return 0;
    }
}

#define LOCK_TRIES 40
#define LOCK_PAUSE_NS 50000000

int file_lock(int fd)
{
    for (int i = 0;; i++) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0)
            return 0;
        if (errno != EWOULDBLOCK && errno != EINTR)
            return -errno;
        if (i == LOCK_TRIES)
            return -EBUSY;
        struct timespec pause = { 0, LOCK_PAUSE_NS };
        (void)nanosleep(&pause, NULL);
    }
}

int file_of_text(struct span text, int *ret_fd,
                 char path[static FILE_OF_TEXT_PATH_SIZE], struct err *err)
{
    AUTO_CLOSE int fd = memfd_create("text", MFD_CLOEXEC);
    int rc = fd < 0 ? -errno : file_write_all(fd, text.data, text.size);
    if (rc < 0)
        return err_set(err, -rc, "a file in memory: %s", strerror(-rc));
    (void)snprintf(path, FILE_OF_TEXT_PATH_SIZE, "/proc/self/fd/%d", fd);
    *ret_fd = TAKE_FD(fd);
    return 0;
}
