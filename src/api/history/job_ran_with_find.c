/* SPDX-License-Identifier: Apache-2.0 */
/* job_ran_with_find - what a job ran with, into its context. */
#include "api/history/job_ran_with_find.h"

#include "base/number.h"
#include "base/span.h"

struct files_fill {
    struct job_context *context;
    struct budget_hold *hold;
    const struct hostset *nodes; /* NULL: not known */
};

static int on_job_file(void *arg, const struct job_file_seen *seen)
{
    const struct files_fill *fill = arg;
    struct job_context *context = fill->context;
    int rc = budget_hold_add(fill->hold, 2 * sizeof(struct job_ran_file) +
                                             seen->file.name.size + 128);
    if (rc < 0)
        return rc;
    if (job_recorded_is_foreign(fill->nodes, seen->host))
        job_context_add_foreign(context);
    else
        job_context_add_file(context, &seen->file, seen->last_ns);
    return context->error;
}

int job_ran_with_find(const struct api_readers *readers, struct budget_hold *hold,
                      const struct job_recorded *job, struct job_context *context,
                      struct err *err)
{
    const struct access_owner owner = job_recorded_owner(job);
    const struct access_object object = { .owner = &owner };
    const struct access_client *client = readers->client;
    AUTO(hostset_free) struct hostset *nodes = NULL;
    context->ran_with = (struct job_ran_with){
        .is_hidden =
            access_decide(client, ACCESS_READ_OWN, &object) != ACCESS_PERMITTED,
    };
    if (!job_recorded_is_whole(job) ||
        (context->ran_with.is_hidden && !(client->roles & NET_ROLE_ADMIN)))
        return 0;
    int rc = job_recorded_nodes(job, &nodes);
    if (rc < 0)
        return rc;
    struct files_fill fill = { context, hold, nodes };
    const struct job_file_filter filter = {
        .cluster = job->cluster,
        .job = job->raw_id,
        .uid = job->uid,
        .from_ns = job->start_ns - RECORDS_FILES_SLACK_NS,
        .to_ns = job->end_ns == JOB_TIME_NONE ? INT64_MAX
                                              : job->end_ns + RECORDS_FILES_SLACK_NS,
    };
    rc = records_find_job_files(readers->rows, &filter, on_job_file, &fill, err);
    if (rc == 0)
        job_context_sort_files(context, nodes);
    return rc == 0 ? context->error : rc;
}
