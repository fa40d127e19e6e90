/* SPDX-License-Identifier: Apache-2.0 */
/* node_uses - what commands have mounted where on this node; private to the room.
 *
 *     DIR/uses/PROCESS   of a visitor, which has its lock as long as it runs: a line
 *                        for each mount, as model/job_dataset.h has them; job "0":
 *                        none
 *
 * Threads  none; several processes.
 */
#ifndef DATASET_MOUNT_NODE_USES_H
#define DATASET_MOUNT_NODE_USES_H

#include "dataset/mount/node_mounts.h"
#include "model/model.h"

/* Of this process; *fd is its file, -1 before the first.  Errors: those of files. */
int node_uses_add(const struct node_mounts *node, const struct job_dataset *use,
                  int *fd);
/* This process has none any more. */
void node_uses_clear(const struct node_mounts *node, int *fd);
/* All lines of user uid, 0: of all, into a file in memory.  Errors: those of
 * memfd_create(2) and of reading. */
int node_uses_list(const struct node_mounts *node, uid_t uid, int *ret_fd);
/* Files of processes that were killed are removed. */
void node_uses_sweep(const struct node_mounts *node);

#endif
