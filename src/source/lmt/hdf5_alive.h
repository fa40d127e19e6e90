/* SPDX-License-Identifier: Apache-2.0 */
/* hdf5_alive - how many of the processes that read HDF5 are alive at once.
 *
 * Any number of files may be open, but limits of processes (ulimit -u, TasksMax) are
 * narrow: of this process's children at most HDF5_ALIVE_MAX stay alive between
 * requests, in a process that was forked (a worker of a pool, of which there are many)
 * at most HDF5_ALIVE_WORKER_MAX.  The one that was used least recently is ended when
 * another begins, and forked again when it is needed.
 *
 * Threads  any; a fork begins with none.
 */
#ifndef SOURCE_LMT_HDF5_ALIVE_H
#define SOURCE_LMT_HDF5_ALIVE_H

#include <stdbool.h>

#define HDF5_ALIVE_MAX 64
#define HDF5_ALIVE_WORKER_MAX 2

/* One child.  Zeroed but for end, which ends it while no request is being done. */
struct hdf5_alive {
    void (*end)(struct hdf5_alive *child);
    struct hdf5_alive *older;
    bool is_busy;
};

/* A request begins: from now on the child is not ended.  Others may be. */
void hdf5_alive_begin(struct hdf5_alive *child);
/* The request is done. */
void hdf5_alive_rest(struct hdf5_alive *child, bool is_alive);
/* No child any more; end() is not called for it again. */
void hdf5_alive_leave(struct hdf5_alive *child);

#endif
