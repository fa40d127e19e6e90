/* SPDX-License-Identifier: Apache-2.0 */
/* job_node_health - the health of a job's nodes at its start and end, into its context;
 * private to api. */
#include "api/history/job_node_health.h"

#include "base/clock.h"
#include "base/span.h"
#include "query/query.h"

static int on_host_health(void *arg, const struct past_health *h)
{
    struct job_context *context = arg;
    job_context_add_node_health(context, h->time == 0 ? JOB_AT_START : JOB_AT_END,
                                h->host, h->health, h->reason);
    return context->error;
}

int job_node_health_find(struct records_reader *reader,
                         const struct resource_rules *rules,
                         struct job_context *context, struct err *err)
{
    const struct job_identity *who = &context->identity;
    AUTO(hostset_free) struct hostset *hosts = NULL;
    context->node_health = (struct job_node_health){
        .has_ended = who->end_ns != JOB_TIME_NONE,
    };
    if (!who->cluster || !who->nodes || who->start_ns == JOB_TIME_NONE ||
        hostset_parse(span_of(who->nodes), &hosts, NULL) < 0)
        return 0;
    const struct past_health_query query = {
        .rules = rules,
        .cluster = span_of(who->cluster),
        .hosts = hosts,
        .times_ns = { who->start_ns,
                      who->end_ns != JOB_TIME_NONE ? who->end_ns : clock_now_ns() },
        .time_count = 2,
    };
    context->node_health.has_more = hostset_count(hosts) > PAST_HEALTH_HOSTS_MAX;
    return past_health_read(reader, &query, on_host_health, context, err);
}
