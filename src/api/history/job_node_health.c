/* SPDX-License-Identifier: Apache-2.0 */
/* job_node_health - the health of a job's nodes at its start and end, into its context;
 * private to api. */
#include "api/history/job_node_health.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "query/query.h"

/* A page does not wait for the health of thousands of nodes longer than that. */
#define SPEND_NS (2 * NS_PER_S)

static int on_host_health(void *arg, const struct past_health *h)
{
    struct job_context *context = arg;
    job_context_add_node_health(context, h->time == 0 ? JOB_AT_START : JOB_AT_END,
                                h->host, h->health, h->reason);
    return context->error;
}

static bool is_of_memory(int rc)
{
    return rc == -ENOMEM || rc == -EAGAIN || rc == -EDQUOT || rc == -EMSGSIZE;
}

int job_node_health_find(const struct api_readers *readers, struct budget_hold *hold,
                         struct job_context *context, struct err *err)
{
    const struct job_identity *who = &context->identity;
    AUTO(hostset_free) struct hostset *hosts = NULL;
    size_t read = 0;
    context->node_health = (struct job_node_health){
        .has_ended = who->end_ns != JOB_TIME_NONE,
    };
    if (!who->cluster || !who->nodes || who->start_ns == JOB_TIME_NONE ||
        hostset_parse(span_of(who->nodes), &hosts, NULL) < 0)
        return 0;
    const struct past_health_query query = {
        .rules = readers->api->opts.resource_rules,
        .cluster = span_of(who->cluster),
        .hosts = hosts,
        .times_ns = { who->start_ns,
                      who->end_ns != JOB_TIME_NONE ? who->end_ns : clock_now_ns() },
        .time_count = 2,
        .spend_ns = SPEND_NS,
        .ret_read = &read,
        .hold = hold,
        .watch = readers->watch,
        .watch_arg = readers->watch_arg,
    };
    int rc = past_health_read(readers->rows, &query, on_host_health, context, err);
    if (read < hostset_count(hosts)) {
        context->node_health.read_max = read;
        context->node_health.has_more = true;
    }
    if (!is_of_memory(rc) || context->error < 0)
        return rc;
    context->node_health = (struct job_node_health){ .is_short = true };
    return 0;
}
