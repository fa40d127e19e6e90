/* SPDX-License-Identifier: Apache-2.0 */
/* way - how bytes reach a file: plain calls, MPI-IO, or HDF5.
 *
 * One process uses one file at a time.  Errors: -errno; what the library says otherwise
 * is -EIO with a line in err.
 */
#ifndef PROBE_WAY_H
#define PROBE_WAY_H

#include "base/err.h"
#include "probe/shape.h"

struct way_file; /* each way has its own */

struct way_open {
    const char *path;
    const struct shape *shape; /* is_shared: opened by all processes at once */
    enum shape_phase phase;
    unsigned ranks;
    uint64_t items;
};

struct way {
    const char *name; /* "posix", "mpiio", "hdf5" */
    int (*open)(const struct way_open *how, struct way_file **ret, struct err *err);
    int (*write)(struct way_file *file, const struct transfer *t, const void *data,
                 struct err *err);
    /* -ENODATA: the file is shorter than it should be. */
    int (*read)(struct way_file *file, const struct transfer *t, void *data,
                struct err *err);
    int (*sync)(struct way_file *file, struct err *err);
    int (*close)(struct way_file *file, struct err *err);
};

extern const struct way way_posix;
#ifdef BARO_WITH_MPI
extern const struct way way_mpiio;
#endif
#ifdef BARO_WITH_HDF5
extern const struct way way_hdf5;
#endif

/* NULL: there is none of this name in this build. */
const struct way *way_find(const char *name);
/* "posix mpiio": what this build has. */
const char *way_names(void);

#endif
