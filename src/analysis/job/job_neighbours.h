/* SPDX-License-Identifier: Apache-2.0 */
/* job_neighbours - what else a cluster ran while a job ran. */
#ifndef ANALYSIS_JOB_JOB_NEIGHBOURS_H
#define ANALYSIS_JOB_JOB_NEIGHBOURS_H

#include "analysis/table/table.h"
#include "source/scheduler/scheduler.h"

struct job_neighbours {
    bool is_known; /* any job ran then: the list covers the time */
    size_t jobs;   /* the job itself is one of them */
    uint64_t nodes;
    double node_hours;     /* within the job's time */
    double own_node_hours; /* NaN: the list does not know the job */
    struct span user;      /* of the job, in the list's memory; empty: not known */
};

/* cluster empty: the cluster of the job, where the list knows it, else all. */
void job_neighbours_read(const struct job_list *list, struct span cluster,
                         int64_t jobid, int64_t start_s, int64_t end_s,
                         struct job_neighbours *ret);

/* The columns jobsdb_*. */
void job_neighbours_put(const struct job_neighbours *neighbours, struct job_row *row);

#endif
