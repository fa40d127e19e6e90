/* SPDX-License-Identifier: Apache-2.0 */
/* interface_hdf5 - bytes reach a file through parallel HDF5: a dataset for each
 * variable.
 *
 * Datasets are arrays of bytes, so that what is checked does not pass a conversion.
 */
#include "base/cleanup.h"
#include "probe/interface.h"

#include <errno.h>
#include <hdf5.h>
#include <mpi.h>
#include <string.h>

struct interface_file {
    hid_t file;
    size_t count;
    hid_t *sets;
    char path[];
};

static int say(struct err *err, const char *what, const char *path)
{
    return err_set(err, EIO, "%s '%s': HDF5 fails", what, path);
}

static int hdf5_close(struct interface_file *file, struct err *err)
{
    int rc = 0;
    for (size_t i = 0; i < file->count; i++)
        if (H5Dclose(file->sets[i]) < 0)
            rc = say(err, "close", file->path);
    if (file->file >= 0 && H5Fclose(file->file) < 0)
        rc = say(err, "close", file->path);
    free(file->sets);
    free(file);
    return rc;
}

static hid_t open_set(const struct interface_open *how, hid_t file, size_t variable)
{
    const char *name = how->shape->variables[variable].name;
    if (how->phase == SHAPE_READ)
        return H5Dopen2(file, name, H5P_DEFAULT);
    hsize_t size = shape_array_bytes(how->shape, variable, how->ranks, how->items);
    hid_t space = H5Screate_simple(1, &size, NULL);
    if (space < 0)
        return space;
    hid_t set = H5Dcreate2(file, name, H5T_NATIVE_UCHAR, space, H5P_DEFAULT,
                           H5P_DEFAULT, H5P_DEFAULT);
    (void)H5Sclose(space);
    return set;
}

static hid_t open_file(const struct interface_open *how)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    hid_t file = H5I_INVALID_HID;
    if (access < 0)
        return file;
    if (H5Pset_fapl_mpio(access, how->shape->is_shared ? MPI_COMM_WORLD : MPI_COMM_SELF,
                         MPI_INFO_NULL) >= 0)
        file = how->phase == SHAPE_WRITE
                   ? H5Fcreate(how->path, H5F_ACC_TRUNC, H5P_DEFAULT, access)
                   : H5Fopen(how->path, H5F_ACC_RDONLY, access);
    (void)H5Pclose(access);
    return file;
}

static int hdf5_open(const struct interface_open *how, struct interface_file **ret,
                     struct err *err)
{
    size_t size = strlen(how->path) + 1;
    struct interface_file *file = calloc(1, sizeof *file + size);
    if (!file)
        return -ENOMEM;
    memcpy(file->path, how->path, size);
    /* Its own words about each failure would go to stderr, from each process. */
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    file->sets = calloc(how->shape->variable_count, sizeof *file->sets);
    file->file = file->sets ? open_file(how) : H5I_INVALID_HID;
    bool is_open = file->file >= 0;
    while (is_open && file->count < how->shape->variable_count) {
        hid_t set = open_set(how, file->file, file->count);
        is_open = set >= 0;
        if (is_open)
            file->sets[file->count++] = set;
    }
    if (!is_open) {
        (void)hdf5_close(file, NULL);
        return say(err, "open", how->path);
    }
    *ret = file;
    return 0;
}

/* The piece's place in its dataset, and as much memory. */
static int choose(const struct interface_file *file, const struct transfer *t,
                  hid_t *ret_file, hid_t *ret_memory)
{
    hsize_t start = t->array_offset, size = t->size;
    *ret_file = H5Dget_space(file->sets[t->variable]);
    *ret_memory = H5Screate_simple(1, &size, NULL);
    if (*ret_file >= 0 && *ret_memory >= 0 &&
        H5Sselect_hyperslab(*ret_file, H5S_SELECT_SET, &start, NULL, &size, NULL) >= 0)
        return 0;
    return -EIO;
}

static void unchoose(hid_t file, hid_t memory)
{
    if (file >= 0)
        (void)H5Sclose(file);
    if (memory >= 0)
        (void)H5Sclose(memory);
}

static int hdf5_write(struct interface_file *file, const struct transfer *t,
                      const void *data, struct err *err)
{
    hid_t place, memory;
    int rc = choose(file, t, &place, &memory);
    if (rc == 0 && H5Dwrite(file->sets[t->variable], H5T_NATIVE_UCHAR, memory, place,
                            H5P_DEFAULT, data) < 0)
        rc = -EIO;
    unchoose(place, memory);
    return rc < 0 ? say(err, "write", file->path) : 0;
}

static int hdf5_read(struct interface_file *file, const struct transfer *t, void *data,
                     struct err *err)
{
    hid_t place, memory;
    int rc = choose(file, t, &place, &memory);
    if (rc == 0 && H5Dread(file->sets[t->variable], H5T_NATIVE_UCHAR, memory, place,
                           H5P_DEFAULT, data) < 0)
        rc = -EIO;
    unchoose(place, memory);
    return rc < 0 ? say(err, "read", file->path) : 0;
}

static int hdf5_sync(struct interface_file *file, struct err *err)
{
    return H5Fflush(file->file, H5F_SCOPE_GLOBAL) < 0 ? say(err, "sync", file->path)
                                                      : 0;
}

const struct interface interface_hdf5 = {
    .name = "hdf5",
    .open = hdf5_open,
    .write = hdf5_write,
    .read = hdf5_read,
    .sync = hdf5_sync,
    .close = hdf5_close,
};
