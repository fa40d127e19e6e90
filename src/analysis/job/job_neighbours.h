/* SPDX-License-Identifier: Apache-2.0 */
/* job_neighbours - the jobs that a cluster ran while a job ran. */
#ifndef ANALYSIS_JOB_JOB_NEIGHBOURS_H
#define ANALYSIS_JOB_JOB_NEIGHBOURS_H

#include "source/scheduler/scheduler.h"

/* Co-scheduled jobs; all is missing (job_value.h) where the list does not cover the
 * time. */
struct job_neighbours {
    int64_t jobs; /* the job itself is one of them */
    int64_t nodes;
    double node_hours;     /* within the job's time */
    double own_node_hours; /* NaN: the list does not know the job */
};

/* The scheduler's record of the job called jobid; NULL: the list has none. cluster
 * empty: of any. */
const struct job *job_record_find(const struct job_list *list, struct span cluster,
                                  const char *jobid);

/* [start_s, end_s) is the job's time.  cluster empty: the cluster of the job, where the
 * list knows it, else all. */
void job_neighbours_read(const struct job_list *list, struct span cluster,
                         const char *jobid, int64_t start_s, int64_t end_s,
                         struct job_neighbours *ret);

#endif
