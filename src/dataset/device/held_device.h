/* SPDX-License-Identifier: Apache-2.0 */
/* held_device - an NBD device whose server may end.
 *
 *     connected ─ the connection ends ─▶ waiting ─ a server has the dataset ─▶
 * connected ▲                                                                       │
 *         └───────────────────────────────────────────────────────────────────────┘
 *
 * Reads of the device wait meanwhile; what was under way the kernel sends again.  The
 * server is started again where it has ended; it is connected to again where it has
 * not.
 *
 * It needs nothing of the device: its memory is locked, and root is a directory (in
 * memory) with all that the server is executed from.  It sleeps while the connection
 * lasts. No library: it is the loop of a program, and logs. Threads  none.
 */
#ifndef DATASET_DEVICE_HELD_DEVICE_H
#define DATASET_DEVICE_HELD_DEVICE_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

struct held_device_opts {
    const char *root;    /* becomes this process's root directory */
    const char *dataset; /* a tag is resolved once */
    const char *socket;  /* in root: where the server listens for NBD */
    const char *status;  /* a file that is written anew with each change, or NULL */
    uint32_t index;      /* of /dev/nbdN */
    char *const *argv;   /* the server: argv[0] is its path in root, too */
    size_t argc;
    const char *name; /* what it is called: argv[0] in its list of processes */
};

/* Runs for ever once the device is connected; else returns.  Errors: -ENOENT (no such
 * dataset; no nbd in the kernel), -EACCES, -ECHILD (the server has ended), -EBUSY (the
 * device is in use), what the system has. */
int held_device_run(const struct held_device_opts *opts, struct err *err);

#endif
