/* SPDX-License-Identifier: Apache-2.0 */
/* sampler - what this node measures of itself, at each trigger, as metrics. */
#include "agent/sampling/sampler.h"

#include "agent/sampling/files_part.h"
#include "agent/sampling/gpu_part.h"
#include "agent/sampling/health_part.h"
#include "agent/sampling/inventory_part.h"
#include "agent/sampling/kernel_part.h"
#include "agent/sampling/mount_part.h"
#include "agent/sampling/report_part.h"
#include "agent/sampling/trend_part.h"
#include "agent/sampling/watch_part.h"
#include "agent/totals/metric_line.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "plugin/directory/directory.h"
#include "source/node/node.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <unistd.h>

/* So many periods without a trigger, and the timer stands for it. */
#define PERIODS_MAX 3
/* A text that is longer goes to the queue before the round ends. */
#define TEXT_BYTES ((size_t)1 << 20)

struct sampler {
    const struct agent_opts *opts;
    const char *cluster;
    struct node_sources *sources;  /* NULL: none */
    struct plugin_runner *plugins; /* NULL: none */
    struct trend_part *trends;     /* NULL: memory is not read */
    struct text_queue *queue;
    struct health_part *health;
    struct kernel_part *kernel;       /* NULL: its messages are not read */
    struct mount_part *mounts;        /* NULL: they are not checked */
    struct gpu_part *gpus;            /* NULL: they are not read */
    struct report_part *reports;      /* NULL: there is no socket */
    struct files_part *files;         /* NULL: there is no socket */
    struct watch_part *watch;         /* NULL: there is no socket */
    struct inventory_part *inventory; /* NULL: it is not read */
    const struct agent_report *report;
    struct plugin_report plugin_report; /* to report */
    struct session *session;            /* NULL: none */
    struct local_listener *local;       /* NULL: none */
    int64_t users_second;               /* of the steady clock, in which users had */
    uint64_t users_events;              /* so many events */
    uv_timer_t timer;
    int64_t due_ns; /* of the timer: the instant that it stands for; 0: of no one */
    struct plugin_epoch epoch; /* that waits for the round of plugins under way */
    struct strbuf text;        /* lines that gather */
    uint32_t line_count;
    int64_t gathered_ns; /* the instant of the first of them */
    struct metric_line line;
    _Atomic uint64_t rounds, untriggered, samples, dropped;
};

/* ---- lines ---- */

static bool is_tag(struct span text)
{
    return text.size == 0 || metric_line_is_name(text);
}

static void lines_send(struct sampler *s)
{
    atomic_fetch_add(&s->samples, s->line_count);
    if (s->line_count > 0)
        (void)text_queue_put(s->queue, &s->text, s->line_count);
    s->line_count = 0;
}

/* At the end of a round: together they compress better, and one request carries them.
 * A clock that was set back ends the gathering, too. */
static void lines_settle(struct sampler *s, const struct session_instant *at)
{
    int64_t age_ns = at->instant_ns - s->gathered_ns;
    if (age_ns < 0 || age_ns + at->period_ns >= s->opts->node.flush_ns)
        lines_send(s);
}

static void add_line_of(struct sampler *s, const char *const names[3],
                        const struct metric_of *of, double value)
{
    if (!is_tag(of->type) || !is_tag(of->target) || !is_tag(of->part_type) ||
        !is_tag(of->part))
        return; /* no line can hold it */
    if (s->line_count == 0)
        s->gathered_ns = s->line.t_ns;
    metric_line_add(&s->line, names, of, value);
    s->line_count++;
    if (s->text.size >= TEXT_BYTES)
        lines_send(s);
}

static void add_line(struct sampler *s, const char *metric, const struct metric_of *of,
                     double value)
{
    const char *const names[3] = { metric, "", "" };
    add_line_of(s, names, of, value);
}

static void on_node_value(void *arg, const struct node_value *value)
{
    const struct metric_of of = { .target = value->id,
                                  .type = value->type,
                                  .part_type = value->stype,
                                  .part = value->stype_id };
    add_line(arg, value->metric, &of, value->value);
}

static void on_node_notice(void *arg, const char *text)
{
    const struct sampler *s = arg;
    agent_report(s->report, LOG_LEVEL_WARN, AGENT_EVENT_ONCE, "%s", text);
}

static void on_sampled_gpu(void *arg, const struct gpu_value *value, int64_t t_ns)
{
    struct sampler *s = arg;
    char slice[NUMBER_DIGITS_MAX + 1] = "";
    struct metric_of of = { .target = span_of(value->pci),
                            .type = SPAN("accelerator") };
    if (value->slice >= 0) {
        slice[number_print_u64(slice, (uint64_t)value->slice)] = '\0';
        of.part_type = SPAN("mig");
        of.part = span_of(slice);
    }
    s->line.out = &s->text;
    s->line.t_ns = t_ns;
    add_line(s, value->metric, &of, value->value);
}

static void on_gpus_sampled(void *arg)
{
    struct sampler *s = arg;
    const struct session_instant at = { .instant_ns = s->line.t_ns };
    lines_settle(s, &at);
}

/* ---- plugins ---- */

static void on_plugin_sample(void *arg, const struct plugin_sample *sample)
{
    struct sampler *s = arg;
    const struct metric_of of = { .target = sample->id,
                                  .type = sample->type,
                                  .part_type = sample->subtype,
                                  .part = sample->subid };
    s->line.t_ns = sample->when.t_ns;
    add_line(s, sample->metric->name, &of, sample->value);
}

static void on_plugin_health(void *arg, const struct plugin_health *health)
{
    const struct sampler *s = arg;
    const struct resource_check check = plugin_check_of(health);
    health_part_state(s->health, &check);
}

static void on_node_health(void *arg, const struct node_health *health)
{
    static const enum resource_health healths[] = {
        [NODE_UP] = RESOURCE_UP,
        [NODE_DEGRADED] = RESOURCE_DEGRADED,
        [NODE_DOWN] = RESOURCE_DOWN,
        [NODE_UNKNOWN] = RESOURCE_UNKNOWN,
    };
    const struct sampler *s = arg;
    const struct resource_check check = {
        .kind = "node",
        .name = span_of(health->check),
        .part = health->part,
        .health = healths[health->state],
        .reason = health->reason,
        .t_ns = health->t_ns,
    };
    health_part_state(s->health, &check);
}

static void on_plugin_event(void *arg, const struct plugin_event *event)
{
    struct sampler *s = arg;
    struct resource_check end;
    if (plugin_check_end(event, &end)) {
        health_part_end(s->health, &end);
        health_part_send(s->health);
    }
    AUTO(strbuf_done) struct strbuf name = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf payload = STRBUF_INIT;
    plugin_event_print(event, &name, &payload);
    /* A suspension is logged however many lines came before it: it comes once. */
    bool is_suspension = strcmp(event->name, "plugin_suspended") == 0;
    agent_report(s->report, plugin_event_level(event),
                 is_suspension ? AGENT_EVENT_ONCE : AGENT_EVENT_PLUGIN, "%s: " SPAN_FMT,
                 strbuf_text(&name), SPAN_ARG(event->text));
    if (!s->session)
        return;
    int rc = node_publish(session_node(s->session), (uint32_t)geteuid(),
                          strbuf_span(&name), strbuf_span(&payload));
    if (rc < 0)
        agent_report(s->report, LOG_LEVEL_WARN, AGENT_EVENT_PLUGIN,
                     "event %s is not published: %s", strbuf_text(&name),
                     rc == -EAGAIN ? "more than session.event_rate" : strerror(-rc));
}

static void on_plugin_contribution(void *arg, const struct plugin_contribution *c)
{
    struct sampler *s = arg;
    if (c->when.function == PLUGIN_REDUCE) {
        plugin_epoch_merge(&s->epoch, c);
        return;
    }
    struct bundle *bundle = plugin_epoch_bundle(&s->epoch, c->when.epoch);
    int rc = bundle ? plugin_contribute(c, s->opts->host, s->epoch.at.rank, bundle)
                    : -ESTALE;
    if (rc < 0)
        atomic_fetch_add(&s->dropped, 1);
}

static void on_plugin_done(void *arg, const struct plugin_done *done)
{
    struct sampler *s = arg;
    plugin_epoch_call_done(&s->epoch, done);
}

static void on_plugins_done(void *arg)
{
    struct sampler *s = arg;
    lines_settle(s, &s->epoch.at);
    health_part_send(s->health);
    plugin_epoch_done(&s->epoch);
}

static void on_plugin_report(void *arg, enum log_level level, bool is_once,
                             const char *text)
{
    const struct sampler *s = arg;
    agent_report(s->report, level, is_once ? AGENT_EVENT_ONCE : AGENT_EVENT_PLUGIN,
                 "%s", text);
}

static struct plugin_yields yields_to(struct sampler *s)
{
    return (struct plugin_yields){ .sample = on_plugin_sample,
                                   .event = on_plugin_event,
                                   .contribution = on_plugin_contribution,
                                   .health = on_plugin_health,
                                   .done = on_plugin_done,
                                   .arg = s };
}

/* ---- programs of this node ---- */

static const char *submit_metric(struct sampler *s,
                                 const struct local_submission *submission)
{
    struct span name = submission->request->name;
    char text[LOCAL_NAME_BYTES_MAX + 1] = "";
    const char *const names[3] = { "app_", text, "" };
    const struct metric_of of = { .target = span_of(submission->job),
                                  .type = SPAN("job") };
    memcpy(text, name.data, name.size);
    s->line.out = &s->text;
    s->line.t_ns = clock_now_ns();
    add_line_of(s, names, &of, submission->request->value);
    const struct session_instant now = { .instant_ns = s->line.t_ns };
    lines_settle(s, &now); /* a round may be far: the control node may be away */
    return NULL;
}

/* Users have half of the node's events: what plugins report has the other. */
static bool is_within_users_share(struct sampler *s)
{
    uint64_t half = s->opts->session.event_rate / 2;
    int64_t second = clock_steady_ns() / NS_PER_S;
    if (second != s->users_second)
        s->users_events = 0;
    s->users_second = second;
    return s->users_events++ < (half ? half : 1);
}

/* A user's event is named so: no plugin's, and nothing of the site, can be imitated. */
static const char *submit_event(struct sampler *s,
                                const struct local_submission *submission)
{
    AUTO(strbuf_done) struct strbuf name = STRBUF_INIT;
    if (!s->session)
        return "this agent is in no session";
    if (submission->uid != 0 && !is_within_users_share(s))
        return "users of this node have half of session.event_rate a second";
    strbuf_addf(&name, "%s" SPAN_FMT, submission->uid == 0 ? "" : "user.",
                SPAN_ARG(submission->request->name));
    int rc = strbuf_error(&name);
    if (rc == 0)
        rc = node_publish(session_node(s->session), (uint32_t)submission->uid,
                          strbuf_span(&name), submission->request->payload);
    switch (rc) {
    case 0:
        return NULL;
    case -EINVAL:
        return "an event's name has letters, digits and _ . : -, and does not begin "
               "with "
               "session.";
    case -EAGAIN:
        return "more events than session.event_rate of the agent";
    default:
        return strerror(-rc);
    }
}

static const char *on_submission(void *arg, const struct local_submission *submission,
                                 uint64_t *ret_ticket)
{
    const struct sampler *s = arg;
    const char *why;
    if (!s->files || !s->reports)
        return LOCAL_LATER "the agent ends";
    switch (submission->request->kind) {
    case LOCAL_METRIC:
        return submit_metric(arg, submission);
    case LOCAL_EVENT:
        return submit_event(arg, submission);
    case LOCAL_FILES:
        why = files_part_put(s->files, submission, ret_ticket);
        *ret_ticket = 2 * *ret_ticket + 1; /* odd: files_part's */
        return why;
    default:
        why = report_part_put(s->reports, submission, ret_ticket);
        *ret_ticket *= 2;
        return why;
    }
}

static const char *on_settle(void *arg, uint64_t ticket)
{
    const struct sampler *s = arg;
    if (!s->files || !s->reports)
        return LOCAL_LATER "the agent ends";
    return ticket % 2 ? files_part_settle(s->files, ticket / 2)
                      : report_part_settle(s->reports, ticket / 2);
}

static bool has_socket(const struct agent_opts *opts)
{
    return opts->node.socket && *opts->node.socket;
}

/* ---- a round ---- */

static void sampler_round(struct sampler *s, const struct session_instant *at,
                          bool is_triggered)
{
    s->line.out = &s->text;
    s->line.t_ns = at->instant_ns;
    if (s->sources && at->epoch % s->opts->node.every == 0) {
        node_sources_read(s->sources, at->instant_ns, on_node_value, s);
        health_part_send(s->health);
        trend_part_save(s->trends);
    }
    if (at->epoch % s->opts->node.every == 0)
        gpu_part_trigger(s->gpus, at->instant_ns);
    if (s->kernel) {
        kernel_part_read(s->kernel, at->instant_ns);
        health_part_send(s->health);
    }
    if (s->mounts) {
        mount_part_state(s->mounts, s->health, at->instant_ns);
        health_part_send(s->health);
    }
    lines_settle(s, at); /* of this round, or of plugins that have gone since */
    atomic_fetch_add(&s->rounds, 1);
    (void)plugin_epoch_trigger(&s->epoch, at, is_triggered);
}

/* ---- the timer ---- */

static void on_sampling_due(uv_timer_t *timer);

/* The next instant that is a multiple of the interval. */
static void timer_to_instant(struct sampler *s)
{
    int64_t interval_ns = s->opts->node.interval_ns, now_ns = clock_now_ns();
    s->due_ns = now_ns - now_ns % interval_ns + interval_ns;
    (void)uv_timer_start(&s->timer, on_sampling_due, (uint64_t)clock_wait_ms(s->due_ns),
                         0);
}

static void timer_after_trigger(struct sampler *s, int64_t period_ns)
{
    s->due_ns = 0;
    (void)uv_timer_start(&s->timer, on_sampling_due,
                         (uint64_t)(PERIODS_MAX * period_ns / NS_PER_MS), 0);
}

static void on_sampling_due(uv_timer_t *timer)
{
    struct sampler *s = timer->data;
    int64_t interval_ns = s->opts->node.interval_ns, now_ns = clock_now_ns();
    bool is_set_back = now_ns < s->due_ns - interval_ns;
    if (s->due_ns > 0 && now_ns < s->due_ns && !is_set_back) {
        (void)uv_timer_start(&s->timer, on_sampling_due, 1, 0); /* a little early */
        return;
    }
    if (s->due_ns > 0 && !is_set_back) {
        int64_t t_ns = now_ns - now_ns % interval_ns;
        const struct session_instant at = { .epoch = (uint64_t)(t_ns / interval_ns),
                                            .instant_ns = t_ns,
                                            .period_ns = interval_ns };
        atomic_fetch_add(&s->untriggered, 1);
        sampler_round(s, &at, false);
    }
    timer_to_instant(s);
}

/* ---- the door ---- */

static void sources_begin(struct sampler *s)
{
    node_sources_on_health(s->sources, on_node_health);
    if (s->opts->node.energy)
        node_sources_set_energy(s->sources, s->opts->node.energy);
    node_sources_notices(s->sources, on_node_notice, s);
}

/* One that did not begin. */
static void sampler_abandon(struct sampler *s)
{
    text_queue_close(s->queue);
    kernel_part_close(s->kernel);
    files_part_close(s->files);
    health_part_close(s->health);
    report_part_close(s->reports);
    watch_part_free(s->watch);
    gpu_part_close(s->gpus);
    trend_part_close(s->trends);
    node_sources_free(s->sources);
    plugin_runner_free(s->plugins);
    free(s);
}

int sampler_new(const struct agent_opts *opts, const struct agent_report *report,
                uv_loop_t *loop, struct sampler **ret, struct err *err)
{
    unsigned sources = 0;
    int rc = node_opts_sources(&opts->node, &sources, err);
    bool has_plugins = plugins_are_configured(&opts->plugins);
    bool has_parts = (opts->node.kernel_rules && *opts->node.kernel_rules) ||
                     opts->node.mounts_interval_ns > 0 ||
                     opts->node.inventory_interval_ns > 0;
    bool has_gpus = node_opts_gpu(&opts->node) != GPU_NOT;
    if (rc < 0 ||
        (sources == 0 && !has_gpus && !has_plugins && !has_parts && !has_socket(opts)))
        return rc;
    struct sampler *s = calloc(1, sizeof *s);
    if (!s)
        return -ENOMEM;
    s->opts = opts;
    s->cluster =
        opts->node.cluster && *opts->node.cluster ? opts->node.cluster : opts->cluster;
    s->report = report;
    s->plugin_report = (struct plugin_report){ on_plugin_report, s };
    s->line = (struct metric_line){ .cluster = s->cluster, .host = opts->host };
    const struct plugin_runner_opts plugins = {
        .plugins = &opts->plugins,
        .root = strcmp(opts->root, "/") == 0 ? "" : opts->root,
        .report = &s->plugin_report,
        .yields = yields_to(s),
        .done_fn = on_plugins_done,
        .arg = s,
    };
    const struct gpu_events gpus = { on_sampled_gpu, on_gpus_sampled, s };
    if (sources)
        rc = node_sources_new(opts->root, sources, &s->sources);
    if (s->sources)
        sources_begin(s);
    if (rc == 0)
        rc = trend_part_open(opts, report, s->sources, &s->trends, err);
    if (rc == 0)
        rc = gpu_part_open(opts, report, &gpus, &s->gpus);
    if (rc == 0 && has_plugins)
        rc = plugin_runner_new(&plugins, &s->plugins);
    if (rc == 0)
        rc = health_part_open(opts, report, loop, &s->health, err);
    if (rc == 0 && has_socket(opts))
        rc = watch_part_open(opts, report, &s->watch, err);
    if (rc == 0 && has_socket(opts))
        rc = report_part_open(opts, report, loop, watch_part_watchers(s->watch),
                              &s->reports, err);
    if (rc == 0 && has_socket(opts))
        rc = files_part_open(opts, report, loop, &s->files, err);
    if (rc == 0)
        rc = kernel_part_open(opts, report, s->health, &s->kernel, err);
    if (rc == 0)
        rc = metric_queue_open(opts, report, loop, &s->queue, err);
    if (rc == 0)
        rc = mount_part_open(opts, report, loop, &s->mounts);
    if (rc == 0)
        rc = inventory_part_open(opts, report, loop, &s->inventory, err);
    if (rc < 0)
        sampler_abandon(s);
    else
        *ret = s; /* as long as the loop */
    return rc < 0 ? rc : 0;
}

void sampler_stop(struct sampler *s)
{
    if (!s)
        return;
    lines_send(s);
    strbuf_done(&s->text);
    text_queue_close(s->queue);
    mount_part_stop(s->mounts);
    inventory_part_stop(s->inventory);
    watch_part_stop(s->watch);
    kernel_part_close(TAKE(s->kernel));
    health_part_close(TAKE(s->health));
    report_part_close(TAKE(s->reports));
    files_part_close(TAKE(s->files));
    gpu_part_close(TAKE(s->gpus));
    trend_part_close(TAKE(s->trends));
    node_sources_free(TAKE(s->sources));
    plugin_runner_free(TAKE(s->plugins));
}

struct sampler_count {
    const char *name, *type;
    uint64_t value;
};

static void sampler_counts_print(const struct sampler_count *counts, size_t count,
                                 struct strbuf *out)
{
    for (size_t i = 0; i < count; i++)
        strbuf_addf(out,
                    "# TYPE baro_agent_sampling_%s %s\nbaro_agent_sampling_%s %" PRIu64
                    "\n",
                    counts[i].name, counts[i].type, counts[i].name, counts[i].value);
}

static void gpu_counts_print(const struct sampler *s, struct strbuf *out)
{
    struct gpu_counts gpus;
    gpu_part_count(s->gpus, &gpus);
    const struct sampler_count counts[] = {
        { "gpu_readings_total", "counter", gpus.readings },
        { "gpu_readings_late_total", "counter", gpus.late },
        { "gpu_process_starts_total", "counter", gpus.starts },
        { "gpu_process_hangs_total", "counter", gpus.hangs },
        { "gpu_process_failures_total", "counter", gpus.failures },
        { "gpu_process_in_kernel", "gauge", gpus.in_kernel },
    };
    sampler_counts_print(counts, COUNT_OF(counts), out);
}

static void inventory_counts_print(const struct sampler *s, struct strbuf *out)
{
    struct inventory_counts inventory;
    inventory_part_count(s->inventory, &inventory);
    const struct sampler_count counts[] = {
        { "inventory_reads_total", "counter", inventory.reads },
        { "inventory_failures_total", "counter", inventory.failures },
        { "inventory_parts", "gauge", inventory.parts },
        { "inventory_sent_total", "counter", inventory.queue.sent },
        { "inventory_refused_total", "counter", inventory.queue.refused },
        { "inventory_lost_total", "counter",
          inventory.queue.lost + inventory.queue.not_stored },
        { "inventory_waiting", "gauge", inventory.queue.waiting },
    };
    sampler_counts_print(counts, COUNT_OF(counts), out);
}

static void watch_counts_print(const struct sampler *s, struct strbuf *out)
{
    struct local_watch_counts watches;
    struct watch_counts watch;
    local_watchers_count(&watches);
    watch_part_count(s->watch, &watch);
    const struct sampler_count counts[] = {
        { "watchers", "gauge", watches.watchers },
        { "watch_lines_total", "counter", watches.given },
        { "watch_lines_lost_total", "counter", watches.lost },
        { "watch_queries_total", "counter", watch.queries },
        { "watch_query_failures_total", "counter", watch.failures },
    };
    sampler_counts_print(counts, COUNT_OF(counts), out);
}

void sampler_print(struct sampler *s, struct strbuf *out)
{
    struct post_queue_counts queue, files;
    if (!s)
        return;
    struct runner_counts plugins;
    struct local_counts local;
    struct health_counts health;
    struct kernel_counts kernel;
    struct mount_counts mounts;
    mount_part_count(s->mounts, &mounts);
    kernel_part_count(s->kernel, &kernel);
    struct post_queue_counts reports;
    health_part_count(s->health, &health);
    report_part_count(s->reports, &reports);
    text_queue_count(s->queue, &queue);
    files_part_count(s->files, &files);
    plugin_runner_count(s->plugins, &plugins);
    local_listener_count(&local);
    const struct sampler_count counts[] = {
        { "rounds_total", "counter", atomic_load(&s->rounds) },
        { "untriggered_total", "counter", atomic_load(&s->untriggered) },
        { "samples_total", "counter", atomic_load(&s->samples) },
        { "sent_total", "counter", queue.sent },
        { "refused_total", "counter", queue.refused },
        { "lost_total", "counter", queue.lost + queue.not_stored },
        { "send_failures_total", "counter", queue.attempts_failed },
        { "waiting", "gauge", queue.waiting },
        { "plugin_calls_total", "counter", plugins.host.calls },
        { "plugin_over_budget_total", "counter", plugins.host.over_budget },
        { "plugin_late_total", "counter", plugins.host.late },
        { "plugin_kills_total", "counter", plugins.host.kills },
        { "contributions_dropped_total", "counter", atomic_load(&s->dropped) },
        { "reduces_late_total", "counter", plugins.reduces.late },
        { "reduces_not_called_total", "counter", plugins.reduces.not_called },
        { "statements_sent_total", "counter", health.queue.sent },
        { "statements_refused_total", "counter", health.queue.refused },
        { "statements_lost_total", "counter",
          health.queue.lost + health.queue.not_stored },
        { "statements_waiting", "gauge", health.queue.waiting },
        { "statements_dropped_total", "counter", health.dropped },
        { "kernel_messages_total", "counter", kernel.messages },
        { "kernel_events_total", "counter", kernel.events },
        { "kernel_messages_held_back_total", "counter", kernel.held_back },
        { "kernel_messages_lost_total", "counter", kernel.lost },
        { "kernel_lines_bad_total", "counter", kernel.bad },
        { "kernel_events_not_published_total", "counter", kernel.not_published },
        { "kernel_state_failures_total", "counter", kernel.state_failures },
        { "trend_state_failures_total", "counter", trend_part_failures(s->trends) },
        { "mount_rounds_total", "counter", mounts.rounds },
        { "mount_checks_given_up_total", "counter", mounts.given_up },
        { "mount_checks_hanging", "gauge", mounts.hanging },
        { "mounts_not_checked", "gauge", mounts.not_probed },
        { "session_reports_sent_total", "counter", reports.sent },
        { "session_reports_refused_total", "counter", reports.refused },
        { "session_reports_lost_total", "counter", reports.lost + reports.not_stored },
        { "session_reports_waiting", "gauge", reports.waiting },
        { "files_sent_total", "counter", files.sent },
        { "files_refused_total", "counter", files.refused },
        { "files_lost_total", "counter", files.lost + files.not_stored },
        { "files_waiting", "gauge", files.waiting },
        { "submissions_total", "counter", local.accepted },
        { "submissions_refused_total", "counter", local.refused },
        { "submitters_turned_away_total", "counter", local.turned_away },
    };
    sampler_counts_print(counts, COUNT_OF(counts), out);
    watch_counts_print(s, out);
    gpu_counts_print(s, out);
    inventory_counts_print(s, out);
}

static void on_watched(void *arg)
{
    const struct sampler *s = arg;
    watch_part_wanted(s->watch);
}

static int sampler_listen(struct sampler *s, uv_loop_t *loop)
{
    const struct local_opts opts = {
        .path = s->opts->node.socket,
        .root = strcmp(s->opts->root, "/") == 0 ? "" : s->opts->root,
        .submit = on_submission,
        .settle = on_settle,
        .arg = s,
        .watchers = watch_part_watchers(s->watch),
        .watched = on_watched,
    };
    struct err err = { 0 };
    int rc = local_listener_start(&opts, loop, &s->local, &err);
    if (rc < 0)
        agent_report(s->report, LOG_LEVEL_ERROR, AGENT_EVENT_ONCE, "node.socket: %s",
                     err.text);
    return rc;
}

int sampler_begin(struct sampler *s, uv_loop_t *loop, struct session *session)
{
    s->timer.data = s;
    s->session = session;
    s->epoch.runner = s->plugins;
    s->epoch.session = session;
    if (s->kernel)
        kernel_part_begin(s->kernel, session);
    int rc = s->plugins ? plugin_runner_begin(s->plugins, loop) : 0;
    if (rc == 0)
        rc = gpu_part_begin(s->gpus, loop);
    if (rc == 0)
        rc = uv_timer_init(loop, &s->timer);
    if (rc < 0)
        return rc;
    rc = has_socket(s->opts) ? watch_part_begin(s->watch, loop) : 0;
    if (rc == 0 && has_socket(s->opts))
        rc = sampler_listen(s, loop);
    if (session)
        timer_after_trigger(s, s->opts->node.interval_ns);
    else
        timer_to_instant(s);
    return rc;
}

void sampler_trigger(struct sampler *s, const struct session_instant *at)
{
    timer_after_trigger(s, at->period_ns);
    sampler_round(s, at, true);
}

bool sampler_reduce(struct sampler *s, const struct session_instant *at,
                    const struct bundle *bundle)
{
    return plugin_epoch_reduce(&s->epoch, at, bundle);
}

void sampler_event(struct sampler *s, const struct session_event *event,
                   const struct session_gap *gap, bool is_own)
{
    watch_part_event(s->watch, event, gap, is_own);
}

void sampler_end(struct sampler *s)
{
    uv_close((uv_handle_t *)&s->timer, NULL);
    local_listener_stop(TAKE(s->local));
    watch_part_end(s->watch);
    gpu_part_end(s->gpus);
    if (s->plugins)
        plugin_runner_end(s->plugins);
}
