/* SPDX-License-Identifier: Apache-2.0 */
/* control - the control node of a job's session: a port, the key, results into a file.
 */
#include "jobsession/control.h"

#include "api/session/session.h"
#include "base/log.h"
#include "base/number.h"
#include "base/span.h"
#include "jobsession/provenance/provenance.h"
#include "jobsession/site/inner_sessions.h"
#include "jobsession/site/site_event.h"
#include "jobsession/site/site_watch.h"

#include <openssl/rand.h>
#include <unistd.h>

/* Below the ports that a kernel gives to connections. */
enum { PORT_FIRST = 12000, PORT_LAST = 32000, PORT_TRIES = 32 };

struct control {
    struct control_opts opts;
    struct invitation invitation;
    struct session_opts session;
    struct strbuf hosts, address, listen;
    struct session *node;
    struct session *begun;    /* the same, for its thread */
    struct site_watch *watch; /* of sessions in this one; NULL: there is no agent */
    struct inner_sessions *inner;
    struct session_view *view;
    pthread_mutex_t lock; /* of counts */
    struct control_counts counts;
};

/* ---- the session's thread ---- */

static int publish_inner(const struct control *c, const struct strbuf *name,
                         const struct strbuf *payload)
{
    return node_publish(session_node(c->begun), (uint32_t)geteuid(), strbuf_span(name),
                        strbuf_span(payload));
}

/* What it states about a node is its own opinion. */
static void inner_health(const struct control *c, const struct session_report *report,
                         struct arena *arena)
{
    AUTO_FREE char *id = span_dup(report->session);
    struct resource_statement statement;
    struct err err = { 0 };
    if (!id || !c->opts.results || !span_is(report->name, SESSION_EVENT_HEALTH) ||
        resource_statement_read_line(report->payload, arena, &statement, &err) < 0)
        return;
    statement.by = report->uid;
    results_file_health(c->opts.results, id, &statement);
}

static int accept_inner(struct control *c, const struct session_report *report,
                        struct arena *arena)
{
    AUTO(strbuf_done) struct strbuf name = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf payload = STRBUF_INIT;
    struct inner_news news;
    int rc = 0;
    inner_sessions_compare(c->inner, report, &news);
    if (news.gap_first > 0) {
        rc = child_gap_print(report->session, news.gap_first, news.gap_last, &name,
                             &payload);
        if (rc == 0)
            rc = publish_inner(c, &name, &payload);
        if (rc == 0)
            inner_sessions_skip(c->inner, report, &news);
    }
    if (rc < 0 || !news.is_new)
        return rc;
    rc = child_event_print(report, &name, &payload);
    if (rc == 0)
        rc = publish_inner(c, &name, &payload);
    if (rc == 0 && report->sequence > 0)
        inner_health(c, report, arena);
    if (rc == 0)
        inner_sessions_had(c->inner, report);
    return rc;
}

/* Lines of the agent about sessions in this one. */
static int on_inner_line(void *arg, struct span line)
{
    AUTO(arena_done) struct arena arena;
    AUTO(strbuf_done) struct strbuf name = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf payload = STRBUF_INIT;
    struct control *c = arg;
    struct session_report report;
    struct span rest = line, verb;
    struct err err = { 0 };
    arena_init(&arena, 0);
    (void)span_cut(&rest, ' ', &verb);
    int rc = -EBADMSG;
    if (span_is(verb, "session")) {
        rc = session_report_read_line(rest, &arena, &report, &err);
        if (rc == 0)
            rc = accept_inner(c, &report, &arena);
    } else if (span_is(verb, "lost")) {
        rc = child_lost_print(rest, &name, &payload);
        if (rc == 0)
            rc = publish_inner(c, &name, &payload);
    }
    return rc == -EAGAIN || rc == -ENOBUFS || rc == -ENOMEM ? rc : 0;
}

static void watch_inner(struct control *c, struct uv_loop_s *loop)
{
    const struct site_watch_opts opts = {
        .path = c->opts.agent, .session = c->opts.id, .line_fn = on_inner_line, .arg = c
    };
    int rc = c->opts.agent ? site_watch_start(&opts, loop, &c->watch) : 0;
    if (rc < 0)
        log_warn("nothing comes from sessions in this one: %s", strerror(-rc));
}

static int on_control_begin(void *arg, struct session *session, struct uv_loop_s *loop)
{
    struct control *c = arg;
    c->begun = session;
    int rc =
        c->opts.succession ? succession_start(c->opts.succession, session, loop) : 0;
    if (rc == 0)
        watch_inner(c, loop);
    return rc < 0 ? rc : session_view_begin(c->view, session, loop);
}

static void on_control_end(void *arg)
{
    const struct control *c = arg;
    if (c->opts.succession)
        succession_end(c->opts.succession);
    site_watch_end(c->watch);
    session_view_end(c->view);
}

static void on_control_result(void *arg, const struct session_result *result)
{
    struct control *c = arg;
    if (c->opts.results)
        results_file_result(c->opts.results, result);
    session_view_result(c->view, result);
    LOCKED(&c->lock);
    c->counts.triggers++;
    /* Without rank 0, which has no plugins. */
    c->counts.contributions +=
        rank_set_size(&result->bundle->ranks) - rank_set_has(&result->bundle->ranks, 0);
}

static const char *host_of(const struct control *c, uint32_t rank)
{
    return rank > 0 && rank <= hostset_count(c->opts.hosts)
               ? hostset_at(c->opts.hosts, rank - 1)
               : "control";
}

/* The session's own are not for others, nor what came from them. */
static void report_to_site(const struct control *c, const struct session_event *event)
{
    for (size_t i = 0; i < c->opts.site_event_count; i++)
        if (span_glob(event->name, c->opts.site_events[i]) &&
            !span_starts(event->name, "session.") &&
            !site_event_is_foreign(event->name)) {
            site_side_event(c->opts.site, event->name, event->payload, event->t_ns);
            return;
        }
}

/* What plugins state about a node, and what it comes to. */
static void accept_health(struct control *c, const struct session_event *event)
{
    AUTO(strbuf_done) struct strbuf opinion = STRBUF_INIT;
    AUTO(arena_done) struct arena arena;
    struct resource_statement statement;
    struct err err = { 0 };
    arena_init(&arena, 0);
    if (resource_statement_read_line(event->payload, &arena, &statement, &err) < 0)
        return; /* no node of ours sent it */
    statement.by = span_of(host_of(c, event->origin));
    if (c->opts.results)
        results_file_health(c->opts.results, "own", &statement);
    if (opinions_accept(c->opts.opinions, &statement, &opinion) > 0)
        site_side_opinion(c->opts.site, event->name, strbuf_span(&opinion),
                          event->t_ns);
}

/* What the site has of a node, by the node's agent. */
static void accept_site_health(struct control *c, const struct session_event *event)
{
    AUTO(arena_done) struct arena arena;
    struct resource_statement statement;
    struct err err = { 0 };
    arena_init(&arena, 0);
    if (resource_statement_read_line(event->payload, &arena, &statement, &err) < 0)
        return;
    statement.by = span_of(host_of(c, event->origin));
    if (c->opts.results)
        results_file_health(c->opts.results, "site", &statement);
    if (c->opts.succession)
        succession_health(c->opts.succession, event->origin, &statement);
}

static void on_control_event(void *arg, const struct session_event *event,
                             const struct session_gap *gap)
{
    struct control *c = arg;
    if (!event) /* the control node has them all */
        return;
    session_view_event(c->view, event, gap);
    if (span_is(event->name, PROVENANCE_EVENT)) {
        if (c->opts.results)
            results_file_files(c->opts.results, event, host_of(c, event->origin));
        return;
    }
    if (c->opts.results)
        results_file_event(c->opts.results, event, host_of(c, event->origin));
    if (c->opts.succession)
        succession_event(c->opts.succession, event);
    if (span_is(event->name, SESSION_EVENT_HEALTH))
        accept_health(c, event);
    else if (span_is(event->name, SITE_EVENT_HEALTH))
        accept_site_health(c, event);
    else
        report_to_site(c, event);
    /* The first one, of rank 0 itself, comes before the session begins. */
    uint32_t online = c->begun ? rank_set_size(node_online(session_node(c->begun))) : 0;
    LOCKED(&c->lock);
    c->counts.events +=
        !span_starts(event->name, "session.") && !site_event_is_foreign(event->name);
    c->counts.online = online > 0 ? online - 1 : 0;
    if (c->counts.online > c->counts.online_max)
        c->counts.online_max = c->counts.online;
}

static void on_control_notice(void *arg, enum session_notice notice, const char *text)
{
    static struct log_limit limit = LOG_LIMIT_INIT;
    (void)arg;
    if (notice == SESSION_WARNING)
        log_limited(&limit, LOG_LEVEL_WARN, "session: %s", text);
}

/* ---- start ---- */

/* As many nodes as may be are children of the control node: they need no port. */
static uint64_t fanout_of(size_t nodes)
{
    return nodes <= 512 ? (nodes ? nodes : 1) : 64;
}

static int fill_session(struct control *c, struct err *err)
{
    struct session_opts *s = &c->session;
    AUTO(config_free) struct config *config = NULL;
    int rc = config_parse("session", (struct span){ NULL, 0 }, &session_config_section,
                          1, &config, err);
    if (rc == 0)
        rc = config_fill(config, "session", NULL, s, err);
    if (rc < 0)
        return rc;
    strbuf_adds(&c->hosts, "control,");
    hostset_print(c->opts.hosts, &c->hosts);
    s->name = c->opts.name;
    s->hosts = strbuf_text(&c->hosts);
    s->rank = "0";
    s->identities = "none"; /* all ranks are one: holders of the key */
    s->host = s->parents = s->key_file = NULL;
    s->address = c->opts.listen[0] == '1' ? "127.0.0.1:%p" : "%h:%p";
    s->state = c->opts.state;
    s->cluster = "session";
    s->key = &c->invitation.key;
    s->fanout = fanout_of(hostset_count(c->opts.hosts));
    s->heartbeat_ns = c->opts.heartbeat_ns;
    s->period_ns = c->opts.period_ns;
    s->lead_ns = c->opts.period_ns / 4 < 500 * NS_PER_MS ? c->opts.period_ns / 4
                                                         : 500 * NS_PER_MS;
    s->deadline_ns =
        c->opts.period_ns / 2 < 2 * NS_PER_S ? c->opts.period_ns / 2 : 2 * NS_PER_S;
    return strbuf_error(&c->hosts);
}

static int random_port(uint64_t *ret)
{
    uint32_t drawn;
    if (RAND_bytes((unsigned char *)&drawn, sizeof drawn) != 1)
        return -EIO;
    *ret = PORT_FIRST + drawn % (PORT_LAST - PORT_FIRST);
    return 0;
}

static int start_at_port(struct control *c, struct err *err)
{
    const struct session_callbacks callbacks = { .arg = c,
                                                 .begin = on_control_begin,
                                                 .end = on_control_end,
                                                 .result = on_control_result,
                                                 .event = on_control_event,
                                                 .notice = on_control_notice };
    int rc = random_port(&c->session.port);
    if (rc < 0)
        return err_set(err, -rc, "there are no random bytes");
    strbuf_clear(&c->address);
    strbuf_clear(&c->listen);
    bool is_v6 = strchr(c->opts.host, ':') != NULL;
    strbuf_addf(&c->address, is_v6 ? "[%s]:%llu" : "%s:%llu", c->opts.host,
                (unsigned long long)c->session.port);
    strbuf_addf(&c->listen, "%s:%llu", c->opts.listen,
                (unsigned long long)c->session.port);
    if (strbuf_error(&c->address) < 0 || strbuf_error(&c->listen) < 0)
        return -ENOMEM;
    c->session.control_address = strbuf_text(&c->address);
    c->session.listen = strbuf_text(&c->listen);
    return session_start(&c->session, &callbacks, &c->node, err);
}

static void make_invitation(struct control *c)
{
    c->invitation.session = c->session;
    c->invitation.has_spares = c->opts.succession != NULL;
    c->invitation.plugins = *c->opts.plugins;
    c->invitation.control_address = c->session.control_address;
    c->invitation.id = c->opts.id;
    c->invitation.provenance = c->opts.provenance;
    c->invitation.provenance_key = c->opts.provenance_key;
    c->invitation.agent = c->opts.agent;
}

int control_start(const struct control_opts *opts, struct control **ret,
                  struct err *err)
{
    struct control *c = calloc(1, sizeof *c);
    if (!c)
        return -ENOMEM;
    c->opts = *opts;
    (void)pthread_mutex_init(&c->lock, NULL);
    int rc = session_key_draw(&c->invitation.key);
    if (rc < 0)
        rc = err_set(err, -rc, "there are no random bytes");
    if (rc == 0)
        rc = inner_sessions_new(&c->inner);
    if (rc == 0)
        rc = fill_session(c, err);
    if (rc == 0)
        rc = session_view_new(&c->session, &c->view, err);
    if (rc == 0)
        rc = -EADDRINUSE;
    for (int i = 0; rc == -EADDRINUSE && i < PORT_TRIES; i++) {
        *err = (struct err){ 0 };
        rc = start_at_port(c, err);
    }
    if (rc < 0) {
        control_stop(c);
        return rc;
    }
    make_invitation(c);
    *ret = c;
    return 0;
}

void control_leave(struct control *c)
{
    if (!c)
        return;
    session_stop(TAKE(c->node));
    site_watch_free(TAKE(c->watch));
}

void control_stop(struct control *c)
{
    if (!c)
        return;
    control_leave(c);
    inner_sessions_free(c->inner);
    session_view_free(c->view);
    session_key_done(&c->invitation.key);
    strbuf_done(&c->hosts);
    strbuf_done(&c->address);
    strbuf_done(&c->listen);
    (void)pthread_mutex_destroy(&c->lock);
    free(c);
}

struct session_view *control_view(struct control *c)
{
    return c->view;
}

const struct invitation *control_invitation(const struct control *control)
{
    return &control->invitation;
}

void control_count(struct control *c, struct control_counts *ret)
{
    LOCKED(&c->lock);
    *ret = c->counts;
}
