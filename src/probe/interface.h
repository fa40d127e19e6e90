/* SPDX-License-Identifier: Apache-2.0 */
/* interface - how bytes reach a file: plain calls, MPI-IO, or HDF5.
 *
 * One process uses one file at a time.  Errors: -errno; an error of a library
 * that has no errno is -EIO with its text in err.
 */
#ifndef PROBE_INTERFACE_H
#define PROBE_INTERFACE_H

#include "base/err.h"
#include "probe/shape.h"

struct interface_file; /* each interface has its own */

struct interface_open {
    const char *path;
    const struct shape *shape; /* is_shared: opened by all processes at once */
    enum shape_phase phase;
    unsigned ranks;
    uint64_t items;
};

struct interface {
    const char *name; /* "posix", "mpiio", "hdf5" */
    int (*open)(const struct interface_open *how, struct interface_file **ret,
                struct err *err);
    int (*write)(struct interface_file *file, const struct transfer *t,
                 const void *data, struct err *err);
    /* -ENODATA: the file is shorter than it should be. */
    int (*read)(struct interface_file *file, const struct transfer *t, void *data,
                struct err *err);
    int (*sync)(struct interface_file *file, struct err *err);
    int (*close)(struct interface_file *file, struct err *err);
};

extern const struct interface interface_posix;
#ifdef BARO_WITH_MPI
extern const struct interface interface_mpiio;
#endif
#ifdef BARO_WITH_HDF5
extern const struct interface interface_hdf5;
#endif

/* NULL: there is none of this name in this build. */
const struct interface *interface_find(const char *name);
/* "posix mpiio": what this build has. */
const char *interface_names(void);

#endif
