/* SPDX-License-Identifier: Apache-2.0 */
/* member_plugins - the owner's plugins on one node of her session. */
#include "jobsession/member_plugins.h"

#include "base/log.h"
#include "base/number.h"
#include "base/span.h"
#include "jobsession/site/site_event.h"
#include "plugin/directory/directory.h"
#include "resource/resource.h"

struct member_plugins {
    struct plugin_runner *runner;
    struct plugin_report report;
    const char *host;
    struct resource_checks *checks; /* each change of health once */
    struct session *session;
    struct plugin_epoch epoch; /* that waits for the calls under way */
};

static void lost_yield(const char *plugin, const char *name, int rc)
{
    static struct log_limit limit = LOG_LIMIT_INIT;
    log_limited(&limit, LOG_LEVEL_WARN, "plugin %s: %s does not reach the session: %s",
                plugin, name,
                rc == -ESTALE ? "its call ended after the deadline" : strerror(-rc));
}

/* "n1", "n1/gpu:0", "n1/gpu:0/fan:1". */
static void print_label(const struct member_plugins *m, const struct plugin_sample *s,
                        struct strbuf *out)
{
    strbuf_adds(out, m->host);
    if (s->type.size > 0)
        strbuf_addf(out, "/" SPAN_FMT ":" SPAN_FMT, SPAN_ARG(s->type), SPAN_ARG(s->id));
    if (s->subtype.size > 0)
        strbuf_addf(out, "/" SPAN_FMT ":" SPAN_FMT, SPAN_ARG(s->subtype),
                    SPAN_ARG(s->subid));
}

static void on_member_sample(void *arg, const struct plugin_sample *sample)
{
    static const enum reduce_kind kinds[] = { REDUCE_MOMENTS, REDUCE_MIN, REDUCE_MAX,
                                              REDUCE_TOP };
    struct member_plugins *m = arg;
    AUTO(strbuf_done) struct strbuf label = STRBUF_INIT;
    struct bundle *bundle = plugin_epoch_bundle(&m->epoch, sample->when.epoch);
    int rc = bundle ? 0 : -ESTALE;
    print_label(m, sample, &label);
    const struct reduce_input input = { .value = sample->value,
                                        .rank = m->epoch.at.rank,
                                        .text = strbuf_span(&label),
                                        .limit = REDUCE_TOP_MAX };
    for (size_t i = 0; rc == 0 && i < COUNT_OF(kinds); i++)
        rc = bundle_put(bundle, span_of(sample->metric->name), kinds[i], &input);
    if (rc < 0)
        lost_yield(sample->when.plugin->name, sample->metric->name, rc);
}

static void on_member_contribution(void *arg, const struct plugin_contribution *c)
{
    struct member_plugins *m = arg;
    struct bundle *bundle = plugin_epoch_bundle(&m->epoch, c->when.epoch);
    int rc = bundle ? plugin_contribute(c, m->host, m->epoch.at.rank, bundle) : -ESTALE;
    if (rc < 0)
        lost_yield(c->when.plugin->name, "a contribution", rc);
}

/* The control node has all of them, in their order: its name has no dot, which those of
 * plugins have. */
static void member_statement(void *arg, const struct resource_statement *statement)
{
    const struct member_plugins *m = arg;
    AUTO(strbuf_done) struct strbuf line = STRBUF_INIT;
    resource_statement_print_line(statement, &line);
    int rc = strbuf_error(&line);
    if (rc == 0)
        rc = node_publish(session_node(m->session), (uint32_t)geteuid(),
                          SPAN(SESSION_EVENT_HEALTH), strbuf_span(&line));
    if (rc < 0)
        lost_yield("health", "a statement", rc);
}

static void on_member_health(void *arg, const struct plugin_health *health)
{
    struct member_plugins *m = arg;
    struct resource_statement statement;
    const struct resource_check check = plugin_check_of(health);
    int rc = resource_checks_state(m->checks, &check, &statement);
    if (rc < 0)
        lost_yield(health->when.plugin->name, "a statement about health", rc);
    else if (rc > 0)
        member_statement(m, &statement);
}

static void on_member_event(void *arg, const struct plugin_event *event)
{
    struct member_plugins *m = arg;
    AUTO(strbuf_done) struct strbuf name = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf payload = STRBUF_INIT;
    struct resource_check end;
    if (plugin_check_end(event, &end))
        resource_checks_end(m->checks, &end, member_statement, m);
    plugin_event_print(event, &name, &payload);
    /* A plugin with such a name imitates no one else. */
    if (site_event_is_foreign(strbuf_span(&name))) {
        lost_yield(event->when.plugin->name, event->name, -EPERM);
        return;
    }
    int rc = node_publish(session_node(m->session), (uint32_t)geteuid(),
                          strbuf_span(&name), strbuf_span(&payload));
    if (rc < 0)
        lost_yield(event->when.plugin->name, event->name, rc);
}

static void on_calls_done(void *arg)
{
    struct member_plugins *m = arg;
    plugin_epoch_done(&m->epoch);
}

static void on_member_report(void *arg, enum log_level level, bool is_once,
                             const char *text)
{
    static struct log_limit limit = LOG_LIMIT_INIT;
    const struct member_plugins *m = arg;
    if (level >= LOG_LEVEL_INFO)
        return; /* a run's standard error is its owner's */
    if (is_once)
        log_line(level, "%s: %s", m->host, text);
    else
        log_limited(&limit, level, "%s: %s", m->host, text);
}

int member_plugins_new(const struct plugins_opts *opts, const char *host,
                       struct member_plugins **ret)
{
    struct member_plugins *m = calloc(1, sizeof *m);
    if (!m)
        return -ENOMEM;
    m->host = host;
    m->report = (struct plugin_report){ on_member_report, m };
    const struct plugin_runner_opts runner = {
        .plugins = opts,
        .root = "",
        .report = &m->report,
        .yields = { .sample = on_member_sample,
                    .event = on_member_event,
                    .contribution = on_member_contribution,
                    .health = on_member_health,
                    .arg = m },
        .done_fn = on_calls_done,
        .arg = m,
    };
    int rc = resource_checks_new(SESSION_HEALTH_CLUSTER, host, &m->checks);
    if (rc == 0)
        rc = plugin_runner_new(&runner, &m->runner);
    if (rc < 0)
        member_plugins_free(m);
    else
        *ret = m;
    return rc;
}

void member_plugins_free(struct member_plugins *m)
{
    if (!m)
        return;
    plugin_runner_free(m->runner);
    resource_checks_free(m->checks);
    free(m);
}

int member_plugins_begin(struct member_plugins *m, struct session *session,
                         struct uv_loop_s *loop)
{
    m->session = session;
    m->epoch.runner = m->runner;
    m->epoch.session = session;
    return plugin_runner_begin(m->runner, loop);
}

void member_plugins_trigger(struct member_plugins *m, const struct session_instant *at)
{
    (void)plugin_epoch_trigger(&m->epoch, at, true);
}

void member_plugins_end(struct member_plugins *m)
{
    plugin_runner_end(m->runner);
}
