/* SPDX-License-Identifier: Apache-2.0 */
/* node_jobs - which datasets jobs have references of on this node; private to the room.
 *
 *     DIR/jobs/4711          a line for each: "DIGEST UID NAME" before the reference is
 *                            requested, "DIGEST" when it is there
 *                            "-" when its end began
 *     DIR/jobs/4711.ended    the job has ended: what is left of it is given back by a
 *                            later sweep
 *
 * A name means the same dataset as long as the job: a tag that is moved meanwhile is
 * seen by the next job.  The files outlive the agent.
 * Threads  none; several processes, one at a time has a job's file.
 */
#ifndef DATASET_MOUNT_NODE_JOBS_H
#define DATASET_MOUNT_NODE_JOBS_H

#include "dataset/mount/node_mounts.h"

#define NODE_JOBS_DATASETS_MAX 1024U

/* What a name means for a job, which has a reference of it when this returns.  Errors:
 * those of node_mounts_resolve() and node_mounts_job_ref(); -EDQUOT (too many), those
 * of files, with a line. */
int node_jobs_hold(const struct node_mounts *node, uint64_t job, const char *name,
                   const struct reader *reader, struct digest *ret, struct err *err);
/* All are given back; those that cannot be are by a sweep.  Errors: those of
 * node_mounts_job_ref(), with a line. */
int node_jobs_end(const struct node_mounts *node, uint64_t job, struct err *err);
/* Of jobs that have ended.  False: some are left. */
bool node_jobs_sweep(const struct node_mounts *node);

#endif
