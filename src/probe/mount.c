/* SPDX-License-Identifier: Apache-2.0 */
/* mount - where the file system that is measured begins, and its lock. */
#include "probe/mount.h"

#include "base/cleanup.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* real is an absolute path without links; shortened to its mount point. */
static int shorten(char *real, struct err *err)
{
    struct stat own, above;
    if (stat(real, &own) < 0)
        return err_set(err, errno, "'%s': %s", real, strerror(errno));
    while (real[1]) {
        char *slash = strrchr(real, '/');
        char *end = slash == real ? slash + 1 : slash;
        char was = *end;
        *end = '\0';
        if (stat(real, &above) < 0 || above.st_dev != own.st_dev) {
            *end = was; /* the one below was the topmost */
            break;
        }
    }
    return 0;
}

int mount_find(const char *dir, char *ret, size_t ret_size, struct err *err)
{
    AUTO_FREE char *real = realpath(dir, NULL);
    if (!real)
        return err_set(err, errno, "'%s': %s", dir, strerror(errno));
    int rc = shorten(real, err);
    if (rc == 0 && strlen(real) >= ret_size)
        rc = err_set(err, ENAMETOOLONG, "'%s': the path is too long", dir);
    if (rc == 0)
        memcpy(ret, real, strlen(real) + 1);
    return rc;
}

/* Open the first directory that may be read on the way from the mount point to dir;
 * path holds it. */
static int open_topmost(const char *dir, char path[static PATH_MAX], int *ret_fd,
                        struct err *err)
{
    AUTO_FREE char *real = realpath(dir, NULL);
    int rc = mount_find(dir, path, PATH_MAX, err);
    if (rc < 0 || !real)
        return rc < 0 ? rc : err_set(err, ENOENT, "'%s': it is gone", dir);
    for (size_t size = strlen(path);;) {
        int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (fd >= 0) {
            *ret_fd = fd;
            return 0;
        }
        if (errno != EACCES || !real[size])
            return err_set(err, errno, "open '%s': %s", path, strerror(errno));
        size += real[size] == '/'; /* "/scratch" -> "/scratch/me" */
        size += strcspn(real + size, "/");
        if (size >= PATH_MAX)
            return err_set(err, ENAMETOOLONG, "'%s': the path is too long", dir);
        memcpy(path, real, size);
        path[size] = '\0';
    }
}

static int open_named(const char *path, int *ret_fd, struct err *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT)
        fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (fd < 0)
        return err_set(err, errno, "open '%s': %s", path, strerror(errno));
    *ret_fd = fd;
    return 0;
}

int mount_lock(const char *path, const char *dir, int *ret_fd, struct err *err)
{
    char mount[PATH_MAX];
    AUTO_CLOSE int fd = -1;
    int rc = path ? open_named(path, &fd, err) : open_topmost(dir, mount, &fd, err);
    if (rc < 0)
        return rc;
    rc = file_lock(fd);
    if (rc == -EBUSY)
        return err_set(err, EBUSY,
                       "another baro-abc runs on this file system ('%s' is locked): "
                       "two would measure each other",
                       path ? path : mount);
    if (rc < 0)
        return err_set(err, -rc, "lock '%s': %s", path ? path : mount, strerror(-rc));
    *ret_fd = fd;
    fd = -1;
    return 0;
}
