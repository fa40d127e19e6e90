/* SPDX-License-Identifier: Apache-2.0 */
/* succession - a spare replaces a rank that is lost or condemned, and all learn of it.
 */
#include "jobsession/succession.h"

#include "base/json_writer.h"
#include "base/log.h"
#include "base/number.h"
#include "base/span.h"

#include <uv.h>

#define QUERY_NS_MIN (500 * NS_PER_MS)
#define QUERY_NS_MAX (10 * NS_PER_S)
#define AGAIN_MS 1000

struct succession {
    struct succession_opts opts;
    struct site_health *health; /* NULL: the site's does not count */
    struct session *session;
    uv_async_t wake;
    uv_timer_t again;     /* memory was out */
    bool is_idle_due;     /* the session's thread: who is idle is to be set */
    pthread_mutex_t lock; /* of what follows */
    bool is_open;         /* wake is */
    struct spares *spares;
};

int succession_check_condemn(const char *condemn, struct err *err)
{
    static const char *const healths[] = { "down", "degraded", "none" };
    for (size_t i = 0; i < COUNT_OF(healths); i++)
        if (strcmp(healths[i], condemn) == 0)
            return 0;
    return err_set(err, EINVAL,
                   "--condemn: invalid value '%s' (choose down, degraded, none)",
                   condemn);
}

int succession_new(const struct succession_opts *opts, struct succession **ret,
                   struct err *err)
{
    struct succession *s = calloc(1, sizeof *s);
    if (!s)
        return -ENOMEM;
    s->opts = *opts;
    (void)pthread_mutex_init(&s->lock, NULL);
    size_t count = hostset_count(opts->hosts);
    int rc = spares_new((uint32_t)count, opts->spares, &s->spares);
    if (rc == -EINVAL)
        rc = err_set(err, EINVAL, "--spare: of %zu nodes at most %zu can be spares",
                     count, count - 1);
    if (rc < 0)
        succession_free(s);
    else
        *ret = s;
    return rc;
}

void succession_free(struct succession *s)
{
    if (!s || !succession_stop(s)) /* a thread that hangs has it */
        return;
    spares_free(s->spares);
    (void)pthread_mutex_destroy(&s->lock);
    free(s);
}

/* The caller has the lock. */
static void wake_session(struct succession *s)
{
    if (s->is_open)
        (void)uv_async_send(&s->wake);
}

void succession_begun(struct succession *s)
{
    if (!s)
        return;
    LOCKED(&s->lock);
    spares_begin(s->spares);
    wake_session(s);
}

void succession_leave(struct succession *s)
{
    if (!s)
        return;
    LOCKED(&s->lock);
    s->is_open = false;
}

bool succession_stop(struct succession *s)
{
    if (!s)
        return true;
    bool has_ended = site_health_end(s->health);
    if (has_ended)
        s->health = NULL;
    return has_ended;
}

bool succession_is_due(struct succession *s)
{
    if (!s)
        return false;
    LOCKED(&s->lock);
    return s->is_open && spares_are_due(s->spares);
}

/* ---- who works ---- */

static int print_part(const struct hostset *hosts, const struct rank_set *idle,
                      bool is_idle, struct strbuf *out)
{
    AUTO(strbuf_done) struct strbuf list = STRBUF_INIT;
    AUTO(hostset_free) struct hostset *part = NULL;
    for (size_t i = 0; i < hostset_count(hosts); i++)
        if (rank_set_has(idle, (uint32_t)i + 1) == is_idle)
            strbuf_addf(&list, "%s%s", list.size ? "," : "", hostset_at(hosts, i));
    int rc = strbuf_error(&list);
    if (rc == 0)
        rc = hostset_parse(strbuf_span(&list), &part, NULL);
    if (rc < 0)
        return rc;
    strbuf_clear(out);
    hostset_print(part, out);
    return strbuf_error(out);
}

static int copy_idle(struct succession *s, struct rank_set *ret)
{
    LOCKED(&s->lock);
    return spares_idle(s->spares, ret);
}

int succession_print(struct succession *s, struct strbuf *working, struct strbuf *idle)
{
    AUTO(rank_set_done) struct rank_set ranks = { 0 };
    int rc = copy_idle(s, &ranks);
    if (rc == 0)
        rc = print_part(s->opts.hosts, &ranks, false, working);
    return rc < 0 ? rc : print_part(s->opts.hosts, &ranks, true, idle);
}

/* ---- the thread of site_health ---- */

static int on_site_health(void *arg, size_t index, const char *reason)
{
    struct succession *s = arg;
    LOCKED(&s->lock);
    int rc = spares_condemn(s->spares, (uint32_t)index + 1, reason);
    if (rc < 0)
        log_warn("memory is out: %s is judged later", hostset_at(s->opts.hosts, index));
    else
        wake_session(s);
    return rc;
}

/* ---- the session's thread ---- */

/* Its texts are copies: the lock is not held when it is announced. */
struct notice {
    uint32_t lost, successor;
    char reason[RESOURCE_REASON_BYTES_MAX + 32];
};

static bool notice_next(struct succession *s, struct notice *ret)
{
    struct replacement r;
    LOCKED(&s->lock);
    if (!s->is_open || !spares_replace(s->spares, &r))
        return false;
    ret->lost = r.lost;
    ret->successor = r.successor;
    (void)snprintf(ret->reason, sizeof ret->reason, "%s", r.reason);
    return true;
}

static void announce_notice(const struct succession *s, const struct notice *n)
{
    AUTO(strbuf_done) struct strbuf payload = STRBUF_INIT;
    struct json_writer w;
    const char *lost = hostset_at(s->opts.hosts, n->lost - 1);
    const char *successor =
        n->successor ? hostset_at(s->opts.hosts, n->successor - 1) : NULL;
    json_writer_init(&w, &payload);
    json_object(&w);
    json_key(&w, "lost");
    json_text(&w, lost);
    json_key(&w, "spare");
    json_text(&w, successor);
    json_key(&w, "lost_rank");
    json_i64(&w, n->lost);
    if (successor) {
        json_key(&w, "spare_rank");
        json_i64(&w, n->successor);
    }
    json_key(&w, "reason");
    json_text(&w, n->reason);
    json_object_end(&w);
    if (successor)
        log_warn("%s is replaced by the spare %s: %s", lost, successor, n->reason);
    else
        log_warn("%s is not replaced, no spare is left: %s", lost, n->reason);
    int rc = strbuf_error(&payload);
    if (rc == 0)
        rc = node_announce(session_node(s->session),
                           successor ? SPAN("session.replaced")
                                     : SPAN("session.no_spare"),
                           strbuf_span(&payload));
    if (rc < 0)
        log_warn("the session does not hear of it: %s", strerror(-rc));
}

static void on_again(uv_timer_t *again);

/* A set that is not whole would have ranks idle that work: then what was set holds. */
static void set_idle(struct succession *s)
{
    AUTO(rank_set_done) struct rank_set idle = { 0 };
    int rc = copy_idle(s, &idle);
    if (rc == 0)
        rc = node_set_idle(session_node(s->session), &idle);
    s->is_idle_due = rc < 0;
    if (rc == 0)
        return;
    log_warn("memory is out: the spare does not work yet");
    (void)uv_timer_start(&s->again, on_again, AGAIN_MS, 0);
}

static void on_again(uv_timer_t *again)
{
    struct succession *s = again->data;
    if (s->is_idle_due)
        set_idle(s);
}

static void on_succession(uv_async_t *wake)
{
    struct succession *s = wake->data;
    struct notice notice;
    while (notice_next(s, &notice)) {
        if (notice.successor)
            set_idle(s);
        announce_notice(s, &notice);
    }
}

/* Slurm's variable stands in a pattern: what would mean more than one is no name. */
static bool is_cluster_name(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789_-.";
    return name && *name && name[strspn(name, letters)] == '\0';
}

/* Hosts of two clusters may have the same name. */
static int open_health(struct succession *s)
{
    if (strcmp(s->opts.condemn, "none") == 0)
        return 0;
    if (!is_cluster_name(s->opts.cluster)) {
        log_warn("the site condemns no node: SLURM_CLUSTER_NAME %s",
                 s->opts.cluster && *s->opts.cluster ? "is no name of a cluster"
                                                     : "is not set");
        return 0;
    }
    bool is_degraded = strcmp(s->opts.condemn, "degraded") == 0;
    int64_t interval_ns = s->opts.period_ns;
    if (interval_ns > QUERY_NS_MAX)
        interval_ns = QUERY_NS_MAX;
    const struct site_health_opts opts = {
        .endpoint = s->opts.endpoint,
        .hosts = s->opts.hosts,
        .cluster = s->opts.cluster,
        .healths = is_degraded ? "down,degraded" : "down",
        .interval_ns = interval_ns < QUERY_NS_MIN ? QUERY_NS_MIN : interval_ns,
        .changed_fn = on_site_health,
        .arg = s,
    };
    return site_health_open(&opts, &s->health);
}

int succession_start(struct succession *s, struct session *session,
                     struct uv_loop_s *loop)
{
    AUTO(rank_set_done) struct rank_set idle = { 0 };
    s->session = session;
    int rc = spares_idle(s->spares, &idle);
    if (rc == 0)
        rc = node_set_idle(session_node(session), &idle);
    if (rc == 0)
        rc = uv_async_init(loop, &s->wake, on_succession);
    if (rc < 0)
        return rc;
    s->wake.data = s->again.data = s;
    (void)uv_timer_init(loop, &s->again);
    {
        LOCKED(&s->lock);
        s->is_open = true;
    }
    rc = open_health(s);
    if (rc < 0)
        log_warn("the health of nodes is not known from the site: %s", strerror(-rc));
    return 0;
}

/* The same that a query of the site finds (on_site_health), where a node's agent has
 * it.
 */
void succession_health(struct succession *s, uint32_t rank,
                       const struct resource_statement *statement)
{
    char reason[RESOURCE_REASON_BYTES_MAX + 16];
    bool is_condemned = strcmp(s->opts.condemn, "none") != 0 &&
                        (statement->health == RESOURCE_DOWN ||
                         (statement->health == RESOURCE_DEGRADED &&
                          strcmp(s->opts.condemn, "degraded") == 0));
    (void)snprintf(reason, sizeof reason, "%s: " SPAN_FMT,
                   resource_health_name(statement->health),
                   SPAN_ARG(statement->reason));
    if (rank > 0)
        (void)on_site_health(s, rank - 1, is_condemned ? reason : NULL);
}

void succession_event(struct succession *s, const struct session_event *event)
{
    AUTO(rank_set_done) struct rank_set ranks = { 0 };
    bool is_join = span_is(event->name, "session.join");
    if (event->origin != 0 || !(is_join || span_is(event->name, "session.lost")) ||
        members_parse(event->payload, RANKS_MAX, &ranks) < 0)
        return;
    LOCKED(&s->lock);
    for (size_t i = 0; i < ranks.count; i++)
        for (uint32_t r = ranks.ranges[i].first; r <= ranks.ranges[i].last; r++)
            (is_join ? spares_joined : spares_lost)(s->spares, r);
    wake_session(s);
}

void succession_end(struct succession *s)
{
    succession_leave(s);
    uv_close((uv_handle_t *)&s->wake, NULL);
    uv_close((uv_handle_t *)&s->again, NULL);
}

void succession_count(struct succession *s, struct spares_counts *ret)
{
    LOCKED(&s->lock);
    spares_count(s->spares, ret);
}
