/* SPDX-License-Identifier: Apache-2.0 */
/* job_topology - how far apart a job's nodes were, and with whom it shared the way to
 * storage.
 *
 * Which nodes a job had comes from the batch system's list; where they stand, and their
 * gateways (I/O nodes, routers, NSD clients), from source/topology.
 */
#ifndef ANALYSIS_JOB_PARTS_JOB_TOPOLOGY_H
#define ANALYSIS_JOB_PARTS_JOB_TOPOLOGY_H

#include "source/scheduler/scheduler.h"
#include "source/topology/topology.h"

/* Missing (job_value.h): radii of a job none of whose nodes has a place, gateways of
 * one whose nodes have none, all of one whose nodes are not known. */
struct job_topology {
    double radius_mean, radius_max, radius_min; /* in the unit of the coordinates */
    int64_t nodes;
    int64_t unplaced_nodes;
    int64_t gateways; /* that its nodes have */
    int64_t unrouted_nodes;
    double shared_fraction; /* of these gateways those that other jobs' nodes had */
    int64_t sharing_jobs;   /* which these jobs were */
    int64_t unplaced_jobs;  /* others of its time whose nodes are not reported */
    const char *refused;    /* why nothing is known; NULL */
};

/* cluster as for job_neighbours_read(); refused is a constant.
 * Errors: -ENOMEM; then *ret is untouched. */
int job_topology_read(const struct node_map *map, const struct job_list *list,
                      struct span cluster, const char *jobid, int64_t start_s,
                      int64_t end_s, struct job_topology *ret);

#endif
