/* SPDX-License-Identifier: Apache-2.0 */
/* job_neighbours - what else a cluster ran while a job ran. */
#include "analysis/job/job_neighbours.h"

#include "base/number.h"
#include "model/model.h"

#include <inttypes.h>
#include <math.h>

#define S_PER_H 3600.0

void job_neighbours_read(const struct job_list *list, struct span cluster,
                         int64_t jobid, int64_t start_s, int64_t end_s,
                         struct job_neighbours *ret)
{
    char id[24];
    int size = snprintf(id, sizeof id, "%" PRId64, jobid);
    const struct job *job =
        job_list_find(list, cluster, (struct span){ id, (size_t)size });
    struct job_query query = {
        .cluster = cluster.size == 0 && job ? job->cluster : cluster,
        .from_ns = start_s * NS_PER_S,
        .to_ns = end_s * NS_PER_S,
    };
    struct job_load load = job_list_load(list, &query);
    *ret = (struct job_neighbours){ .is_known = load.jobs > 0,
                                    .jobs = load.jobs,
                                    .nodes = load.nodes,
                                    .node_hours = load.node_seconds / S_PER_H,
                                    .own_node_hours = NAN };
    if (job)
        ret->user = job->user;
    if (job && job->node_count > 0)
        ret->own_node_hours =
            job_node_seconds(job, query.from_ns, query.to_ns) / S_PER_H;
}

void job_neighbours_put(const struct job_neighbours *n, struct job_row *row)
{
    if (n->is_known) {
        job_row_i64(row, "jobsdb_concurrent_jobs", (int64_t)n->jobs);
        job_row_i64(row, "jobsdb_concurrent_nodes", (int64_t)n->nodes);
    } else {
        job_row_missing(row, "jobsdb_concurrent_jobs");
        job_row_missing(row, "jobsdb_concurrent_nodes");
    }
    job_row_double(row, "jobsdb_concurrent_nodehrs", n->is_known ? n->node_hours : NAN);
    job_row_double(row, "jobsdb_own_nodehrs", n->is_known ? n->own_node_hours : NAN);
    AUTO(strbuf_done) struct strbuf user = STRBUF_INIT;
    entry_id_print(&user, n->user);
    job_row_text(row, "jobsdb_user", user.size > 0 ? strbuf_text(&user) : NULL);
}
