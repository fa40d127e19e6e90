/* SPDX-License-Identifier: Apache-2.0 */
/* session - barod as a node of a session: results become samples of the store. */
#include "daemon/session.h"

#include "base/log.h"
#include "base/span.h"
#include "daemon/session_samples.h"

#define SAMPLES_MAX 8192

struct daemon_session {
    const struct session_opts *opts;
    struct metric_store *store;
    struct daemon_forward *forward; /* NULL: nothing is forwarded */
    struct session *session;
    struct session_view *view; /* for REST */
    struct strbuf path;        /* of the component that results are of */
    /* Of the result that is stored now: */
    int64_t t_ns, period_ns;
    size_t shard, count;
    struct sample samples[SAMPLES_MAX];
};

/* ---- results ---- */

static void add_sample(void *arg, const char *name, double value)
{
    struct daemon_session *s = arg;
    struct metric_table *metrics = metric_store_metrics(s->store);
    struct metric metric = { .name = span_of(name),
                             .step_ns = s->period_ns,
                             .kind = METRIC_GAUGE,
                             .aggregation = AGGREGATE_NONE };
    struct level_series *series = NULL;
    if (s->count == SAMPLES_MAX)
        return; /* before it becomes a series */
    const struct metric *declared = metric_find(metrics, metric.name);
    int rc = declared ? 0 : metric_declare(metrics, &metric, &declared);
    if (rc == 0)
        rc = metric_store_series(s->store, strbuf_span(&s->path), declared, &series);
    if (rc < 0)
        return; /* what cannot be stored is left out */
    s->shard = series->level->shard;
    s->samples[s->count++] = (struct sample){ series, s->t_ns, value };
}

static void on_result(void *arg, const struct session_result *result)
{
    static struct log_limit limit = LOG_LIMIT_INIT;
    struct daemon_session *s = arg;
    struct sample_counts counts;
    session_view_result(s->view, result);
    if (!s->store)
        return;
    s->t_ns = result->at.instant_ns;
    s->period_ns = result->at.period_ns;
    s->count = 0;
    session_samples(result, add_sample, s);
    const struct metric_batch batch = { .shard = s->shard,
                                        .samples = s->samples,
                                        .count = s->count,
                                        .promise = METRIC_STORED };
    int rc = s->count ? daemon_forward_store(s->forward, s->store, &batch, &counts) : 0;
    if (rc < 0)
        log_limited(&limit, LOG_LEVEL_WARN, "session: a result is not stored: %s",
                    strerror(-rc));
}

static void on_notice(void *arg, enum session_notice notice, const char *text)
{
    static struct log_limit limits[] = { [0 ... SESSION_WARNING] = LOG_LIMIT_INIT };
    (void)arg;
    log_limited(&limits[notice],
                notice == SESSION_WARNING ? LOG_LEVEL_WARN : LOG_LEVEL_INFO,
                "session: %s", text);
}

static void on_session_event(void *arg, const struct session_event *event,
                             const struct session_gap *gap)
{
    const struct daemon_session *s = arg;
    session_view_event(s->view, event, gap);
}

static int on_begin(void *arg, struct session *session, struct uv_loop_s *loop)
{
    const struct daemon_session *s = arg;
    return session_view_begin(s->view, session, loop);
}

static void on_end(void *arg)
{
    const struct daemon_session *s = arg;
    session_view_end(s->view);
}

/* ---- start and stop ---- */

static int name_component(struct daemon_session *s, struct err *err)
{
    AUTO(session_plan_done) struct session_plan plan = { 0 };
    int rc = session_plan_make(s->opts, &plan, err);
    if (rc < 0)
        return rc;
    const struct component component = {
        .cluster = span_of(s->opts->cluster),
        .host = span_of(hostset_at(plan.hosts, plan.rank)),
        .type = SPAN("session"),
        .id = span_of(s->opts->name),
    };
    component_print(&s->path, &component);
    return strbuf_error(&s->path);
}

int daemon_session_start(const struct session_opts *opts, struct metric_store *store,
                         struct daemon_forward *forward, struct net_server *server,
                         struct daemon_session **ret, struct err *err)
{
    if (!session_is_configured(opts))
        return 0;
    struct daemon_session *s = calloc(1, sizeof *s);
    if (!s)
        return -ENOMEM;
    s->opts = opts;
    s->store = store;
    s->forward = forward;
    const struct session_callbacks callbacks = { .arg = s,
                                                 .begin = on_begin,
                                                 .end = on_end,
                                                 .result = on_result,
                                                 .event = on_session_event,
                                                 .notice = on_notice };
    int rc = name_component(s, err);
    if (rc == 0)
        rc = session_view_new(opts, &s->view, err);
    if (rc == 0)
        rc = session_view_register(s->view, server);
    if (rc == 0)
        rc = session_start(opts, &callbacks, &s->session, err);
    if (rc < 0) {
        daemon_session_stop(s);
        return rc;
    }
    *ret = s;
    return 0;
}

void daemon_session_stop(struct daemon_session *s)
{
    if (!s)
        return;
    session_stop(s->session);
    session_view_free(s->view);
    strbuf_done(&s->path);
    free(s);
}

void daemon_session_close_routes(struct daemon_session *s)
{
    if (s)
        session_view_stop(s->view);
}

void daemon_session_print(struct daemon_session *s, struct strbuf *out)
{
    struct session_node_stats stats;
    if (!s)
        return;
    session_stats(s->session, &stats);
    session_stats_print(&stats, "baro_session_", out);
}
