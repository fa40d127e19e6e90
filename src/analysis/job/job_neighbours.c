/* SPDX-License-Identifier: Apache-2.0 */
/* job_neighbours - the jobs that a cluster ran while a job ran. */
#include "analysis/job/job_neighbours.h"

#include "analysis/job/job_value.h"
#include "base/number.h"
#include "base/span.h"

#include <math.h>

#define S_PER_H 3600.0

const struct job *job_record_find(const struct job_list *list, struct span cluster,
                                  const char *jobid)
{
    return job_list_find(list, cluster, span_of(jobid));
}

void job_neighbours_read(const struct job_list *list, struct span cluster,
                         const char *jobid, int64_t start_s, int64_t end_s,
                         struct job_neighbours *ret)
{
    const struct job *job = job_record_find(list, cluster, jobid);
    struct job_query query = {
        .cluster = cluster.size == 0 && job ? job->cluster : cluster,
        .from_ns = start_s * NS_PER_S,
        .to_ns = end_s * NS_PER_S,
    };
    struct job_load load = job_list_load(list, &query);
    *ret = (struct job_neighbours){ JOB_I64_NONE, JOB_I64_NONE, NAN, NAN };
    if (load.jobs == 0)
        return;
    ret->jobs = (int64_t)load.jobs;
    ret->nodes = (int64_t)load.nodes;
    ret->node_hours = load.node_seconds / S_PER_H;
    if (job && job->node_count > 0)
        ret->own_node_hours =
            job_node_seconds(job, query.from_ns, query.to_ns) / S_PER_H;
}
