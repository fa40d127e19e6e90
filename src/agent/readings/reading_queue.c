/* SPDX-License-Identifier: Apache-2.0 */
/* reading_queue - readings of targets, from the spool to barod. */
#include "agent/readings/reading_queue.h"

int reading_queue_open(const struct agent_opts *opts, const struct agent_report *report,
                       struct post_queue **ret, struct err *err)
{
    const struct post_queue_opts queue = {
        .agent = opts,
        .report = report,
        .name = "readings",
        .path = "/v1/health",
        .content_type = "application/x-ndjson",
        .what = "readings of targets",
        .refused_event = AGENT_EVENT_READINGS_REFUSED,
        .bytes_max = READING_QUEUE_BYTES_MAX,
        .judge = submission_judge,
    };
    return post_queue_open(&queue, ret, err);
}
