/* SPDX-License-Identifier: Apache-2.0 */
/* node_record - what is read of an image on this node; only root calls this.
 * Threads  none inside; several processes.
 */
#ifndef DATASET_MOUNT_NODE_RECORD_H
#define DATASET_MOUNT_NODE_RECORD_H

#include "dataset/mount/node_mounts.h"

/* From now on, of an image that is mounted; what the kernel has of its file is dropped.
 * Errors: those of getxattr, with a line. */
int node_record_begin(const struct node_mounts *node, const struct digest *name,
                      struct err *err);
/* What has been, as start_profile.h has it: not looked into here.  Errors: -ENODATA (it
 * was lost), those of getxattr, with a line. */
int node_record_read(const struct node_mounts *node, const struct digest *name,
                     struct strbuf *out, struct err *err);

#endif
