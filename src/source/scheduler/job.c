/* SPDX-License-Identifier: Apache-2.0 */
/* job - one run of one job, as its batch system accounts for it. */
#include "source/scheduler/job.h"

#include "base/number.h"

bool sched_job_overlaps(const struct sched_job *job, int64_t from_ns, int64_t to_ns)
{
    return job->start_ns != JOB_TIME_NONE && job->start_ns < to_ns &&
           (job->end_ns == JOB_TIME_NONE || job->end_ns > from_ns);
}

double sched_job_node_seconds(const struct sched_job *job, int64_t from_ns,
                              int64_t to_ns)
{
    if (!sched_job_overlaps(job, from_ns, to_ns))
        return 0;
    int64_t begin = job->start_ns > from_ns ? job->start_ns : from_ns;
    int64_t end =
        job->end_ns != JOB_TIME_NONE && job->end_ns < to_ns ? job->end_ns : to_ns;
    if (end <= begin)
        return 0;
    return ((double)end - (double)begin) / (double)NS_PER_S * (double)job->node_count;
}

int sched_job_nodes(const struct sched_job *job, struct hostset **ret, struct err *err)
{
    if (job->nodes.size == 0)
        return err_set(err, ENOENT, "job " SPAN_FMT ": its nodes are not told",
                       SPAN_ARG(job->id));
    return hostset_parse(job->nodes, ret, err);
}
