/* SPDX-License-Identifier: Apache-2.0 */
/* node_uses - what commands have mounted where on this node; private to the room.
 *
 *     DIR/uses/PROCESS   of a visitor, which has its lock as long as it runs: a line
 *                        for each mount, as model/job_dataset.h has them; job "0":
 *                        none.  It is made as .PROCESS, until it has its lock
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
/* The line has its end, and is valid during the call.  Negative: it ends. */
typedef int node_use_fn(void *arg, struct span line);
/* Each line of user uid, 0: of all.  Errors: those of fn. */
int node_uses_each(const struct node_mounts *node, uid_t uid, node_use_fn *fn,
                   void *arg);
/* Files of processes that were killed are removed. */
void node_uses_sweep(const struct node_mounts *node);

#endif
