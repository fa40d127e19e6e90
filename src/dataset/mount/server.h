/* SPDX-License-Identifier: Apache-2.0 */
/* server - the process that serves images: a forwarder that has the kernel as a client;
 * private to the room. */
#ifndef DATASET_MOUNT_SERVER_H
#define DATASET_MOUNT_SERVER_H

#include "dataset/mount/fuse_door.h"
#include "dataset/mount/mount.h"

/* In a child that was forked for it: it drops all rights, serves until
 * SIGTERM, and does not return. */
__attribute__((noreturn)) void server_run(const struct agent_opts *opts, uid_t uid,
                                          gid_t gid, int fuse_fd, int table_fd,
                                          struct image_table *table);

#endif
