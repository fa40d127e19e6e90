/* SPDX-License-Identifier: Apache-2.0 */
/* mount_use - for whom a visitor has mounted a dataset, and what becomes of that: known
 * on the node, and recorded for its job; private to the room. */
#ifndef DATASET_MOUNT_MOUNT_USE_H
#define DATASET_MOUNT_MOUNT_USE_H

#include "base/system/process_job.h"
#include "dataset/mount/visitor.h"
#include "dataset/visit/visit.h"

struct mount_use {
    struct digest digest;
    char name[AGENT_NAME_SIZE]; /* as it was requested */
    uint32_t uid;               /* for whom */
    char job[JOB_ID_BYTES];     /* "0": none */
    bool is_of_slurm;           /* by the plugin; else baro dataset run */
    bool is_reported;           /* once for each mount: the spool has a bound */
};

/* When it is mounted.  fd: of the connection, whose process is in a job, or not. */
void mount_use_begin(const struct agent_request *request, const struct digest *digest,
                     uint32_t uid, int fd, struct mount_use *ret);
/* When the command has it at request->path.  Nothing waits for this, and what fails is
 * logged; *uses_fd is as of node_uses_add(). */
void mount_use_report(const struct visitor_opts *opts, struct mount_use *use,
                      const struct agent_request *request, int *uses_fd);

#endif
