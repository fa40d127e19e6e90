/* SPDX-License-Identifier: Apache-2.0 */
/* session_part - the agent as a node of a session: what it contributes, what it
 * reports.
 */
#include "agent/session_part.h"

#include "agent/proc_sample.h"

struct session_part {
    const struct agent_opts *opts;
    const struct agent_report *report;
    struct sampler *sampler; /* NULL: none */
    struct proc_sample sample;
    struct session *session;
    uint32_t rank; /* its own */
};

static void on_sample(void *arg, const struct session_instant *at,
                      struct bundle *bundle)
{
    const struct session_part *part = arg;
    if (part->sampler)
        sampler_trigger(part->sampler, at);
    proc_sample_put(&part->sample, part->opts->host, at, bundle);
}

static bool on_reduce(void *arg, const struct session_instant *at,
                      const struct bundle *bundle)
{
    const struct session_part *part = arg;
    return part->sampler && sampler_reduce(part->sampler, at, bundle);
}

static void on_node_event(void *arg, const struct session_event *event,
                          const struct session_gap *gap)
{
    const struct session_part *part = arg;
    if (part->sampler)
        sampler_event(part->sampler, event, gap, event && event->origin == part->rank);
}

static void on_notice(void *arg, enum session_notice notice, const char *text)
{
    const struct session_part *part = arg;
    agent_report(part->report,
                 notice == SESSION_WARNING ? LOG_LEVEL_WARN : LOG_LEVEL_INFO,
                 AGENT_EVENT_SESSION, "session: %s", text);
}

static int on_session_begin(void *arg, struct session *session, struct uv_loop_s *loop)
{
    const struct session_part *part = arg;
    return part->sampler ? sampler_begin(part->sampler, loop, session) : 0;
}

static void on_session_end(void *arg)
{
    const struct session_part *part = arg;
    if (part->sampler)
        sampler_end(part->sampler);
}

static int read_rank(const struct agent_opts *opts, uint32_t *ret, struct err *err)
{
    AUTO(session_plan_done) struct session_plan plan = { 0 };
    int rc = session_plan_make(&opts->session, &plan, err);
    if (rc == 0)
        *ret = plan.rank;
    return rc;
}

int session_part_start(const struct agent_opts *opts, const struct agent_report *report,
                       struct sampler *sampler, struct session_part **ret,
                       struct err *err)
{
    if (!session_is_configured(&opts->session))
        return 0;
    struct session_part *part = calloc(1, sizeof *part);
    if (!part)
        return -ENOMEM;
    part->opts = opts;
    part->report = report;
    part->sampler = sampler;
    proc_sample_open(&part->sample, opts->root);
    const struct session_callbacks callbacks = { .arg = part,
                                                 .begin = on_session_begin,
                                                 .end = on_session_end,
                                                 .sample = on_sample,
                                                 .reduce = on_reduce,
                                                 .event = on_node_event,
                                                 .notice = on_notice };
    int rc = read_rank(opts, &part->rank, err);
    if (rc == 0)
        rc = session_start(&opts->session, &callbacks, &part->session, err);
    if (rc < 0) {
        session_part_stop(part);
        return rc;
    }
    *ret = part;
    return 0;
}

void session_part_stop(struct session_part *part)
{
    if (!part)
        return;
    session_stop(part->session);
    proc_sample_close(&part->sample);
    free(part);
}

void session_part_print(struct session_part *part, struct strbuf *out)
{
    struct session_node_stats stats;
    if (!part)
        return;
    session_stats(part->session, &stats);
    session_stats_print(&stats, "baro_agent_session_", out);
}
