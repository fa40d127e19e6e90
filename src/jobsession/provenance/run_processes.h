/* SPDX-License-Identifier: Apache-2.0 */
/* run_processes - which processes of this node are of a run, and what they have open.
 *
 *     /proc/PID of the same user ─▶ its environment has the session's id, or none,
 *                                   and its cgroup is that of our job of Slurm
 *                                ─▶ exe, maps, fd ─▶ file_table
 *
 * All is read as the user whose processes they are: nothing is privileged.  What a
 * reading has no place for is left out, and counted.
 *
 * Threads  one at a time.
 */
#ifndef JOBSESSION_PROVENANCE_RUN_PROCESSES_H
#define JOBSESSION_PROVENANCE_RUN_PROCESSES_H

#include "jobsession/provenance/file_table.h"

#include <sys/types.h>

#define RUN_PROCESSES_MAX 256
#define RUN_FDS_MAX 1024
#define RUN_MAPS_BYTES_MAX ((size_t)4 << 20)
#define RUN_ENVIRONMENT_BYTES_MAX ((size_t)1 << 20)

struct run_opts {
    const char *root; /* before /proc; "" */
    const char *id;   /* of the session, as BARO_SESSION_ID has it */
    uid_t uid;
};

/* The job of Slurm in the text of /proc/PID/cgroup, as a path up to it; size 0: none.
 */
struct span run_job_of_cgroup(struct span text);

/* Look at all of them once.  Returns how many there were. */
size_t run_processes_read(const struct run_opts *opts, struct file_table *table);

#endif
