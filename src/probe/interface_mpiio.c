/* SPDX-License-Identifier: Apache-2.0 */
/* interface_mpiio - bytes reach a file through MPI-IO, independently. */
#include "base/cleanup.h"
#include "probe/interface.h"

#include <errno.h>
#include <mpi.h>
#include <string.h>

struct interface_file {
    MPI_File handle;
    char path[];
};

static int say(struct err *err, int code, const char *what, const char *path)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int size = 0, class = MPI_ERR_OTHER;
    (void)MPI_Error_string(code, text, &size);
    (void)MPI_Error_class(code, &class);
    return err_set(err, class == MPI_ERR_NO_SPACE ? ENOSPC : EIO, "%s '%s': %s", what,
                   path, text);
}

static int mpiio_open(const struct interface_open *how, struct interface_file **ret,
                      struct err *err)
{
    size_t size = strlen(how->path) + 1;
    struct interface_file *file = malloc(sizeof *file + size);
    if (!file)
        return -ENOMEM;
    memcpy(file->path, how->path, size);
    int mode =
        how->phase == SHAPE_WRITE ? MPI_MODE_WRONLY | MPI_MODE_CREATE : MPI_MODE_RDONLY;
    int code = MPI_File_open(how->shape->is_shared ? MPI_COMM_WORLD : MPI_COMM_SELF,
                             how->path, mode, MPI_INFO_NULL, &file->handle);
    if (code != MPI_SUCCESS) {
        free(file);
        return say(err, code, "open", how->path);
    }
    *ret = file;
    return 0;
}

static int mpiio_write(struct interface_file *file, const struct transfer *t,
                       const void *data, struct err *err)
{
    MPI_Status status;
    int code = MPI_File_write_at(file->handle, (MPI_Offset)t->offset, data,
                                 (int)t->size, MPI_BYTE, &status);
    int count = 0;
    if (code != MPI_SUCCESS)
        return say(err, code, "write", file->path);
    (void)MPI_Get_count(&status, MPI_BYTE, &count);
    if ((uint64_t)count != t->size)
        return err_set(err, EIO, "write '%s': %d bytes of %llu", file->path, count,
                       (unsigned long long)t->size);
    return 0;
}

static int mpiio_read(struct interface_file *file, const struct transfer *t, void *data,
                      struct err *err)
{
    MPI_Status status;
    int code = MPI_File_read_at(file->handle, (MPI_Offset)t->offset, data, (int)t->size,
                                MPI_BYTE, &status);
    int count = 0;
    if (code != MPI_SUCCESS)
        return say(err, code, "read", file->path);
    (void)MPI_Get_count(&status, MPI_BYTE, &count);
    if ((uint64_t)count != t->size)
        return err_set(err, ENODATA, "'%s' ends at byte %llu: it is too short",
                       file->path, (unsigned long long)t->offset + (unsigned)count);
    return 0;
}

static int mpiio_sync(struct interface_file *file, struct err *err)
{
    int code = MPI_File_sync(file->handle);
    return code == MPI_SUCCESS ? 0 : say(err, code, "sync", file->path);
}

static int mpiio_close(struct interface_file *file, struct err *err)
{
    int code = MPI_File_close(&file->handle);
    int rc = code == MPI_SUCCESS ? 0 : say(err, code, "close", file->path);
    free(file);
    return rc;
}

const struct interface interface_mpiio = {
    .name = "mpiio",
    .open = mpiio_open,
    .write = mpiio_write,
    .read = mpiio_read,
    .sync = mpiio_sync,
    .close = mpiio_close,
};
