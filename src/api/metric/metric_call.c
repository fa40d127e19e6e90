/* SPDX-License-Identifier: Apache-2.0 */
/* metric_call - a query to the metric store on its way. */
#include "api/metric/metric_call.h"

#include "api/metric/metric_error.h"
#include "api/rows_readers.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"

#include <stdlib.h>

enum {
    QUEUE_MAX = 1024, /* connections are the limit */
    GONE_EVERY = 64,  /* looking at a socket costs more than at a clock */
};

struct metric_call {
    struct work work; /* first: a work is its call */
    struct metric_api api;
    struct metric_api *shared;
    struct net_request *request;
    net_handler_fn *handle;
    int64_t end_ns;   /* monotonic: of the first piece; 0: none */
    int64_t spent_ns; /* on workers, for the pieces so far */
    int64_t piece_ns; /* monotonic: the beginning of this one */
    unsigned watched;
    int stopped; /* -errno: cut off */
    struct budget_hold hold;
    struct net_stream stream; /* the handler's, where it streams */
    struct net_piece *piece;  /* that is due; NULL: the handler's turn */
    bool *is_streamed; /* while the handler runs: set when a stream has the call */
};

static void call_free(void *arg)
{
    struct metric_call *call = arg;
    if (call->stream.free)
        call->stream.free(call->stream.state);
    budget_hold_done(&call->hold);
    free(call);
}

/* ---- limits ---- */

int metric_call_watch(void *arg)
{
    struct metric_call *call = arg;
    int64_t timeout_ns = call->shared->timeout_ns;
    if (call->stopped)
        return call->stopped;
    int64_t now_ns = clock_monotonic_ns();
    if (*call->shared->is_stopping)
        call->stopped = -ESHUTDOWN;
    else if (call->end_ns && now_ns > call->end_ns)
        call->stopped = -ETIMEDOUT;
    else if (!call->end_ns && timeout_ns &&
             call->spent_ns + (now_ns - call->piece_ns) > timeout_ns)
        call->stopped = -ETIMEDOUT;
    else if (call->watched++ % GONE_EVERY == 0 && net_request_is_gone(call->request))
        call->stopped = -ECANCELED;
    return call->stopped;
}

struct budget_hold *metric_call_hold(struct metric_call *call)
{
    return &call->hold;
}

static int explain_stopped(const struct metric_api *metric, int stopped,
                           struct err *err)
{
    if (stopped == -ESHUTDOWN)
        return err_set(err, ESHUTDOWN, "barod is stopping: try again");
    if (stopped == -ECANCELED)
        return err_set(err, EAGAIN, "the client has gone");
    return err_set(err, ETIMEDOUT,
                   "the query ran for over %lld s: query a shorter time, or for fewer "
                   "components and metrics; see query_timeout in [barod]",
                   (long long)(metric->timeout_ns / NS_PER_S));
}

void metric_call_error(struct metric_api *api, struct net_request *request, int rc,
                       const struct err *err)
{
    struct err stopped = { 0 };
    int refused = api->call ? metric_call_hold(api->call)->refused : 0;
    if (refused < 0 && rc == refused) {
        net_reply_over_budget(request, "queries", refused);
        return;
    }
    if (rc == -ESHUTDOWN || rc == -ECANCELED || rc == -ETIMEDOUT) {
        rc = explain_stopped(api, rc, &stopped);
        err = &stopped;
        *api->stopped_count += 1;
    }
    if (span_starts(net_request_path(request), "/v1/"))
        net_reply_error(request, rc, err);
    else
        metric_reply_error(request, rc, err);
}

/* ---- streams ---- */

static int next_piece(void *arg, struct strbuf *out)
{
    struct metric_call *call = arg;
    call->piece_ns = clock_monotonic_ns();
    int rc = metric_call_watch(call);
    if (rc == 0)
        rc = call->stream.next(call->stream.state, out);
    call->spent_ns += clock_monotonic_ns() - call->piece_ns;
    return call->stopped ? call->stopped : rc;
}

/* On an HTTP thread. */
static void submit_piece(void *arg, struct net_piece *piece)
{
    struct metric_call *call = arg;
    call->end_ns = 0;
    call->piece = piece;
    workers_continue(call->shared->workers, &call->work);
}

void metric_call_stream(struct metric_api *api, struct net_request *request,
                        const char *content_type, const struct net_stream *stream)
{
    struct metric_call *call = api->call;
    struct metric_api *shared = call->shared;
    const struct net_stream pieces = { .next = next_piece,
                                       .free = call_free,
                                       .state = call,
                                       .coding = stream->coding,
                                       .submit = submit_piece };
    call->stream = *stream;
    *call->is_streamed = true;
    int rc = net_reply_stream(request, 200, content_type, &pieces);
    if (rc < 0) /* the call has gone with its stream */
        metric_call_error(shared, request, rc, &(struct err){ 0 });
}

/* ---- the query ---- */

static void run_call(void *arg, void *state, struct work *work)
{
    struct metric_call *call = (struct metric_call *)work;
    bool is_streamed = false;
    (void)arg;
    call->api.readers = state;
    if (call->piece) {
        net_piece_make(TAKE(call->piece));
        return;
    }
    call->is_streamed = &is_streamed;
    int rc = metric_call_watch(call);
    if (rc == 0)
        call->handle(&call->api, call->request);
    else
        metric_call_error(call->shared, call->request, rc, NULL);
    if (!is_streamed)
        call_free(call);
}

static void *begin_worker(void *arg)
{
    (void)arg;
    return calloc(1, sizeof(struct rows_readers));
}

static void end_worker(void *state)
{
    if (state)
        rows_readers_close(state);
    free(state);
}

struct workers_opts metric_call_workers(struct metric_api *metric, size_t count)
{
    return (struct workers_opts){
        .count = count,
        .queue_max = QUEUE_MAX,
        .begin = begin_worker,
        .run = run_call,
        .end = end_worker,
        .arg = metric,
    };
}

void metric_call_begin(struct metric_api *metric, struct net_request *request,
                       net_handler_fn *handle)
{
    struct err err = { 0 };
    struct metric_call *call = calloc(1, sizeof *call);
    if (!call) {
        metric_call_error(metric, request, -ENOMEM, &err);
        return;
    }
    call->work.sender = net_request_sender(request);
    call->api = *metric;
    call->api.call = call;
    call->shared = metric;
    call->request = request;
    call->handle = handle;
    net_request_hold(request, metric->queries, &call->hold);
    if (metric->timeout_ns)
        call->end_ns = clock_monotonic_ns() + metric->timeout_ns;
    int rc = workers_reserve(metric->workers, &call->work, &err);
    if (rc < 0) {
        call_free(call);
        metric_call_error(metric, request, rc, &err);
        return;
    }
    net_request_defer(request);
    workers_submit(metric->workers, &call->work);
}
