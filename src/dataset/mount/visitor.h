/* SPDX-License-Identifier: Apache-2.0 */
/* visitor - a command that is connected to the agent: its datasets, as long as it is;
 * private to the room. */
#ifndef DATASET_MOUNT_VISITOR_H
#define DATASET_MOUNT_VISITOR_H

#include "dataset/forwarder/forwarder.h"
#include "dataset/mount/job_spool.h"
#include "dataset/mount/node_mounts.h"

struct visitor_opts {
    struct node_mounts node;
    uid_t uid;      /* whose the connection is */
    uint32_t login; /* who logged in; UINT32_MAX: not known */
    const struct job_report_opts *jobs;
    int spool_fd; /* of what jobs had mounted; -1: none */
    gid_t spool_gid;
    const struct forwarder_report *report;
};

/* In a process of its own, until the connection ends; it is ended by SIGALRM where
 * nothing is mounted for it and it requests nothing.  False: what was mounted
 * is in use still, or a job's reference could not be given back: a later sweep does. */
bool visitor_serve(const struct visitor_opts *opts, int fd);

#endif
