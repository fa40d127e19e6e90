/* SPDX-License-Identifier: Apache-2.0 */
/* call - one request to the database on its way: checked, queued, run by a worker. */
#include "api/call.h"

#include "api/params.h"
#include "api/rows_readers.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"

#include <stdlib.h>

/* One request on its way to a worker. */
struct call {
    struct work work; /* first: a work is its call */
    struct net_request *request;
    const struct api_route *route;
    struct selection sel;
    void *query; /* of a route that has its own kind */
    struct api *api;
    int64_t end_ns; /* monotonic; 0: none */
    int stopped;    /* -errno: it was cut off */
    bool is_objects;
    struct budget_hold hold;
};

static void call_free(struct call *call)
{
    if (!call)
        return;
    selection_done(&call->sel);
    budget_hold_done(&call->hold);
    free(call->query);
    free(call);
}
DEFINE_AUTO(struct call, call_free);

/* As long as the request, so until the response. */
static const struct access_client *client_of(const struct call *call)
{
    return &net_request_identity(call->request)->client;
}

void api_table_print(const struct api_readers *readers, const struct table *table,
                     struct strbuf *out)
{
    if (readers->is_objects)
        table_print_objects(table, out);
    else
        table_to_json(table, out);
}

/* ---- checking, on an HTTP thread ---- */

static int form_read(struct net_request *request, size_t index, struct span value,
                     bool *ret, struct err *err)
{
    if (api_params_is_repeated(request, index, SPAN("format")))
        return err_set(err, EINVAL, "format: it is given twice");
    *ret = span_is(value, "json");
    if (*ret || span_is(value, "table"))
        return 0;
    return err_set(err, EINVAL,
                   "format: invalid value '" SPAN_FMT "' (choose table, json)",
                   SPAN_ARG(value));
}

static int read_params(const struct api_route *route, struct net_request *request,
                       struct call *call, struct err *err)
{
    struct selection *sel = &call->sel;
    struct span name, value;
    for (size_t i = 0; net_request_query_at(request, i, &name, &value); i++) {
        if (!api_params_have(route->params, name))
            return api_params_refuse_name(route->params, name, route->path, err);
        bool is_form = (route->params & PARAM_OBJECTS) && span_is(name, "format");
        int rc = is_form       ? form_read(request, i, value, &call->is_objects, err)
                 : route->read ? 0
                               : selection_set(sel, name, value, err);
        if (rc < 0)
            return rc;
    }
    if (!route->path_param)
        return 0;
    struct span id = net_request_var(request, route->path_param);
    return selection_set(sel, SPAN("job"), id, err);
}

static int make_call(struct api *api, const struct api_route *route,
                     struct net_request *request, struct call **ret, struct err *err)
{
    AUTO(call_free) struct call *call = calloc(1, sizeof *call);
    if (!call)
        return -ENOMEM;
    call->request = request;
    call->route = route;
    call->api = api;
    call->work.sender = net_request_sender(request);
    if (api->opts.timeout_ns)
        call->end_ns = clock_monotonic_ns() + api->opts.timeout_ns;
    net_request_hold(request, api->opts.queries, &call->hold);
    selection_init(&call->sel, clock_now_ms());
    call->sel.hold = &call->hold;
    int rc = read_params(route, request, call, err);
    if (rc == 0)
        rc = row_scope_check(route->rows, client_of(call), &call->sel, err);
    if (rc == 0 && route->read)
        rc = route->read(request, &call->query, err);
    if (rc == 0)
        *ret = TAKE(call);
    return rc;
}

void call_handle(void *arg, struct net_request *request)
{
    const struct api_binding *binding = arg;
    struct err err = { 0 };
    struct call *call = NULL;
    int rc = make_call(binding->api, binding->route, request, &call, &err);
    if (rc < 0) {
        net_reply_error(request, rc, &err);
        return;
    }
    rc = workers_reserve(binding->api->workers, &call->work, &err);
    if (rc < 0) {
        call_free(call);
        net_reply_error(request, rc, &err);
        return;
    }
    net_request_defer(request);
    workers_submit(binding->api->workers, &call->work);
}

/* ---- running, on a worker ---- */

/* Shall this query go on?  Asked by the readers while they work. */
static int watch_call(void *arg)
{
    struct call *call = arg;
    if (call->api->is_stopping)
        call->stopped = -ESHUTDOWN;
    else if (call->end_ns && clock_monotonic_ns() > call->end_ns)
        call->stopped = -ETIMEDOUT;
    else if (net_request_is_gone(call->request))
        call->stopped = -ECANCELED;
    return call->stopped;
}

static int explain_stopped(struct api *api, const struct call *call, struct err *err)
{
    api->stopped++;
    if (call->stopped == -ESHUTDOWN)
        return err_set(err, ESHUTDOWN, "barod is stopping: try again");
    if (call->stopped == -ECANCELED)
        return err_set(err, EAGAIN, "the client has gone");
    return err_set(err, ETIMEDOUT,
                   "the query ran for over %lld s: query a shorter time (from, to, "
                   "last), or for less (fs, target, job, user, node); see "
                   "query_timeout in [barod]",
                   (long long)(api->opts.timeout_ns / NS_PER_S));
}

static int run_query(struct call *call, const struct rows_readers *r, int opened,
                     struct api_result *result, struct err *err)
{
    const struct api_route *route = call->route;
    /* While the database is away, memory still knows who does what right now. */
    const struct query_ctx ctx = { .history = opened < 0 ? NULL : &r->history,
                                   .live = call->api->opts.live,
                                   .cells = call->api->opts.cells };
    const struct api_readers readers = { .api = call->api,
                                         .rows = r->readers.rows,
                                         .ctx = &ctx,
                                         .client = client_of(call),
                                         .watch = watch_call,
                                         .watch_arg = call,
                                         .is_objects = call->is_objects };
    if (route->fetch)
        return opened < 0 ? opened : route->fetch(&readers, call->query, result, err);
    int rc =
        row_scope_narrow(route->rows, readers.client, readers.rows, &call->sel, err);
    return rc < 0 ? rc : route->run(&readers, &call->sel, result->body, err);
}

static int run_call(struct api *api, struct rows_readers *r, struct call *call,
                    struct api_result *result, struct err *err)
{
    struct err away = { 0 };
    if (watch_call(call) < 0)
        return explain_stopped(api, call, err);
    int opened = rows_readers_open(r, api->opts.records, &away);
    if (opened == 0) {
        records_reader_watch(r->readers.rows, watch_call, call);
        records_reader_watch(r->readers.series, watch_call, call);
    }
    int rc = run_query(call, r, opened, result, err);
    if (call->stopped < 0) { /* amid whatever it was: the readers are of no use */
        rows_readers_close(r);
        return rc < 0 ? explain_stopped(api, call, err) : rc;
    }
    if (opened == 0) {
        records_reader_watch(r->readers.rows, NULL, NULL);
        records_reader_watch(r->readers.series, NULL, NULL);
    }
    if (opened < 0 && rc < 0) {
        *err = away;
        return opened;
    }
    /* The client may; it is barod that may not. */
    if (rc == -EACCES)
        rc = -EAGAIN;
    /* A connection that failed is not used again. */
    if (rc == -EIO || rc == -EAGAIN)
        rows_readers_close(r);
    return rc;
}

static void reply_call(struct api *api, struct rows_readers *r, struct call *call)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct err err = { 0 };
    struct api_result result = { .body = &out, .hold = &call->hold };
    int rc = run_call(api, r, call, &result, &err);
    if (rc < 0) {
        if (rc == call->hold.refused)
            net_reply_over_budget(call->request, "queries", rc);
        else
            net_reply_error(call->request, rc, &err);
        api->failed++;
        return;
    }
    if (result.has_more)
        net_reply_header(call->request, "Baro-More", "yes");
    if (result.policy)
        net_reply_header(call->request, "Content-Security-Policy", result.policy);
    if (result.content_type)
        net_reply(call->request, 200, result.content_type, &out);
    else
        net_reply_json(call->request, 200, &out);
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

static void run_work(void *arg, void *state, struct work *work)
{
    struct api *api = arg;
    struct call *call = (struct call *)work;
    if (state)
        reply_call(api, state, call);
    else
        net_reply_problem(call->request, 503, "out of memory");
    call_free(call);
}

struct workers_opts call_workers(struct api *api, size_t count, size_t queue_max)
{
    return (struct workers_opts){
        .count = count,
        .queue_max = queue_max,
        .begin = begin_worker,
        .run = run_work,
        .end = end_worker,
        .arg = api,
    };
}
