/* SPDX-License-Identifier: Apache-2.0 */
/* job_ran_with_find - what a job ran with, into its context. */
#include "api/history/job_ran_with_find.h"

#include "base/number.h"
#include "base/span.h"

/* A number is given again, and a node's clock may be another. */
#define SLACK_NS (600 * NS_PER_S)

struct files_fill {
    struct job_context *context;
    struct budget_hold *hold;
};

static int on_job_file(void *arg, const struct job_file_seen *seen)
{
    const struct files_fill *fill = arg;
    struct job_context *context = fill->context;
    int rc = budget_hold_add(fill->hold, 2 * sizeof(struct job_ran_file) +
                                             seen->file.name.size + 64);
    if (rc < 0)
        return rc;
    job_context_add_file(context, &seen->file);
    return context->error;
}

int job_ran_with_find(const struct api_readers *readers, struct budget_hold *hold,
                      const struct job_recorded *job, struct job_context *context,
                      struct err *err)
{
    const struct access_owner owner = { .cluster = job->cluster,
                                        .user = job->user,
                                        .uid = job->uid };
    const struct access_object object = { .owner = &owner };
    const struct access_client *client = readers->client;
    struct files_fill fill = { context, hold };
    context->ran_with = (struct job_ran_with){
        .is_hidden =
            access_decide(client, ACCESS_READ_OWN, &object) != ACCESS_PERMITTED,
    };
    if (job->uid.size == 0 || job->raw_id.size == 0 || job->start_ns == JOB_TIME_NONE ||
        (context->ran_with.is_hidden && !(client->roles & NET_ROLE_ADMIN)))
        return 0;
    const struct job_file_filter filter = {
        .cluster = job->cluster,
        .job = job->raw_id,
        .uid = job->uid,
        .from_ns = job->start_ns - SLACK_NS,
        .to_ns = job->end_ns == JOB_TIME_NONE ? INT64_MAX : job->end_ns + SLACK_NS,
    };
    int rc = records_find_job_files(readers->rows, &filter, on_job_file, &fill, err);
    if (rc == 0)
        job_context_sort_files(context);
    return rc;
}
