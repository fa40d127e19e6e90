/* SPDX-License-Identifier: Apache-2.0 */
/* process_job - the job that a process belongs to, by the cgroup that Slurm put it in.
 *
 *     version 2   0::/system.slice/[NODE_]slurmstepd.scope/job_ID/...
 *     version 1   N:CONTROLLERS:/slurm[_NODE]/uid_UID/job_ID/...
 *
 * Only root makes a cgroup there, so that a process cannot choose its job.
 * Threads: any.
 */
#ifndef BASE_SYSTEM_PROCESS_JOB_H
#define BASE_SYSTEM_PROCESS_JOB_H

#include "base/span_type.h"

#include <stdbool.h>
#include <sys/types.h>

#define JOB_ID_BYTES 32

/* The job in the text of /proc/PID/cgroup; false: none. */
bool process_job_of_text(struct span text, char ret[JOB_ID_BYTES]);

/* root: prefix of /proc, "" for this machine.  uid: whose process it has to be, so that
 * the number of one that has ended is not another user's.
 * Errors: -ESRCH (it is gone, or another user's), -ENOENT (in no job), those of
 * reading. */
int process_job_find(const char *root, pid_t pid, uid_t uid, char ret[JOB_ID_BYTES]);

#endif
