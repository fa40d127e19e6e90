/* SPDX-License-Identifier: Apache-2.0 */
/* job_topology - how far apart a job's nodes were, and with whom it shared the way to
 * storage.
 */
#include "analysis/job/job_topology.h"

#include "base/number.h"

#include <inttypes.h>
#include <math.h>

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
                     uint8_t *used, struct job_topology *t)
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
            t->unplaced_jobs++;
        else
            t->sharing_jobs += share(map, nodes, used) > 0;
    }
    for (size_t g = 0; g < map->gateway_count; g++)
        t->shared_gateways += (used[g] & MARK_SHARED) != 0;
    return 0;
}

static int refuse(struct job_topology *ret, const char *why)
{
    *ret = (struct job_topology){ 0 };
    (void)snprintf(ret->refused, sizeof ret->refused, "%s", why);
    return 0;
}

int job_topology_read(const struct node_map *map, const struct job_list *list,
                      struct span cluster, int64_t jobid, int64_t start_s,
                      int64_t end_s, struct job_topology *ret)
{
    AUTO(hostset_free) struct hostset *nodes = NULL;
    struct job_topology t = { .is_known = true };
    char id[24];
    int size = snprintf(id, sizeof id, "%" PRId64, jobid);
    const struct job *job =
        job_list_find(list, cluster, (struct span){ id, (size_t)size });
    if (!job)
        return refuse(ret, "the list of jobs does not know the job");
    int rc = job_nodes(job, &nodes, NULL);
    if (rc == -ENOMEM)
        return rc;
    if (rc < 0)
        return refuse(ret, "the list of jobs does not tell the job's nodes");
    AUTO_FREE uint8_t *used = calloc(map->gateway_count + 1, 1);
    if (!used)
        return -ENOMEM;
    const struct job_query query = { .cluster = cluster.size ? cluster : job->cluster,
                                     .from_ns = start_s * NS_PER_S,
                                     .to_ns = end_s * NS_PER_S };
    rc = node_spread(map, nodes, &t.spread);
    t.gateways = node_gateways(map, nodes, MARK_OURS, used);
    if (rc == 0 && t.gateways > 0)
        rc = share_all(map, list, job, &query, used, &t);
    if (rc == 0)
        *ret = t;
    return rc;
}

static void put_count(struct job_row *row, const char *name, bool is_known,
                      size_t count)
{
    if (is_known)
        job_row_i64(row, name, (int64_t)count);
    else
        job_row_missing(row, name);
}

void job_topology_put(const struct job_topology *t, struct job_row *row)
{
    bool routed = t->is_known && t->gateways > 0;
    bool placed = t->is_known && t->spread.placed > 0;
    job_row_double(row, "topology_job_avg_radius",
                   placed ? t->spread.radius_mean : NAN);
    job_row_double(row, "topology_job_max_radius", placed ? t->spread.radius_max : NAN);
    job_row_double(row, "topology_job_min_radius", placed ? t->spread.radius_min : NAN);
    put_count(row, "topology_job_nodes", t->is_known, t->spread.nodes);
    put_count(row, "topology_job_unplaced_nodes", placed,
              t->spread.nodes - t->spread.placed);
    put_count(row, "topology_job_io_nodes", routed, t->gateways);
    put_count(row, "topology_job_unrouted_nodes", routed,
              t->spread.nodes - t->spread.routed);
    job_row_double(row, "topology_job_io_nodes_shared",
                   routed ? (double)t->shared_gateways / (double)t->gateways : NAN);
    put_count(row, "topology_job_io_nodes_jobs", routed, t->sharing_jobs);
    put_count(row, "topology_job_io_nodes_unknown_jobs", routed, t->unplaced_jobs);
    job_row_text(row, "topology_refused", t->refused[0] ? t->refused : NULL);
}
