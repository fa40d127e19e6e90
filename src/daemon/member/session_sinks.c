/* SPDX-License-Identifier: Apache-2.0 */
/* session_sinks - what the sinks of plugins make of a session's results. */
#include "daemon/member/session_sinks.h"

#include "base/log.h"
#include "base/span.h"
#include "resource/resource.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <unistd.h>

struct session_sinks {
    struct plugin_runner *runner;
    struct plugin_report report;
    struct session_store *store;
    struct session *session;
    struct session_instant at; /* of the result whose sinks are called */
    struct plugin_epoch epoch; /* that is being reduced */
    struct own_statements *statements;
    struct resource_checks *checks; /* NULL: there is no cluster to state it of */
    _Atomic uint64_t samples, events, health, dropped;
};

/* ---- what sinks yield ---- */

/* Samples of a plugin come so far apart. */
static int64_t sample_distance(const struct session_sinks *s,
                               const struct plugin_sample *sample)
{
    int64_t step_ns;
    return __builtin_mul_overflow(s->at.period_ns, sample->when.plugin->period,
                                  &step_ns)
               ? INT64_MAX
               : step_ns;
}

static void on_sink_sample(void *arg, const struct plugin_sample *sample)
{
    struct session_sinks *s = arg;
    const struct session_store_sample stored = {
        .metric = sample->metric->name,
        .part = { sample->type, sample->id, sample->subtype, sample->subid },
        .is_counter = sample->metric->is_counter,
        .t_ns = sample->when.t_ns,
        .step_ns = sample_distance(s, sample),
        .value = sample->value,
    };
    int rc = s->store ? session_store_sample(s->store, &stored) : -ENODEV;
    atomic_fetch_add(rc < 0 ? &s->dropped : &s->samples, 1);
}

/* One that has many events does not hold back those of others. */
static struct log_limit *event_limit(const struct plugin_event *event)
{
    static struct log_limit limits[] = { [0 ... HOST_PLUGINS_MAX] = LOG_LIMIT_INIT };
    unsigned hash = 5381;
    if (span_starts(span_of(event->name), "plugin_"))
        return &limits[HOST_PLUGINS_MAX]; /* of the host, about plugins */
    for (const char *at = event->when.plugin->name; *at; at++)
        hash = hash * 33 + (unsigned char)*at;
    return &limits[hash % HOST_PLUGINS_MAX];
}

static void event_log(const struct plugin_event *event, struct strbuf *name)
{
    enum log_level level = plugin_event_level(event);
    /* However many lines came before it: it comes once. */
    if (strcmp(event->name, "plugin_suspended") == 0)
        log_line(level, "%s: " SPAN_FMT, strbuf_text(name), SPAN_ARG(event->text));
    else
        log_limited(event_limit(event), level, "%s: " SPAN_FMT, strbuf_text(name),
                    SPAN_ARG(event->text));
}

static void sink_statement(void *arg, const struct resource_statement *statement)
{
    struct session_sinks *s = arg;
    bool is_lost = own_statements_put(s->statements, statement) < 0;
    atomic_fetch_add(is_lost ? &s->dropped : &s->health, 1);
}

static void on_sink_health(void *arg, const struct plugin_health *health)
{
    struct session_sinks *s = arg;
    struct resource_statement statement;
    const struct resource_check check = plugin_check_of(health);
    int rc = s->checks ? resource_checks_state(s->checks, &check, &statement) : -ENODEV;
    if (rc < 0)
        atomic_fetch_add(&s->dropped, 1);
    else if (rc > 0)
        sink_statement(s, &statement);
}

static void on_sink_event(void *arg, const struct plugin_event *event)
{
    static struct log_limit limit = LOG_LIMIT_INIT;
    struct session_sinks *s = arg;
    AUTO(strbuf_done) struct strbuf name = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf payload = STRBUF_INIT;
    struct resource_check end;
    if (s->checks && plugin_check_end(event, &end))
        resource_checks_end(s->checks, &end, sink_statement, s);
    plugin_event_print(event, &name, &payload);
    event_log(event, &name);
    int rc = node_publish(session_node(s->session), (uint32_t)geteuid(),
                          strbuf_span(&name), strbuf_span(&payload));
    if (rc < 0)
        log_limited(&limit, LOG_LEVEL_WARN, "event %s is not published: %s",
                    strbuf_text(&name),
                    rc == -EAGAIN ? "more than session.event_rate" : strerror(-rc));
    atomic_fetch_add(rc < 0 ? &s->dropped : &s->events, 1);
}

/* There is nothing above the control node that it could go to. */
static void on_sink_contribution(void *arg, const struct plugin_contribution *c)
{
    struct session_sinks *s = arg;
    if (c->when.function == PLUGIN_REDUCE)
        plugin_epoch_merge(&s->epoch, c);
    else
        atomic_fetch_add(&s->dropped, 1);
}

static void on_sink_done(void *arg, const struct plugin_done *done)
{
    struct session_sinks *s = arg;
    plugin_epoch_call_done(&s->epoch, done);
    if (s->store && done->when.function != PLUGIN_REDUCE)
        (void)session_store_flush(s->store);
}

/* Those of a call that did not end are stored, too. */
static void on_sinks_done(void *arg)
{
    struct session_sinks *s = arg;
    if (s->store)
        (void)session_store_flush(s->store);
    plugin_epoch_done(&s->epoch);
}

static void on_sinks_report(void *arg, enum log_level level, bool is_once,
                            const char *text)
{
    static struct log_limit limit = LOG_LIMIT_INIT;
    (void)arg;
    if (is_once)
        log_line(level, "%s", text);
    else
        log_limited(&limit, level, "%s", text);
}

/* ---- the door ---- */

int session_sinks_new(const struct session_sinks_opts *with, struct session_sinks **ret)
{
    if (!plugins_are_configured(with->plugins))
        return 0;
    struct session_sinks *s = calloc(1, sizeof *s);
    if (!s)
        return -ENOMEM;
    s->store = with->store;
    s->statements = with->statements;
    s->report = (struct plugin_report){ on_sinks_report, s };
    const struct plugin_runner_opts opts = {
        .plugins = with->plugins,
        .root = "",
        .report = &s->report,
        .yields = { .sample = on_sink_sample,
                    .event = on_sink_event,
                    .contribution = on_sink_contribution,
                    .health = on_sink_health,
                    .done = on_sink_done,
                    .arg = s },
        .done_fn = on_sinks_done,
        .arg = s,
    };
    int rc = resource_checks_new(with->cluster, with->host, &s->checks);
    if (rc == 0 || rc == -EINVAL)
        rc = plugin_runner_new(&opts, &s->runner);
    if (rc < 0)
        session_sinks_free(s);
    else
        *ret = s;
    return rc;
}

void session_sinks_free(struct session_sinks *s)
{
    if (!s)
        return;
    plugin_runner_free(s->runner);
    resource_checks_free(s->checks);
    free(s);
}

int session_sinks_begin(struct session_sinks *s, struct session *session,
                        struct uv_loop_s *loop)
{
    s->session = session;
    s->epoch.runner = s->runner;
    s->epoch.session = session;
    return plugin_runner_begin(s->runner, loop);
}

void session_sinks_end(struct session_sinks *s)
{
    plugin_runner_end(s->runner);
}

void session_sinks_result(struct session_sinks *s, const struct session_result *result)
{
    s->at = result->at;
    (void)plugin_runner_sink(s->runner, result->at.epoch, result->at.instant_ns,
                             result->bundle);
}

bool session_sinks_reduce(struct session_sinks *s, const struct session_instant *at,
                          const struct bundle *bundle)
{
    return plugin_epoch_reduce(&s->epoch, at, bundle);
}

void session_sinks_print(struct session_sinks *s, struct strbuf *out)
{
    struct runner_counts plugins;
    plugin_runner_count(s->runner, &plugins);
    const struct {
        const char *name, *help;
        uint64_t value;
    } counts[] = {
        { "calls", "Calls of plugins' sinks that ended.", plugins.host.calls },
        { "over_budget", "Calls that were over their budget.",
          plugins.host.over_budget },
        { "kills", "Times the process of plugins was killed, or ended by itself.",
          plugins.host.kills },
        { "late", "Results for which the sinks of an earlier one were not through.",
          plugins.sinks.late },
        { "not_called", "Calls that the process, or the plugin, was not there for.",
          plugins.sinks.not_called },
        { "inputs_cut", "Numbers that a sink did not get: there were too many.",
          plugins.sinks.cut },
        { "samples", "Samples of sinks that were handed to the metric store.",
          atomic_load(&s->samples) },
        { "events", "Events of sinks that were published.", atomic_load(&s->events) },
        { "statements", "Changes of health that sinks stated.",
          atomic_load(&s->health) },
        { "dropped", "Samples, events, contributions and health that were not.",
          atomic_load(&s->dropped) },
    };
    for (size_t i = 0; i < COUNT_OF(counts); i++)
        strbuf_addf(out,
                    "# HELP baro_session_sinks_%s_total %s\n"
                    "# TYPE baro_session_sinks_%s_total counter\n"
                    "baro_session_sinks_%s_total %" PRIu64 "\n",
                    counts[i].name, counts[i].help, counts[i].name, counts[i].name,
                    counts[i].value);
}
