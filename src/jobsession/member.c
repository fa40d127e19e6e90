/* SPDX-License-Identifier: Apache-2.0 */
/* member - a node of a job's session: the owner's plugins at each trigger. */
#include "jobsession/member.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/number.h"
#include "base/span.h"
#include "base/system/helper.h"
#include "jobsession/invitation.h"
#include "jobsession/member_plugins.h"
#include "jobsession/provenance/provenance.h"
#include "jobsession/site/site_event.h"
#include "jobsession/site/site_watch.h"

#include <poll.h>

#define INVITATION_WAIT_NS (60 * NS_PER_S)
/* So many heartbeats without a parent, and the session counts as over. */
#define HEARTBEATS_ALONE 30

struct member {
    struct invitation invitation;
    struct session_plan plan;
    struct member_plugins *plugins; /* NULL: none */
    struct provenance *provenance;  /* NULL: its owner does not want it */
    struct site_watch *watch;       /* NULL: the site's agent has nothing for it */
    struct session *session;
    struct session *begun; /* the same, for its thread */
    char host_program[PATH_MAX];
};

/* ---- the session's thread ---- */

static int on_site_line(void *arg, struct span line)
{
    static struct log_limit limit = LOG_LIMIT_INIT;
    const struct member *m = arg;
    AUTO(strbuf_done) struct strbuf name = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf payload = STRBUF_INIT;
    int rc = site_event_print(line, &name, &payload);
    if (rc == 0)
        rc = node_publish(session_node(m->begun), (uint32_t)geteuid(),
                          strbuf_span(&name), strbuf_span(&payload));
    if (rc == -EAGAIN || rc == -ENOBUFS || rc == -ENOMEM)
        return rc;
    if (rc < 0)
        log_limited(&limit, LOG_LEVEL_WARN, "%s: an event of the site is lost: %s",
                    hostset_at(m->plan.hosts, m->plan.rank), strerror(-rc));
    return 0;
}

/* Of several nodes on this machine one watches: it is one node of the site's. */
static void watch_site(struct member *m, struct uv_loop_s *loop)
{
    const struct invitation *in = &m->invitation;
    const struct site_watch_opts opts = { .path = in->agent,
                                          .line_fn = on_site_line,
                                          .arg = m };
    bool is_local = span_starts(span_of(in->session.address), "127.");
    if (!in->agent || !*in->agent || (is_local && m->plan.rank > 1))
        return;
    int rc = site_watch_start(&opts, loop, &m->watch);
    if (rc < 0)
        log_warn("%s: nothing comes from the site: %s",
                 hostset_at(m->plan.hosts, m->plan.rank), strerror(-rc));
}

static int on_member_begin(void *arg, struct session *session, struct uv_loop_s *loop)
{
    struct member *m = arg;
    m->begun = session;
    int rc = m->plugins ? member_plugins_begin(m->plugins, session, loop) : 0;
    if (rc == 0 && m->provenance)
        rc = provenance_begin(m->provenance, loop);
    if (rc == 0)
        watch_site(m, loop);
    return rc;
}

static void on_member_end(void *arg)
{
    const struct member *m = arg;
    if (m->plugins)
        member_plugins_end(m->plugins);
    if (m->provenance)
        provenance_end(m->provenance);
    site_watch_end(m->watch);
}

static void on_member_trigger(void *arg, const struct session_instant *at,
                              struct bundle *bundle)
{
    const struct member *m = arg;
    (void)bundle;
    if (m->plugins)
        member_plugins_trigger(m->plugins, at);
    if (m->provenance)
        provenance_trigger(m->provenance);
}

static void on_member_notice(void *arg, enum session_notice notice, const char *text)
{
    static struct log_limit limit = LOG_LIMIT_INIT;
    const struct member *m = arg;
    if (notice == SESSION_WARNING)
        log_limited(&limit, LOG_LEVEL_WARN, "%s: %s",
                    hostset_at(m->plan.hosts, m->plan.rank), text);
}

/* ---- start ---- */

static int invitation_read(int fd, struct invitation *ret, struct err *err)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    int64_t end_ns = clock_monotonic_ns() + INVITATION_WAIT_NS;
    char bytes[4096];
    while (!invitation_is_whole(strbuf_span(&text))) {
        int64_t left_ms = (end_ns - clock_monotonic_ns()) / NS_PER_MS;
        struct pollfd poll_fd = { fd, POLLIN, 0 };
        if (left_ms <= 0 || poll(&poll_fd, 1, (int)left_ms) == 0)
            return err_set(err, ETIMEDOUT, "standard input: no session within 60 s");
        ssize_t size = read(fd, bytes, sizeof bytes);
        if (size < 0 && errno == EINTR)
            continue;
        if (size <= 0 || text.size + (size_t)size > INVITATION_BYTES_MAX)
            return err_set(err, EINVAL,
                           "standard input: no session is there; this program is "
                           "started by 'baro session run'");
        strbuf_add(&text, bytes, (size_t)size);
        if (strbuf_error(&text) < 0)
            return -ENOMEM;
    }
    return invitation_parse(strbuf_span(&text), ret, err);
}

/* Where several nodes of a session share a machine, Slurm's name is the node's. */
static void find_own_host(struct session_opts *opts)
{
    const char *node = getenv("SLURMD_NODENAME");
    if (!(opts->rank && *opts->rank) && node && *node)
        opts->host = node;
}

static int member_start_at(struct member *m, const char *listen, struct err *err)
{
    const struct session_callbacks callbacks = { .arg = m,
                                                 .begin = on_member_begin,
                                                 .end = on_member_end,
                                                 .sample = on_member_trigger,
                                                 .notice = on_member_notice };
    m->invitation.session.listen = listen;
    return session_start(&m->invitation.session, &callbacks, &m->session, err);
}

static bool has_children(const struct session_plan *plan)
{
    const struct topology *t = plan->topology;
    for (uint32_t rank = plan->rank + 1; rank < t->size; rank++)
        if (t->parents[rank] == plan->rank)
            return true;
    return false;
}

/* One with nothing below it listens where nothing else does; another where its children
 * connect to, and if another program has that port they go to the control node. */
static int member_start(struct member *m, struct err *err)
{
    char listen[32];
    bool is_local = span_starts(span_of(m->invitation.session.address), "127.");
    (void)snprintf(listen, sizeof listen, "%s:%llu", is_local ? "127.0.0.1" : "0.0.0.0",
                   (unsigned long long)m->invitation.session.port + m->plan.rank);
    int rc = has_children(&m->plan) ? member_start_at(m, listen, err) : -EADDRINUSE;
    if (rc != -EADDRINUSE)
        return rc;
    *err = (struct err){ 0 };
    return member_start_at(m, "127.0.0.1:0", err);
}

static bool publish_files(void *arg, struct span files)
{
    const struct member *m = arg;
    return m->session && node_publish(session_node(m->session), (uint32_t)geteuid(),
                                      SPAN(PROVENANCE_EVENT), files) == 0;
}

/* Of several nodes on this machine one reads. */
static int member_provenance(struct member *m)
{
    const struct invitation *in = &m->invitation;
    bool is_local = span_starts(span_of(in->session.address), "127.");
    struct provenance_opts opts = {
        .run = { .root = "", .id = in->id, .uid = geteuid() },
        .names = { .home = getenv("HOME"), .prefixes = in->provenance },
        .host = hostset_at(m->plan.hosts, m->plan.rank),
        .agent = in->agent,
        .publish = publish_files,
        .arg = m,
    };
    if (!in->provenance_key || !*in->provenance_key || !in->id ||
        (is_local && m->plan.rank > 1))
        return 0;
    int rc = owner_key_parse(span_of(in->provenance_key), opts.names.key);
    return rc < 0 ? rc : provenance_new(&opts, &m->provenance);
}

static int member_open(struct member *m, struct err *err)
{
    struct session_opts *opts = &m->invitation.session;
    struct plugins_opts *plugins = &m->invitation.plugins;
    find_own_host(opts);
    opts->identities = "none"; /* as at the control node */
    plugins->host = helper_find(plugins->host, m->host_program);
    int rc = session_plan_make(opts, &m->plan, err);
    if (rc == 0 && m->plan.rank == 0)
        rc = err_set(err, EINVAL, "rank 0 is that of the program that started this");
    if (rc == 0 && plugins_are_configured(plugins))
        rc = member_plugins_new(plugins, hostset_at(m->plan.hosts, m->plan.rank),
                                &m->plugins);
    if (rc == 0)
        rc = member_provenance(m);
    return rc == 0 ? member_start(m, err) : rc;
}

static void member_close(struct member *m)
{
    session_stop(m->session);
    site_watch_free(m->watch);
    provenance_free(m->provenance);
    member_plugins_free(m->plugins);
    session_plan_done(&m->plan);
    invitation_done(&m->invitation);
}

/* ---- until the end ---- */

/* The pipe's other end is held by the run alone. */
static bool has_ended(int fd, int wait_ms)
{
    char rest[256];
    struct pollfd poll_fd = { fd, POLLIN, 0 };
    if (poll(&poll_fd, 1, wait_ms) <= 0)
        return false;
    ssize_t size = read(fd, rest, sizeof rest);
    return size == 0 || (size < 0 && errno != EINTR && errno != EAGAIN);
}

static void member_stay(struct member *m, int fd)
{
    int64_t heartbeat_ns = m->invitation.session.heartbeat_ns;
    int64_t heard_ns = clock_steady_ns();
    int wait_ms = (int)(heartbeat_ns / NS_PER_MS);
    while (!has_ended(fd, wait_ms)) {
        struct session_node_stats stats;
        session_stats(m->session, &stats);
        int64_t now_ns = clock_steady_ns();
        if (stats.parent_rank >= 0)
            heard_ns = now_ns;
        if (now_ns - heard_ns > HEARTBEATS_ALONE * heartbeat_ns)
            return;
    }
}

int session_member_run(int fd, struct err *err)
{
    struct member member = { .plan = { 0 } };
    int rc = invitation_read(fd, &member.invitation, err);
    if (rc == 0)
        rc = member_open(&member, err);
    if (rc == 0)
        member_stay(&member, fd);
    member_close(&member);
    return rc;
}
