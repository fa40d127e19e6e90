/* SPDX-License-Identifier: Apache-2.0 */
/* session - barod as a node of a session: results become samples of the store. */
#include "daemon/member/session.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/number.h"
#include "base/span.h"
#include "daemon/member/session_sinks.h"
#include "daemon/member/session_store.h"

#include <inttypes.h>

/* Who is online is noted at each result: so many periods without one, and it is not
 * known. */
#define MEMBERS_PERIODS 3
#define MEMBERS_NS (60 * NS_PER_S)

struct daemon_session {
    const struct session_opts *opts;
    struct session *session;
    struct session_view *view;   /* for REST */
    struct session_store *store; /* NULL: results are not stored */
    struct session_sinks *sinks; /* NULL: none are run */
    uint32_t rank;
    char *host; /* this node's name in the session */
    struct host_presence *presence;
    struct hostset *hosts; /* by rank */
};

/* ---- results ---- */

static void on_result(void *arg, const struct session_result *result)
{
    struct daemon_session *s = arg;
    host_presence_members(s->presence, node_online(session_node(s->session)));
    session_view_result(s->view, result);
    if (s->store)
        session_store_put(s->store, result);
    if (s->sinks)
        session_sinks_result(s->sinks, result);
}

static bool on_reduce(void *arg, const struct session_instant *at,
                      const struct bundle *bundle)
{
    const struct daemon_session *s = arg;
    return s->sinks && session_sinks_reduce(s->sinks, at, bundle);
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
    int rc = s->sinks ? session_sinks_begin(s->sinks, session, loop) : 0;
    if (rc < 0)
        return rc;
    rc = session_view_begin(s->view, session, loop);
    if (rc < 0 && s->sinks)
        session_sinks_end(s->sinks); /* on_end() does not come */
    return rc;
}

static void on_end(void *arg)
{
    const struct daemon_session *s = arg;
    session_view_end(s->view);
    if (s->sinks)
        session_sinks_end(s->sinks);
}

/* ---- start and stop ---- */

static int open_store(struct daemon_session *s, const struct daemon_session_opts *opts,
                      struct err *err)
{
    AUTO(session_plan_done) struct session_plan plan = { 0 };
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    int rc = session_plan_make(s->opts, &plan, err);
    if (rc < 0)
        return rc;
    s->rank = plan.rank;
    s->host = strdup(hostset_at(plan.hosts, plan.rank));
    if (!s->host)
        return -ENOMEM;
    s->hosts = TAKE(plan.hosts);
    if (!opts->store)
        return 0;
    const struct component component = {
        .cluster = span_of(s->opts->cluster),
        .host = span_of(s->host),
        .type = SPAN("session"),
        .id = span_of(s->opts->name),
    };
    component_print(&path, &component);
    const struct session_store_opts store = {
        .name = s->opts->name,
        .path = strbuf_span(&path),
        .store = opts->store,
        .write = opts->write,
        .forward = opts->forward,
    };
    rc = strbuf_error(&path);
    return rc < 0 ? rc : session_store_new(&store, &s->store);
}

static int open_sinks(struct daemon_session *s, const struct daemon_session_opts *opts)
{
    const struct session_sinks_opts sinks = {
        .plugins = opts->plugins,
        .store = s->store,
        .statements = opts->statements,
        .cluster = s->opts->cluster,
        .host = s->host,
    };
    if (s->rank == 0)
        return session_sinks_new(&sinks, &s->sinks);
    if (plugins_are_configured(opts->plugins))
        log_line(LOG_LEVEL_WARN,
                 "plugins.directory: no plugin is run: this is node %u of the session, "
                 "not its control node",
                 (unsigned)s->rank);
    return 0;
}

/* The cluster that a session has where none is configured is not the site's: its
 * hosts would be there twice. */
static int begin_presence(struct daemon_session *s)
{
    bool is_configured = strcmp(s->opts->cluster, SESSION_CLUSTER) != 0;
    int64_t periods_ns = MEMBERS_PERIODS * s->opts->period_ns;
    const struct host_presence_session session = {
        .cluster = is_configured ? span_of(s->opts->cluster) : SPAN(""),
        .hosts = s->hosts,
        .rank = s->rank,
        .valid_ns = periods_ns > MEMBERS_NS ? periods_ns : MEMBERS_NS,
    };
    return host_presence_session(s->presence, &session);
}

int daemon_session_start(const struct daemon_session_opts *opts,
                         struct daemon_session **ret, struct err *err)
{
    if (!session_is_configured(opts->session)) {
        if (plugins_are_configured(opts->plugins))
            log_line(LOG_LEVEL_WARN, "%s",
                     "plugins.directory: no plugin is run: there is no [session], "
                     "whose results they would have");
        return 0;
    }
    struct daemon_session *s = calloc(1, sizeof *s);
    if (!s)
        return -ENOMEM;
    s->opts = opts->session;
    s->presence = opts->presence;
    const struct session_callbacks callbacks = { .arg = s,
                                                 .begin = on_begin,
                                                 .end = on_end,
                                                 .reduce = on_reduce,
                                                 .result = on_result,
                                                 .event = on_session_event,
                                                 .notice = on_notice };
    int rc = open_store(s, opts, err);
    if (rc == 0)
        rc = begin_presence(s);
    if (rc == 0)
        rc = open_sinks(s, opts);
    if (rc == 0)
        rc = session_view_new(s->opts, &s->view, err);
    if (rc == 0)
        rc = session_view_register(s->view, opts->server);
    if (rc == 0)
        rc = session_start(s->opts, &callbacks, &s->session, err);
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
    session_sinks_free(s->sinks);
    session_store_free(s->store);
    free(s->host);
    hostset_free(s->hosts);
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
    if (s->sinks)
        session_sinks_print(s->sinks, out);
    if (s->store)
        strbuf_addf(out,
                    "# HELP baro_session_samples_refused_total Numbers of results that "
                    "were not stored: new metrics beyond [write].\n"
                    "# TYPE baro_session_samples_refused_total counter\n"
                    "baro_session_samples_refused_total %" PRIu64 "\n",
                    session_store_refused(s->store));
}
