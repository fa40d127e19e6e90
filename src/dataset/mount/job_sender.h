/* SPDX-License-Identifier: Apache-2.0 */
/* job_sender - the process that reports to barod what jobs had mounted; private to the
 * room. */
#ifndef DATASET_MOUNT_JOB_SENDER_H
#define DATASET_MOUNT_JOB_SENDER_H

#include "dataset/forwarder/forwarder.h"
#include "dataset/mount/job_spool.h"

/* In a process of its own, as that user, until it is ended: what is in the spool is
 * posted, and removed when barod has stored it.  What cannot be is tried again. */
__attribute__((noreturn)) void job_sender_run(const struct job_report_opts *opts,
                                              int spool_fd, uid_t uid, gid_t gid,
                                              const struct forwarder_report *report);

#endif
