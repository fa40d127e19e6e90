/* SPDX-License-Identifier: Apache-2.0 */
/* held - descriptors of the agent that outlive its process, and with them all mounts.
 *
 *     SIGHUP     ─▶ exec of the program anew, with them
 *     kill -9    ─▶ systemd has copies (FDSTORE) ─▶ LISTEN_FDS of the next start
 *
 * sd_listen_fds(3), sd_notify(3) and sd_pid_notify_with_fds(3) have the two protocols;
 * written out here, because the client's library has this room, too, and no libsystemd.
 */
#ifndef DATASET_MOUNT_HELD_H
#define DATASET_MOUNT_HELD_H

#include "base/err.h"

/* -1: none. */
struct held {
    int images; /* the connection of the FUSE mount */
    int table;  /* of the images, see image_table.h */
    int listen; /* the socket of commands: those that connect meanwhile wait */
};

#define HELD_NONE ((struct held){ -1, -1, -1 })

/* What the process before this one has left; the caller closes them.  The environment
 * has nothing of it afterwards. */
struct held held_find(void);
void held_close(struct held *held);
/* The manager of services has these from now on, in place of earlier ones.  Without one
 * nothing happens. */
void held_store(const struct held *held);
/* This program with the same arguments, and more (NULL: none), in place of this one.
 * Returns where that failed. */
int held_exec(const struct held *held, const char *more, struct err *err);

#endif
