/* SPDX-License-Identifier: Apache-2.0 */
/* job_topology - how far apart a job's nodes were, and with whom it shared the way to
 * storage.
 */
#include "analysis/job/parts/job_topology.h"

#include "analysis/job/job_neighbours.h"
#include "analysis/job/job_value.h"
#include "base/number.h"
#include "base/span.h"

#include <math.h>

/* How many gateways and jobs are shared. */
struct sharing {
    size_t gateways, jobs, unplaced_jobs;
};

enum {
    MARK_OURS = 1,
    MARK_SHARED = 2,
    MARK_OTHER = 4, /* of the other job being looked at */
};

/* How many of our gateways the nodes have; these are marked as shared. */
static size_t share(const struct node_map *map, const struct hostset *nodes,
                    uint8_t *used)
{
    size_t count = 0;
    (void)node_gateways(map, nodes, MARK_OTHER, used);
    for (size_t g = 0; g < map->gateway_count; g++) {
        const uint8_t both = MARK_OURS | MARK_OTHER;
        if ((used[g] & both) == both) {
            used[g] |= MARK_SHARED;
            count++;
        }
        used[g] &= (uint8_t)~MARK_OTHER;
    }
    return count;
}

static int share_all(const struct node_map *map, const struct job_list *list,
                     const struct job *own, const struct job_query *query,
                     uint8_t *used, struct sharing *ret)
{
    const struct job *job;
    size_t cursor = 0;
    while ((job = job_list_next(list, query, &cursor))) {
        AUTO(hostset_free) struct hostset *nodes = NULL;
        if (span_eq(job->id, own->id) && span_eq(job->cluster, own->cluster))
            continue;
        int rc = job_nodes(job, &nodes, NULL);
        if (rc == -ENOMEM)
            return rc;
        if (rc < 0)
            ret->unplaced_jobs++;
        else
            ret->jobs += share(map, nodes, used) > 0;
    }
    for (size_t g = 0; g < map->gateway_count; g++)
        ret->gateways += (used[g] & MARK_SHARED) != 0;
    return 0;
}

static struct job_topology topology_missing(const char *why)
{
    return (struct job_topology){ .radius_mean = NAN,
                                  .radius_max = NAN,
                                  .radius_min = NAN,
                                  .nodes = JOB_I64_NONE,
                                  .unplaced_nodes = JOB_I64_NONE,
                                  .gateways = JOB_I64_NONE,
                                  .unrouted_nodes = JOB_I64_NONE,
                                  .shared_fraction = NAN,
                                  .sharing_jobs = JOB_I64_NONE,
                                  .unplaced_jobs = JOB_I64_NONE,
                                  .refused = why };
}

static void spread_fill(const struct node_spread *spread, struct job_topology *t)
{
    t->nodes = (int64_t)spread->nodes;
    if (spread->placed == 0)
        return;
    t->radius_mean = spread->radius_mean;
    t->radius_max = spread->radius_max;
    t->radius_min = spread->radius_min;
    t->unplaced_nodes = (int64_t)(spread->nodes - spread->placed);
}

static void sharing_fill(const struct node_spread *spread, size_t gateways,
                         const struct sharing *sharing, struct job_topology *t)
{
    t->gateways = (int64_t)gateways;
    t->unrouted_nodes = (int64_t)(spread->nodes - spread->routed);
    t->shared_fraction = (double)sharing->gateways / (double)gateways;
    t->sharing_jobs = (int64_t)sharing->jobs;
    t->unplaced_jobs = (int64_t)sharing->unplaced_jobs;
}

static int nodes_read(const struct node_map *map, const struct job_list *list,
                      const struct job *job, const struct hostset *nodes,
                      const struct job_query *query, struct job_topology *ret)
{
    struct job_topology t = topology_missing(NULL);
    struct node_spread spread = { 0 };
    struct sharing sharing = { 0 };
    AUTO_FREE uint8_t *used = calloc(map->gateway_count + 1, 1);
    if (!used)
        return -ENOMEM;
    int rc = node_spread(map, nodes, &spread);
    size_t gateways = node_gateways(map, nodes, MARK_OURS, used);
    if (rc == 0 && gateways > 0)
        rc = share_all(map, list, job, query, used, &sharing);
    if (rc < 0)
        return rc;
    spread_fill(&spread, &t);
    if (gateways > 0)
        sharing_fill(&spread, gateways, &sharing, &t);
    *ret = t;
    return 0;
}

int job_topology_read(const struct node_map *map, const struct job_list *list,
                      struct span cluster, const char *jobid, int64_t start_s,
                      int64_t end_s, struct job_topology *ret)
{
    AUTO(hostset_free) struct hostset *nodes = NULL;
    const struct job *job = job_record_find(list, cluster, jobid);
    if (!job) {
        *ret = topology_missing("the list of jobs does not know the job");
        return 0;
    }
    int rc = job_nodes(job, &nodes, NULL);
    if (rc == -ENOMEM)
        return rc;
    if (rc < 0) {
        *ret = topology_missing("the list of jobs has no nodes of the job");
        return 0;
    }
    const struct job_query query = { .cluster = cluster.size ? cluster : job->cluster,
                                     .from_ns = start_s * NS_PER_S,
                                     .to_ns = end_s * NS_PER_S };
    return nodes_read(map, list, job, nodes, &query, ret);
}
