/* SPDX-License-Identifier: Apache-2.0 */
/* session - a set of nodes with one control node, joined in a tree. */
#include "session/session.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "base/system/clock_alarm.h"
#include "session/incarnation.h"
#include "session/link.h"
#include "session/listener.h"

#include <openssl/rand.h>
#include <uv.h>

#define ACCEPTED_MAX 16

struct session {
    const struct session_opts *opts;
    struct session_plan plan;
    struct session_tls *tls;           /* NULL: unix sockets */
    struct session_identity *identity; /* NULL: there are none */
    struct session_node *node;
    struct link_opts links;
    uv_loop_t loop;
    uv_async_t stopping;
    uv_timer_t timer;
    uv_poll_t alarm_poll;
    uv_prepare_t prepare;
    struct clock_alarm alarm;
    int64_t alarm_ns;
    struct session_listener listener;
    uv_thread_t thread;
    struct session_callbacks callbacks;
    unsigned accepted; /* since the loop last waited */
    bool is_accept_waiting;
    bool has_loop, has_thread, has_begun;
    pthread_mutex_t lock; /* of stats */
    struct session_node_stats stats;
};

/* ---- the transport of the node ---- */

static int connect_rank(void *arg, uint32_t rank, struct session_peer *peer,
                        void **ret_link)
{
    struct session *s = arg;
    AUTO(strbuf_done) struct strbuf address = STRBUF_INIT;
    struct session_link *link = NULL;
    session_address_print(s->opts, &s->plan, rank, &address);
    int rc = link_connect(&s->links, strbuf_text(&address), peer, &link);
    if (rc == 0)
        link_set_limit(link, SESSION_BODY_MAX); /* the peer has the key */
    if (rc == 0)
        *ret_link = link;
    return rc;
}

static int send_frame(void *link, uint8_t type, struct span body)
{
    return link_send(link, type, body);
}

static void admit_link(void *link)
{
    link_set_limit(link, SESSION_BODY_MAX);
}

static void close_link(void *link)
{
    link_close(link);
}

static bool is_link_ready(void *link)
{
    return link_is_ready(link);
}

static bool is_link_proven(void *link)
{
    return link_is_proven(link);
}

static uint64_t source_of_link(void *link)
{
    return link_source(link);
}

static int exporter_of_link(void *link, uint8_t ret[static IDENTITY_EXPORTER_BYTES])
{
    return link_exporter(link, ret);
}

static void on_opened(void *owner)
{
    node_connected(owner);
}

static void on_frame(void *owner, uint8_t type, struct span body)
{
    node_frame(owner, type, body);
}

static void on_link_closed(void *owner, const char *reason)
{
    node_closed(owner, reason);
}

static void on_drained(void *owner)
{
    node_drained(owner);
}

static void on_acknowledge(void *owner)
{
    node_acknowledge(owner);
}

static const struct link_events link_events = {
    on_opened, on_frame, on_link_closed, on_drained, on_acknowledge,
};

/* A flood of connections must not delay what the others send, nor the instant: some are
 * accepted, then all that is ready is looked at. */
static void on_connection(uv_stream_t *listener, int status)
{
    struct session *s = listener->data;
    struct session_link *link = NULL;
    if (status < 0)
        return;
    if (s->accepted >= ACCEPTED_MAX) {
        s->is_accept_waiting =
            true; /* until it is accepted libuv does not call again */
        return;
    }
    s->accepted++;
    if (link_accept(&s->links, listener, &link) < 0)
        return;
    struct session_peer *peer = node_accepted(s->node, link);
    if (peer)
        link_set_owner(link, peer);
    else
        link_close(link);
}

/* ---- time ---- */

static void on_timer_due(uv_timer_t *timer)
{
    struct session *s = timer->data;
    node_run(s->node);
}

/* Before the loop waits: when it is to wake. */
static void set_due(struct session *s)
{
    int64_t due_ns = node_due_ns(s->node), steady_ns = node_due_steady_ns(s->node);
    int64_t wait_ms = clock_steady_wait_ms(steady_ns);
    if (due_ns != s->alarm_ns && due_ns)
        (void)clock_alarm_set(&s->alarm, due_ns);
    s->alarm_ns = due_ns;
    if (steady_ns == INT64_MAX)
        (void)uv_timer_stop(&s->timer);
    else
        (void)uv_timer_start(&s->timer, on_timer_due, (uint64_t)wait_ms, 0);
}

static void on_prepare(uv_prepare_t *prepare)
{
    struct session *s = prepare->data;
    struct session_node_stats stats;
    uv_update_time(&s->loop);
    s->accepted = 0;
    if (s->is_accept_waiting) {
        s->is_accept_waiting = false;
        on_connection(&s->listener.stream, 0);
    }
    set_due(s);
    node_stats(s->node, &stats);
    LOCKED(&s->lock);
    s->stats = stats;
}

static void on_alarm(uv_poll_t *poll, int status, int events)
{
    struct session *s = poll->data;
    (void)status;
    (void)events;
    if (clock_alarm_check(&s->alarm)) {
        s->alarm_ns = 0;
        node_run(s->node);
    }
}

/* ---- start and stop ---- */

static void on_stopping(uv_async_t *async)
{
    uv_stop(async->loop);
}

static void run_thread(void *arg)
{
    struct session *s = arg;
    node_run(s->node);
    (void)uv_run(&s->loop, UV_RUN_DEFAULT);
}

static int open_handles(struct session *s)
{
    int rc = clock_alarm_open(&s->alarm);
    if (rc == 0)
        rc = uv_loop_init(&s->loop);
    if (rc < 0)
        return rc;
    s->has_loop = true;
    rc = uv_async_init(&s->loop, &s->stopping, on_stopping);
    if (rc == 0)
        rc = uv_poll_init(&s->loop, &s->alarm_poll, s->alarm.fd);
    if (rc < 0)
        return rc;
    (void)uv_timer_init(&s->loop, &s->timer);
    (void)uv_prepare_init(&s->loop, &s->prepare);
    s->timer.data = s->prepare.data = s->alarm_poll.data = s;
    (void)uv_prepare_start(&s->prepare, on_prepare);
    return uv_poll_start(&s->alarm_poll, UV_READABLE, on_alarm);
}

static int read_key(struct session *s, struct err *err)
{
    AUTO(session_key_done) struct session_key key = { { 0 } };
    if (s->plan.is_unix)
        return 0;
    int rc = s->opts->key ? 0 : session_key_read(s->opts->key_file, &key, err);
    if (rc == 0)
        rc = session_tls_new(s->opts->key ? s->opts->key : &key, s->opts->name, &s->tls,
                             err);
    return err_prefix(err, rc, "session.key_file");
}

static int make_node(struct session *s, const struct session_callbacks *callbacks,
                     struct err *err)
{
    struct session_node_opts opts = {
        .opts = s->opts,
        .plan = &s->plan,
        .transport = { s, connect_rank, send_frame, close_link, admit_link,
                       is_link_ready, is_link_proven, source_of_link,
                       exporter_of_link },
        .callbacks = *callbacks,
        .identity = s->identity,
    };
    if (s->identity)
        opts.boot = (uint64_t)clock_now_ns();
    else if (RAND_bytes((unsigned char *)&opts.boot, sizeof opts.boot) != 1)
        return err_set(err, EIO, "session: there are no random bytes");
    int rc = 0;
    if (s->plan.rank == 0)
        rc = incarnation_next(s->opts->state, s->opts->name, &opts.incarnation, err);
    return rc < 0 ? rc : node_new(&opts, &s->node);
}

/* A leaf listens, too: the tree may be another one after the next start. */
static int listen_for_children(struct session *s, struct err *err)
{
    AUTO(strbuf_done) struct strbuf address = STRBUF_INIT;
    if (s->opts->listen && *s->opts->listen)
        strbuf_adds(&address, s->opts->listen);
    else
        session_address_print(s->opts, &s->plan, s->plan.rank, &address);
    return session_listen(&s->listener, &s->loop, strbuf_text(&address), 0600,
                          on_connection, s, err);
}

static int begin_callbacks(struct session *s, const struct session_callbacks *callbacks)
{
    s->callbacks = *callbacks;
    int rc = callbacks->begin ? callbacks->begin(callbacks->arg, s, &s->loop) : 0;
    s->has_begun = rc == 0;
    return rc;
}

int session_start(const struct session_opts *opts,
                  const struct session_callbacks *callbacks, struct session **ret,
                  struct err *err)
{
    AUTO(session_stop) struct session *s = calloc(1, sizeof *s);
    if (!s)
        return -ENOMEM;
    s->opts = opts;
    s->alarm.fd = -1;
    (void)pthread_mutex_init(&s->lock, NULL);
    int rc = session_plan_make(opts, &s->plan, err);
    if (rc == 0)
        rc = read_key(s, err);
    if (rc == 0 && s->plan.has_identities)
        rc = identity_open(opts, &s->plan, &s->identity, err);
    if (rc == 0)
        rc = open_handles(s);
    s->links = (struct link_opts){ .loop = &s->loop,
                                   .tls = s->tls,
                                   .events = &link_events,
                                   .queue_bytes_max = opts->queue_bytes_max };
    if (rc == 0)
        rc = make_node(s, callbacks, err);
    if (rc == 0)
        rc = listen_for_children(s, err);
    if (rc == 0)
        rc = begin_callbacks(s, callbacks);
    if (rc == 0)
        rc = uv_thread_create(&s->thread, run_thread, s);
    if (rc < 0)
        return err && err->text[0] ? rc
                                   : err_set(err, -rc, "session: %s", strerror(-rc));
    s->has_thread = true;
    *ret = TAKE(s);
    return 0;
}

/* Links close themselves; all else only has to be closed: handles of this file, and
 * what callbacks left that did not begin. */
static void close_handle(uv_handle_t *handle, void *arg)
{
    (void)arg;
    if (uv_is_closing(handle))
        return;
    struct session_link *link = link_of_handle(handle);
    if (link)
        link_close(link);
    else
        uv_close(handle, NULL);
}

void session_stop(struct session *s)
{
    if (!s)
        return;
    if (s->has_thread) {
        (void)uv_async_send(&s->stopping);
        (void)uv_thread_join(&s->thread);
    }
    if (s->has_begun && s->callbacks.end)
        s->callbacks.end(s->callbacks.arg);
    if (s->has_loop) {
        uv_walk(&s->loop, close_handle, NULL);
        (void)uv_run(&s->loop, UV_RUN_DEFAULT);
        (void)uv_loop_close(&s->loop);
    }
    node_free(s->node);
    identity_free(s->identity);
    clock_alarm_done(&s->alarm);
    session_tls_free(s->tls);
    session_plan_done(&s->plan);
    (void)pthread_mutex_destroy(&s->lock);
    free(s);
}

struct session_node *session_node(struct session *session)
{
    return session->node;
}

void session_stats(struct session *session, struct session_node_stats *ret)
{
    LOCKED(&session->lock);
    *ret = session->stats;
}
