/* SPDX-License-Identifier: Apache-2.0 */
/* hdf5_child - HDF5 read by a process of its own, which a damaged file may take down.
 *
 * An open file has a child, forked when it is needed, that ends with the file, with its
 * parent, or when children of other files are needed (hdf5_alive).  A child forked by
 * another process of a pool is never used: this process forks its own.
 */
#ifndef SOURCE_LMT_HDF5_CHILD_H
#define SOURCE_LMT_HDF5_CHILD_H

#include "source/lmt/series_format.h"

struct hdf5_limits {
    unsigned cpu_s;      /* for each request; what is longer is a loop */
    int64_t wall_ns;     /* for a request with all of its response */
    size_t memory_bytes; /* more than the program has */
};

/* What a file of so many bytes may take. */
struct hdf5_limits hdf5_limits_of(uint64_t file_bytes);

/* As lmt_hdf5_open(), with other limits. */
int hdf5_child_open(const char *path, const struct lmt_opts *opts,
                    const struct hdf5_limits *limits, void **ret_state,
                    const struct lmt_format **ret_format, struct err *err);
/* The process that reads now; 0: none. */
pid_t hdf5_child_pid(const void *state);

/* In this process itself: what the child does. */
int hdf5_here_open(const char *path, const struct lmt_opts *opts, void **ret_state,
                   const struct lmt_format **ret_format, struct err *err);

#endif
