/* SPDX-License-Identifier: Apache-2.0 */
/* session - the session over REST. */
#include "api/session/session.h"

#include "api/session/event_log.h"
#include "api/session/node_query.h"
#include "api/session/publication.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "base/timetext.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#define WAITERS_MAX 64
#define QUERIES_MAX 8
#define CHECK_MS 100 /* how often for those whose time is over */
#define IDLE_MS 1000 /* how often where nothing waits: for who is online */
#define RESPONSE_NS (2 * NS_PER_S)
#define WAIT_NS_MAX (60 * NS_PER_S)
#define EVENTS_DEFAULT 100
#define EVENTS_AT_ONCE 1000

/* A deferred request for events that have not come yet. */
struct waiter {
    struct net_request *request;
    struct event_id after;
    uint64_t limit;
    int64_t due_ns; /* steady */
};

/* A deferred request for the numbers of nodes. */
struct pending_query {
    struct net_request *request;
    int64_t due_ns; /* steady; once it is sent */
    struct node_query query;
};

/* The last epoch that was closed. */
struct last_result {
    struct session_instant at; /* epoch 0: none yet */
    uint64_t late;
    struct rank_set contributed, missing;
};

struct session_view {
    const struct session_opts *opts;
    struct session_plan plan;
    uv_async_t wake;
    /* The session's thread alone has these: */
    struct session *session; /* NULL: it has not begun */
    uv_timer_t timer;
    struct pending_query *sent[QUERIES_MAX];
    size_t sent_count;
    pthread_mutex_t lock; /* of all below */
    bool is_running, is_stopped;
    uint64_t query_number;
    struct rank_set online;
    struct last_result last;
    struct event_log log;
    struct waiter waiters[WAITERS_MAX];
    size_t waiter_count;
    struct pending_query *queries[QUERIES_MAX]; /* that are not sent yet */
    size_t query_count;
    size_t slot_count; /* of queries that are not sent, or are */
    struct publication *publications[PUBLICATIONS_MAX]; /* their requests' */
    size_t publication_count;
};

/* ---- responses ---- */

static void reply_table(struct net_request *request, struct table *table)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    table_to_json(table, &out);
    if (table_error(table) < 0 || strbuf_error(&out) < 0)
        net_reply_error(request, -ENOMEM, NULL);
    else
        net_reply_json(request, 200, &out);
}

static void reply_ended(struct net_request *request)
{
    net_reply_problem(request, 503, "barod is not in the session now");
}

/* The caller has the lock, and replies without it. */
static void fill_events(const struct session_view *view, const struct waiter *waiter,
                        struct table *ret)
{
    event_log_table(&view->log, waiter->after, waiter->limit, view->plan.hosts, ret);
}

static void reply_nodes(const struct session_view *view,
                        const struct pending_query *pending)
{
    AUTO(table_done) struct table table;
    table_init(&table);
    node_query_table(&pending->query, view->plan.hosts, &table);
    reply_table(pending->request, &table);
}

/* false: an unknown parameter was refused. */
static bool has_known_parameters(struct net_request *request, const char *const *known)
{
    struct span name, value;
    for (size_t i = 0; net_request_query_at(request, i, &name, &value); i++) {
        size_t k = 0;
        while (known[k] && !span_is(name, known[k]))
            k++;
        if (!known[k]) {
            struct err err = { 0 };
            int rc = err_set(&err, EINVAL, "there is no parameter '%.*s'",
                             (int)(name.size < 40 ? name.size : 40), name.data);
            net_reply_error(request, rc, &err);
            return false;
        }
    }
    return true;
}

/* ---- GET /v1/session ---- */

static void print_hosts(const struct rank_set *ranks, const struct hostset *hosts,
                        struct strbuf *out)
{
    AUTO(strbuf_done) struct strbuf list = STRBUF_INIT;
    AUTO(hostset_free) struct hostset *set = NULL;
    for (size_t i = 0; i < ranks->count; i++)
        for (uint32_t r = ranks->ranges[i].first; r <= ranks->ranges[i].last; r++)
            strbuf_addf(&list, "%s%s", list.size > 0 ? "," : "", hostset_at(hosts, r));
    if (list.size > 0 && hostset_parse(strbuf_span(&list), &set, NULL) == 0)
        hostset_print(set, out);
}

static void add_state(struct table *t, const char *name, const struct rank_set *ranks,
                      const struct hostset *hosts)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    print_hosts(ranks, hosts, &text);
    table_add_row(t);
    table_set_text(t, 0, span_of(name));
    table_set_u64(t, 1, rank_set_size(ranks));
    if (text.size > 0)
        table_set_text(t, 2, strbuf_span(&text));
}

struct overview {
    struct rank_set online, absent;
    struct last_result last;
};

static void overview_done(struct overview *o)
{
    rank_set_done(&o->online);
    rank_set_done(&o->absent);
    rank_set_done(&o->last.contributed);
    rank_set_done(&o->last.missing);
}
DEFINE_AUTO_DONE(struct overview, overview_done);

static int overview_get(struct session_view *view, struct overview *ret)
{
    uint32_t size = (uint32_t)hostset_count(view->plan.hosts);
    LOCKED(&view->lock);
    ret->last.at = view->last.at;
    ret->last.late = view->last.late;
    int rc = rank_set_copy(&ret->online, &view->online);
    if (rc == 0)
        rc = rank_set_copy(&ret->last.contributed, &view->last.contributed);
    if (rc == 0)
        rc = rank_set_copy(&ret->last.missing, &view->last.missing);
    if (rc == 0)
        rc = rank_set_add(&ret->absent, 0, size - 1);
    return rc < 0 ? rc : rank_set_subtract(&ret->absent, &ret->online);
}

static void add_epoch(struct table *t, const struct session_view *view,
                      const struct last_result *last)
{
    char when[TIMETEXT_SIZE], period[32];
    table_add_note(t, "Session %s of %zu nodes; this is rank %" PRIu32 ".",
                   view->opts->name, hostset_count(view->plan.hosts), view->plan.rank);
    if (last->at.epoch == 0) {
        table_add_note(t, view->plan.rank == 0
                              ? "No epoch has ended yet."
                              : "The control node, rank 0, knows who contributed.");
        return;
    }
    timetext_print(when, last->at.instant_ns);
    number_print_duration(period, sizeof period, last->at.period_ns);
    table_add_note(t,
                   "Epoch %" PRIu64 " of incarnation %" PRIu64 ", at %s, every %s; "
                   "contributions of earlier epochs that came too late: %" PRIu64 ".",
                   last->at.epoch, last->at.incarnation, when, period, last->late);
}

static void handle_session(void *arg, struct net_request *request)
{
    struct session_view *view = arg;
    AUTO(overview_done) struct overview overview = { 0 };
    AUTO(table_done) struct table table;
    table_init(&table);
    if (!has_known_parameters(request, (const char *const[]){ NULL }))
        return;
    if (overview_get(view, &overview) < 0) {
        net_reply_error(request, -ENOMEM, NULL);
        return;
    }
    table_add_column(&table, "state", TABLE_TEXT, "");
    table_add_column(&table, "nodes", TABLE_U64, "");
    table_add_column(&table, "hosts", TABLE_TEXT, "");
    add_state(&table, "online", &overview.online, view->plan.hosts);
    add_state(&table, "absent", &overview.absent, view->plan.hosts);
    if (overview.last.at.epoch > 0) {
        add_state(&table, "contributed", &overview.last.contributed, view->plan.hosts);
        add_state(&table, "missing", &overview.last.missing, view->plan.hosts);
    }
    add_epoch(&table, view, &overview.last);
    reply_table(request, &table);
}

/* ---- GET /v1/session/nodes ---- */

/* All of the session where no host is named. */
static int choose_nodes(const struct session_view *view, struct span text,
                        struct node_query *query, struct err *err)
{
    AUTO(hostset_free) struct hostset *wanted = NULL;
    int rc = text.size > 0 ? hostset_parse(text, &wanted, err) : 0;
    if (rc < 0)
        return err_prefix(err, rc, "host");
    for (uint32_t r = 0; r < hostset_count(view->plan.hosts); r++) {
        if (wanted && !hostset_has(wanted, span_of(hostset_at(view->plan.hosts, r))))
            continue;
        if (query->count == NODE_QUERY_HOSTS_MAX)
            query->cut++;
        else
            query->responses[query->count++].rank = r;
    }
    if (query->count == 0)
        return err_set(err, ENOENT, "no node of the session is among '%.*s'",
                       (int)(text.size < 200 ? text.size : 200), text.data);
    return 0;
}

/* Errors: -EAGAIN (there are as many as can wait), -ESHUTDOWN. */
static int nodes_defer(struct session_view *view, struct pending_query *pending)
{
    LOCKED(&view->lock);
    if (!view->is_running || view->is_stopped)
        return -ESHUTDOWN;
    if (view->slot_count == QUERIES_MAX)
        return -EAGAIN;
    view->slot_count++;
    pending->query.number = ++view->query_number;
    view->queries[view->query_count++] = pending;
    net_request_defer(pending->request);
    (void)uv_async_send(&view->wake);
    return 0;
}

static void handle_nodes(void *arg, struct net_request *request)
{
    struct session_view *view = arg;
    struct err err = { 0 };
    if (!has_known_parameters(request, (const char *const[]){ "host", NULL }))
        return;
    struct pending_query *pending = calloc(1, sizeof *pending);
    if (!pending) {
        net_reply_error(request, -ENOMEM, NULL);
        return;
    }
    pending->request = request;
    int rc =
        choose_nodes(view, net_request_query(request, "host"), &pending->query, &err);
    if (rc == 0)
        rc = nodes_defer(view, pending);
    if (rc == 0)
        return;
    free(pending);
    if (rc == -ESHUTDOWN)
        reply_ended(request);
    else
        net_reply_error(request, rc, &err);
}

/* ---- GET /v1/events ---- */

static int events_params(struct net_request *request, struct waiter *ret,
                         struct err *err)
{
    struct span after = net_request_query(request, "after");
    struct span limit = net_request_query(request, "limit");
    struct span wait = net_request_query(request, "wait");
    int64_t wait_ns = 0;
    *ret = (struct waiter){ .request = request, .limit = EVENTS_DEFAULT };
    if (after.data && event_id_parse(after, &ret->after) < 0)
        return err_set(err, EINVAL,
                       "after: wants an id as in a response, such as 3.17");
    if (limit.data && (number_parse_u64(limit, &ret->limit) < 0 || ret->limit == 0 ||
                       ret->limit > EVENTS_AT_ONCE))
        return err_set(err, EINVAL, "limit: wants a number from 1 to %d",
                       EVENTS_AT_ONCE);
    if (wait.data && (number_parse_duration(wait, &wait_ns) < 0 || wait_ns < 0 ||
                      wait_ns > WAIT_NS_MAX))
        return err_set(err, EINVAL, "wait: wants a duration of at most 60s");
    ret->due_ns = wait_ns > 0 ? clock_steady_ns() + wait_ns : 0;
    return 0;
}

enum events_step { EVENTS_NOW, EVENTS_LATER, EVENTS_ENDED, EVENTS_FULL };

static enum events_step events_or_wait(struct session_view *view,
                                       const struct waiter *waiter, struct table *ret)
{
    LOCKED(&view->lock);
    if (waiter->due_ns == 0 || event_log_has(&view->log, waiter->after)) {
        fill_events(view, waiter, ret);
        return EVENTS_NOW;
    }
    if (!view->is_running || view->is_stopped)
        return EVENTS_ENDED;
    if (view->waiter_count == WAITERS_MAX)
        return EVENTS_FULL;
    net_request_defer(waiter->request);
    view->waiters[view->waiter_count++] = *waiter;
    (void)uv_async_send(&view->wake);
    return EVENTS_LATER;
}

static void handle_events(void *arg, struct net_request *request)
{
    struct session_view *view = arg;
    struct waiter waiter;
    struct err err = { 0 };
    AUTO(table_done) struct table table;
    table_init(&table);
    static const char *const known[] = { "after", "limit", "wait", NULL };
    if (!has_known_parameters(request, known))
        return;
    int rc = events_params(request, &waiter, &err);
    if (rc < 0) {
        net_reply_error(request, rc, &err);
        return;
    }
    switch (events_or_wait(view, &waiter, &table)) {
    case EVENTS_NOW:
        reply_table(request, &table);
        break;
    case EVENTS_LATER:
        break;
    case EVENTS_ENDED:
        reply_ended(request);
        break;
    case EVENTS_FULL:
        net_reply_problem(request, 503, "as many as can wait for events do so");
        break;
    }
}

/* ---- POST /v1/events ---- */

/* Errors: -EAGAIN (there are as many as can wait), -ESHUTDOWN. */
static int publish_defer(struct session_view *view, struct net_request *request,
                         struct publication *publication)
{
    LOCKED(&view->lock);
    if (!view->is_running || view->is_stopped)
        return -ESHUTDOWN;
    if (view->publication_count == PUBLICATIONS_MAX)
        return -EAGAIN;
    net_request_defer(request);
    publication->request = request;
    view->publications[view->publication_count++] = publication;
    (void)uv_async_send(&view->wake);
    return 0;
}

static void handle_publish(void *arg, struct net_request *request)
{
    struct publication *publication = net_request_state(request);
    if (!publication) {
        net_reply_problem(request, 400, "a body is wanted: the event's payload");
        return;
    }
    struct err err = { 0 };
    int rc = publication_check(publication, request, &err);
    if (rc < 0) {
        net_reply_error(request, rc, &err);
        return;
    }
    rc = publish_defer(arg, request, publication);
    if (rc == -ESHUTDOWN)
        reply_ended(request);
    else if (rc < 0)
        net_reply_problem(request, 503, "as many events as can wait do so");
}

/* ---- on the session's thread ---- */

static bool is_published(struct session_view *view, const struct publication *p)
{
    LOCKED(&view->lock);
    return p->is_once && event_log_has_like(&view->log, p->name,
                                            (struct span){ p->payload, p->size });
}

/* Not under the lock: the control node's events come back at once. */
static void publish_all(struct session_view *view)
{
    struct session_node *node = session_node(view->session);
    struct publication *publications[PUBLICATIONS_MAX];
    size_t count;
    {
        LOCKED(&view->lock);
        count = view->publication_count;
        memcpy(publications, view->publications, count * sizeof(struct publication *));
        view->publication_count = 0;
    }
    for (size_t i = 0; i < count; i++)
        if (is_published(view, publications[i]))
            net_reply(publications[i]->request, 202, NULL, NULL);
        else
            publication_make(publications[i], node);
}

/* Responses of this very node come from inside node_query_send(). */
static void on_response(void *arg, const struct session_request *response)
{
    struct session_view *view = arg;
    for (size_t i = 0; i < view->sent_count; i++)
        if (node_query_receive(&view->sent[i]->query, response))
            return;
}

/* The caller has the lock. */
static void queries_accept(struct session_view *view)
{
    for (size_t i = 0; i < view->query_count; i++)
        view->sent[view->sent_count++] = view->queries[i];
    view->query_count = 0;
}

/* Not under the lock: a frame may be sent, and this node's own response comes back at
 * once. */
static void queries_send(struct session_view *view, int64_t now_ns)
{
    size_t first = view->sent_count;
    {
        LOCKED(&view->lock);
        queries_accept(view);
    }
    for (size_t i = first; i < view->sent_count; i++) {
        view->sent[i]->due_ns = now_ns + RESPONSE_NS;
        node_query_send(&view->sent[i]->query, session_node(view->session));
    }
}

static void query_free(struct session_view *view, struct pending_query *pending)
{
    LOCKED(&view->lock);
    view->slot_count--;
    free(pending);
}

/* Those that are complete, or whose time is over. */
static void queries_check(struct session_view *view, int64_t now_ns)
{
    size_t left = 0;
    for (size_t i = 0; i < view->sent_count; i++) {
        struct pending_query *pending = view->sent[i];
        if (pending->query.due_count > 0 && now_ns < pending->due_ns) {
            view->sent[left++] = pending;
            continue;
        }
        reply_nodes(view, pending);
        query_free(view, pending);
    }
    view->sent_count = left;
}

/* Remove the next one that can be replied to, with its events.  false: there is none.
 */
static bool waiter_next(struct session_view *view, int64_t now_ns, size_t *at,
                        struct net_request **ret, struct table *ret_table)
{
    LOCKED(&view->lock);
    for (; *at < view->waiter_count; ++*at) {
        const struct waiter waiter = view->waiters[*at];
        if (!event_log_has(&view->log, waiter.after) && now_ns < waiter.due_ns &&
            !net_request_is_gone(waiter.request))
            continue;
        fill_events(view, &waiter, ret_table);
        view->waiters[*at] = view->waiters[--view->waiter_count];
        *ret = waiter.request;
        return true;
    }
    return false;
}

static void waiters_check(struct session_view *view, int64_t now_ns)
{
    size_t at = 0;
    bool is_more = true;
    while (is_more) {
        AUTO(table_done) struct table table;
        struct net_request *request = NULL;
        table_init(&table);
        is_more = waiter_next(view, now_ns, &at, &request, &table);
        if (is_more)
            reply_table(request, &table);
    }
}

/* What waits gets 503: only this thread replies to what was deferred, and no other
 * frees what it reads. */
static void end_all(struct session_view *view)
{
    struct net_request *requests[WAITERS_MAX + PUBLICATIONS_MAX];
    size_t count = 0;
    {
        LOCKED(&view->lock);
        for (size_t i = 0; i < view->waiter_count; i++)
            requests[count++] = view->waiters[i].request;
        for (size_t i = 0; i < view->publication_count; i++)
            requests[count++] = view->publications[i]->request;
        view->waiter_count = view->publication_count = 0;
        queries_accept(view);
    }
    for (size_t i = 0; i < count; i++)
        reply_ended(requests[i]);
    for (size_t i = 0; i < view->sent_count; i++) {
        reply_ended(view->sent[i]->request);
        query_free(view, view->sent[i]);
    }
    view->sent_count = 0;
}

/* A node below the control node gets who is online from its parent, without events. */
static void online_copy(struct session_view *view)
{
    LOCKED(&view->lock);
    (void)rank_set_copy(&view->online, node_online(session_node(view->session)));
}

static uint64_t check_ms(struct session_view *view)
{
    LOCKED(&view->lock);
    return view->slot_count > 0 || view->waiter_count > 0 ? CHECK_MS : IDLE_MS;
}

static bool is_to_end(struct session_view *view)
{
    LOCKED(&view->lock);
    return view->is_stopped;
}

static void waiting_check(struct session_view *view);

static void on_check_due(uv_timer_t *timer)
{
    online_copy(timer->data);
    waiting_check(timer->data);
}

static void waiting_check(struct session_view *view)
{
    int64_t now_ns = clock_steady_ns();
    if (is_to_end(view)) {
        end_all(view);
        return;
    }
    publish_all(view);
    queries_send(view, now_ns);
    queries_check(view, now_ns);
    waiters_check(view, now_ns);
    uint64_t ms = check_ms(view);
    if (uv_timer_get_repeat(&view->timer) != ms)
        (void)uv_timer_start(&view->timer, on_check_due, ms, ms);
}

static void on_wake(uv_async_t *wake)
{
    waiting_check(wake->data);
}

/* What can fail comes first: nothing closes handles of a view that has not begun. */
int session_view_begin(void *arg, struct session *session, struct uv_loop_s *loop)
{
    struct session_view *view = arg;
    {
        LOCKED(&view->lock);
        int rc = rank_set_copy(&view->online, node_online(session_node(session)));
        if (rc < 0)
            return rc;
    }
    int rc = uv_async_init(loop, &view->wake, on_wake);
    if (rc < 0)
        return rc;
    (void)uv_timer_init(loop, &view->timer); /* never fails */
    view->wake.data = view->timer.data = view;
    (void)uv_timer_start(&view->timer, on_check_due, IDLE_MS, IDLE_MS);
    view->session = session;
    node_on_response(session_node(session), on_response, view);
    LOCKED(&view->lock);
    view->is_running = true;
    return 0;
}

void session_view_end(void *arg)
{
    struct session_view *view = arg;
    {
        LOCKED(&view->lock);
        view->is_running = false;
    }
    end_all(view);
    uv_close((uv_handle_t *)&view->wake, NULL);
    uv_close((uv_handle_t *)&view->timer, NULL);
}

void session_view_result(void *arg, const struct session_result *result)
{
    struct session_view *view = arg;
    LOCKED(&view->lock);
    view->last.at = result->at;
    view->last.late = result->late;
    /* Memory that is out leaves a shorter set; the next result is whole again. */
    (void)rank_set_copy(&view->last.contributed, &result->bundle->ranks);
    (void)rank_set_copy(&view->last.missing, result->missing);
}

void session_view_event(void *arg, const struct session_event *event,
                        const struct session_gap *gap)
{
    struct session_view *view = arg;
    LOCKED(&view->lock);
    if (gap)
        event_log_gap(&view->log, gap);
    else
        (void)event_log_add(&view->log, event); /* its readers see the loss */
    if (!view->session)
        return; /* the control node's own join, before session_view_begin() */
    (void)rank_set_copy(&view->online, node_online(session_node(view->session)));
    if (view->waiter_count > 0)
        (void)uv_async_send(&view->wake);
}

/* ---- the door ---- */

int session_view_new(const struct session_opts *opts, struct session_view **ret,
                     struct err *err)
{
    AUTO(session_view_free) struct session_view *view = calloc(1, sizeof *view);
    if (!view)
        return -ENOMEM;
    view->opts = opts;
    (void)pthread_mutex_init(&view->lock, NULL);
    int rc = session_plan_make(opts, &view->plan, err);
    if (rc == 0)
        *ret = TAKE(view);
    return rc;
}

int session_view_register(struct session_view *view, struct net_server *server)
{
    const struct net_route routes[] = {
        { .method = "GET",
          .pattern = "/v1/session",
          .roles = NET_ROLE_READER,
          .handle = handle_session,
          .arg = view },
        { .method = "GET",
          .pattern = "/v1/session/nodes",
          .roles = NET_ROLE_READER,
          .handle = handle_nodes,
          .arg = view },
        { .method = "GET",
          .pattern = "/v1/events",
          .roles = NET_ROLE_READER,
          .handle = handle_events,
          .arg = view },
        { .method = "POST",
          .pattern = "/v1/events/{name}",
          .is_audited = true,
          .roles = NET_ROLE_AGENT | NET_ROLE_ADMIN,
          .handle = handle_publish,
          .body = &publication_body,
          .arg = view },
    };
    int rc = 0;
    for (size_t i = 0; i < COUNT_OF(routes) && rc == 0; i++)
        rc = net_server_add_route(server, &routes[i]);
    return rc;
}

void session_view_stop(struct session_view *view)
{
    if (!view)
        return;
    LOCKED(&view->lock);
    view->is_stopped = true;
    if (view->is_running)
        (void)uv_async_send(&view->wake);
}

void session_view_free(struct session_view *view)
{
    if (!view)
        return;
    event_log_done(&view->log);
    rank_set_done(&view->online);
    rank_set_done(&view->last.contributed);
    rank_set_done(&view->last.missing);
    session_plan_done(&view->plan);
    (void)pthread_mutex_destroy(&view->lock);
    free(view);
}
