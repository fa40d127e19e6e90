/* SPDX-License-Identifier: Apache-2.0 */
/* job_topology - how far apart a job's nodes were, and with whom it shared the way to
 * storage.
 *
 * Which nodes a job had comes from the batch system's list; where they stand, and their
 * gateways (I/O nodes, routers, NSD clients), from source/topology.
 */
#ifndef ANALYSIS_JOB_JOB_TOPOLOGY_H
#define ANALYSIS_JOB_JOB_TOPOLOGY_H

#include "analysis/table/table.h"
#include "source/scheduler/scheduler.h"
#include "source/topology/topology.h"

struct job_topology {
    bool is_known; /* the job's nodes are */
    struct node_spread spread;
    size_t gateways;        /* that its nodes have */
    size_t shared_gateways; /* of these, how many nodes of other jobs had meanwhile */
    size_t sharing_jobs;    /* which these jobs were */
    size_t unplaced_jobs;   /* others of its time whose nodes are not told */
    char refused[128];      /* why nothing is known; "" */
};

/* cluster as for job_neighbours_read().  Errors: -ENOMEM. */
int job_topology_read(const struct node_map *map, const struct job_list *list,
                      struct span cluster, int64_t jobid, int64_t start_s,
                      int64_t end_s, struct job_topology *ret);

/* The columns topology_*. */
void job_topology_put(const struct job_topology *topology, struct job_row *row);

#endif
