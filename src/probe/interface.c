/* SPDX-License-Identifier: Apache-2.0 */
/* interface - how bytes reach a file; and the plain one. */
#include "probe/interface.h"

#include "base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

static const struct interface *const interfaces[] = {
    &interface_posix,
#ifdef BARO_WITH_MPI
    &interface_mpiio,
#endif
#ifdef BARO_WITH_HDF5
    &interface_hdf5,
#endif
};

const struct interface *interface_find(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(interfaces); i++)
        if (strcmp(interfaces[i]->name, name) == 0)
            return interfaces[i];
    return NULL;
}

const char *interface_names(void)
{
    return "posix"
#ifdef BARO_WITH_MPI
           " mpiio"
#endif
#ifdef BARO_WITH_HDF5
           " hdf5"
#endif
        ;
}

/* ---- posix ---- */

struct interface_file {
    int fd;
    char path[]; /* for errors */
};

static int posix_open(const struct interface_open *how, struct interface_file **ret,
                      struct err *err)
{
    size_t size = strlen(how->path) + 1;
    struct interface_file *file = malloc(sizeof *file + size);
    if (!file)
        return -ENOMEM;
    memcpy(file->path, how->path, size);
    int flags = how->phase == SHAPE_WRITE ? O_WRONLY | O_CREAT : O_RDONLY;
    file->fd = open(how->path, flags | O_CLOEXEC, 0600);
    if (file->fd < 0) {
        int errnum = errno;
        free(file);
        return err_set(err, errnum, "open '%s': %s", how->path, strerror(errnum));
    }
    /* What is still in memory says nothing about the file system. */
    if (how->phase == SHAPE_READ)
        (void)posix_fadvise(file->fd, 0, 0, POSIX_FADV_DONTNEED);
    *ret = file;
    return 0;
}

static int posix_write(struct interface_file *file, const struct transfer *t,
                       const void *data, struct err *err)
{
    const char *at = data;
    for (uint64_t done = 0; done < t->size;) {
        ssize_t n =
            pwrite(file->fd, at + done, t->size - done, (off_t)(t->offset + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return err_set(err, errno, "write '%s': %s", file->path, strerror(errno));
        done += (uint64_t)n;
    }
    return 0;
}

static int posix_read(struct interface_file *file, const struct transfer *t, void *data,
                      struct err *err)
{
    char *at = data;
    for (uint64_t done = 0; done < t->size;) {
        ssize_t n =
            pread(file->fd, at + done, t->size - done, (off_t)(t->offset + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return err_set(err, errno, "read '%s': %s", file->path, strerror(errno));
        if (n == 0)
            return err_set(err, ENODATA, "'%s' ends at byte %llu: it is too short",
                           file->path, (unsigned long long)(t->offset + done));
        done += (uint64_t)n;
    }
    return 0;
}

static int posix_sync(struct interface_file *file, struct err *err)
{
    if (fsync(file->fd) < 0)
        return err_set(err, errno, "fsync '%s': %s", file->path, strerror(errno));
    return 0;
}

static int posix_close(struct interface_file *file, struct err *err)
{
    int rc = close(file->fd) < 0
                 ? err_set(err, errno, "close '%s': %s", file->path, strerror(errno))
                 : 0;
    free(file);
    return rc;
}

const struct interface interface_posix = {
    .name = "posix",
    .open = posix_open,
    .write = posix_write,
    .read = posix_read,
    .sync = posix_sync,
    .close = posix_close,
};
