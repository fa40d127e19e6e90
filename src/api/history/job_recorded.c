/* SPDX-License-Identifier: Apache-2.0 */
/* job_recorded - a job's record where rows of others are found for it. */
#include "api/history/job_recorded.h"

#include <errno.h>

bool job_recorded_is_whole(const struct job_recorded *job)
{
    return job->uid.size > 0 && job->raw_id.size > 0 && job->start_ns != JOB_TIME_NONE;
}

struct access_owner job_recorded_owner(const struct job_recorded *job)
{
    return (struct access_owner){ .cluster = job->cluster,
                                  .user = job->user,
                                  .uid = job->uid };
}

int job_recorded_nodes(const struct job_recorded *job, struct hostset **ret)
{
    *ret = NULL;
    if (job->nodes.size == 0)
        return 0;
    return hostset_parse(job->nodes, ret, NULL) == -ENOMEM ? -ENOMEM : 0;
}

bool job_recorded_is_foreign(const struct hostset *nodes, struct span host)
{
    return nodes && !hostset_has(nodes, host);
}
