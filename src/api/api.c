/* SPDX-License-Identifier: Apache-2.0 */
/* api - requests checked, queued, and answered by a few workers. */
#include "api/api.h"

#include "api/metric_call.h"
#include "api/routes.h"
#include "api/whoami.h"
#include "api/workers.h"
#include "base/clock.h"
#include "base/number.h"

#include <pthread.h>
#include <unistd.h>

enum { WORKERS_DEFAULT = 3, METRIC_WORKERS_MAX = 9, QUEUE_DEFAULT = 32 };

/* One request on its way to a worker. */
struct call {
    struct work work; /* first: a work is its call */
    struct net_request *request;
    const struct api_route *route;
    struct selection sel;
    void *question; /* of a route that has its own kind */
    struct api *api;
    int64_t end_ns; /* monotonic; 0: none */
    int stopped;    /* -errno: it was cut off */
    struct budget_hold hold;
};

struct api {
    struct api_opts opts;
    _Atomic uint64_t stopped, failed;
    _Atomic bool is_stopping;
    struct workers *workers;      /* of the database's questions */
    struct api_binding *bindings; /* one a route: handlers take one argument */
    struct metric_api metric;
};

struct api_binding {
    struct api *api;
    const struct api_route *route;
};

static void call_free(struct call *call)
{
    if (!call)
        return;
    selection_done(&call->sel);
    budget_hold_done(&call->hold);
    free(call->question);
    free(call);
}
DEFINE_AUTO(struct call, call_free);

/* ---- checking, on an HTTP thread ---- */

static bool route_takes(const struct api_route *route, struct span name)
{
    for (size_t i = 0; i < api_param_count; i++)
        if ((api_params[i].groups & route->params) && span_is(name, api_params[i].name))
            return true;
    return false;
}

static int read_params(const struct api_route *route, struct net_request *request,
                       struct selection *sel, struct err *err)
{
    struct span name, value;
    for (size_t i = 0; net_request_query_at(request, i, &name, &value); i++) {
        if (!route_takes(route, name))
            return err_set(err, EINVAL, "'" SPAN_FMT "' is no parameter of %s",
                           SPAN_ARG(name), route->path);
        int rc = route->read ? 0 : selection_set(sel, name, value, err);
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
    net_request_hold(request, api->opts.questions, &call->hold);
    selection_init(&call->sel, clock_now_ms());
    call->sel.hold = &call->hold;
    int rc = read_params(route, request, &call->sel, err);
    if (rc == 0 && route->read)
        rc = route->read(request, &call->question, err);
    if (rc == 0)
        *ret = TAKE(call);
    return rc;
}

static void handle(void *arg, struct net_request *request)
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

/* ---- answering, on a worker ---- */

struct readers {
    struct history_readers readers;
    struct history history;
};

static void readers_close(struct readers *r)
{
    records_reader_close(r->readers.rows);
    records_reader_close(r->readers.series);
    *r = (struct readers){ 0 };
}

static int readers_open(struct readers *r, struct records *records, struct err *err)
{
    if (r->readers.series)
        return 0;
    int rc = records_reader_open(records, &r->readers.rows, err);
    if (rc == 0)
        rc = records_reader_open(records, &r->readers.series, err);
    if (rc < 0)
        readers_close(r);
    else
        history_of_records(&r->readers, &r->history);
    return rc;
}

/* Shall this question go on?  Asked by the readers while they work. */
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

static int tell_stopped(struct api *api, const struct call *call, struct err *err)
{
    api->stopped++;
    if (call->stopped == -ESHUTDOWN)
        return err_set(err, ESHUTDOWN, "barod is stopping: ask again");
    if (call->stopped == -ECANCELED)
        return err_set(err, EAGAIN, "the client has gone");
    return err_set(err, ETIMEDOUT,
                   "the question took over %lld s: ask for a shorter time (from, to, "
                   "last), or for less (fs, target, job, user, node); see "
                   "question_timeout in [barod]",
                   (long long)(api->opts.timeout_ns / NS_PER_S));
}

static int ask(struct call *call, const struct readers *r, int opened,
               struct api_told *told, struct err *err)
{
    const struct api_route *route = call->route;
    if (route->tell)
        return opened < 0 ? opened
                          : route->tell(r->readers.rows, call->question, told, err);
    /* While the database is away, memory still knows who does what right now. */
    const struct query_ctx ctx = { .history = opened < 0 ? NULL : &r->history,
                                   .live = call->api->opts.live };
    return route->run(call->api, &ctx, &call->sel, told->body, err);
}

static int run_call(struct api *api, struct readers *r, struct call *call,
                    struct api_told *told, struct err *err)
{
    struct err away = { 0 };
    if (watch_call(call) < 0)
        return tell_stopped(api, call, err);
    int opened = readers_open(r, api->opts.records, &away);
    if (opened == 0) {
        records_reader_watch(r->readers.rows, watch_call, call);
        records_reader_watch(r->readers.series, watch_call, call);
    }
    int rc = ask(call, r, opened, told, err);
    if (call->stopped < 0) { /* amid whatever it was: the readers are of no use */
        readers_close(r);
        return rc < 0 ? tell_stopped(api, call, err) : rc;
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
        readers_close(r);
    return rc;
}

static void answer_call(struct api *api, struct readers *r, struct call *call)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct err err = { 0 };
    struct api_told told = { .body = &out, .hold = &call->hold };
    int rc = run_call(api, r, call, &told, &err);
    if (rc < 0) {
        if (rc == call->hold.refused)
            net_reply_over_budget(call->request, "questions", rc);
        else
            net_reply_error(call->request, rc, &err);
        api->failed++;
        return;
    }
    if (told.has_more)
        net_reply_header(call->request, "Baro-More", "yes");
    if (told.content_type)
        net_reply(call->request, 200, told.content_type, &out);
    else
        net_reply_json(call->request, 200, &out);
}

static void *begin_worker(void *arg)
{
    (void)arg;
    return calloc(1, sizeof(struct readers));
}

static void end_worker(void *state)
{
    if (state)
        readers_close(state);
    free(state);
}

static void run_work(void *arg, void *state, struct work *work)
{
    struct api *api = arg;
    struct call *call = (struct call *)work;
    if (state)
        answer_call(api, state, call);
    else
        net_reply_problem(call->request, 503, "out of memory");
    call_free(call);
}

/* ---- status ---- */

static void time_or_null(struct json_writer *w, const char *key, int64_t t_ms)
{
    json_key(w, key);
    if (t_ms == T_NONE)
        json_null(w);
    else
        json_time_ms(w, t_ms);
}

static void count_of(struct json_writer *w, const char *key, uint64_t value)
{
    json_key(w, key);
    json_u64(w, value);
}

static void write_records(struct api *api, const struct query_ctx *ctx,
                          struct json_writer *w)
{
    struct records_extent extent;
    struct err err = { 0 };
    json_key(w, "records");
    json_object(w);
    json_key(w, "describe");
    json_text(w, records_describe(api->opts.records));
    if (!ctx->history || ctx->history->extent(ctx->history->arg, &extent, &err) < 0) {
        json_key(w, "error");
        json_text(w, err.text[0] ? err.text : "the database is away");
    } else {
        time_or_null(w, "first", extent.first_ms);
        time_or_null(w, "last", extent.last_ms);
        count_of(w, "series", extent.series_count);
        count_of(w, "rows", extent.row_count);
        count_of(w, "bytes", extent.size_bytes);
    }
    json_object_end(w);
}

static void write_live(struct live *live, struct json_writer *w)
{
    struct live_stats stats;
    live_get_stats(live, &stats);
    json_key(w, "live");
    json_object(w);
    time_or_null(w, "kept_from", stats.kept_from_ms);
    count_of(w, "series", stats.series);
    count_of(w, "bytes", stats.bytes);
    count_of(w, "rows", stats.rows);
    count_of(w, "late_rows", stats.late_rows);
    count_of(w, "marked", stats.marked);
    count_of(w, "shortened", stats.shortened);
    count_of(w, "lost_rows", stats.lost_rows);
    json_object_end(w);
}

void api_write_status(struct api *api, const struct query_ctx *ctx, struct strbuf *out)
{
    struct json_writer w;
    struct api_stats stats;
    api_get_stats(api, &stats);
    json_writer_init(&w, out);
    json_object(&w);
    json_key(&w, "version");
    json_text(&w, BARO_VERSION);
    time_or_null(&w, "now", clock_now_ms());
    write_records(api, ctx, &w);
    if (api->opts.live)
        write_live(api->opts.live, &w);
    if (api->metric.store)
        metric_write_status(api->metric.store, &w);
    json_key(&w, "api");
    json_object(&w);
    count_of(&w, "asked", stats.asked);
    count_of(&w, "refused", stats.refused);
    count_of(&w, "failed", stats.failed);
    count_of(&w, "stopped", stats.stopped);
    count_of(&w, "waiting", stats.waiting);
    json_object_end(&w);
    if (api->opts.status)
        api->opts.status(api->opts.status_arg, &w);
    json_object_end(&w);
}

void api_get_stats(struct api *api, struct api_stats *ret)
{
    struct workers_stats rows, metrics = { 0 };
    workers_stats(api->workers, &rows);
    if (api->metric.workers)
        workers_stats(api->metric.workers, &metrics);
    *ret = (struct api_stats){
        .asked = rows.begun,
        .refused = rows.refused + metrics.refused,
        .stopped = api->stopped,
        .failed = api->failed,
        .waiting = rows.waiting,
        .waiting_max = rows.queue_max,
        .metrics_waiting = metrics.waiting,
        .metrics_waiting_max = metrics.queue_max,
    };
}

/* ---- making ---- */

int api_register(struct api *api, struct net_server *server)
{
    for (size_t i = 0; i < api_route_count; i++) {
        const struct api_route *route = &api_routes[i];
        api->bindings[i] = (struct api_binding){ api, route };
        const struct net_route added = { .method = route->method,
                                         .pattern = route->path,
                                         .roles = route->roles,
                                         .handle = handle,
                                         .arg = &api->bindings[i] };
        int rc = route->is_elsewhere ? 0 : net_server_add_route(server, &added);
        if (rc < 0)
            return rc;
    }
    int rc = whoami_register(server);
    if (rc == 0 && api->metric.store)
        rc = metric_routes_register(&api->metric, server);
    return rc;
}

static size_t at_most(size_t count, size_t most)
{
    return count < most ? count : most;
}

/* One more than cores, so that the share of a lone sender is all of them. */
static int start_metric_workers(struct api *api, struct err *err)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    size_t count = at_most((size_t)(cores < 1 ? 1 : cores) + 1, METRIC_WORKERS_MAX);
    const struct workers_opts opts = metric_call_workers(&api->metric, count);
    return workers_new(&opts, &api->metric.workers, err);
}

int api_new(const struct api_opts *opts, struct api **ret, struct err *err)
{
    AUTO(api_free) struct api *api = calloc(1, sizeof *api);
    if (!api)
        return -ENOMEM;
    api->opts = *opts;
    api->metric = (struct metric_api){ .store = opts->store,
                                       .strictness = opts->strictness,
                                       .timeout_ns = opts->timeout_ns,
                                       .questions = opts->questions,
                                       .is_stopping = &api->is_stopping,
                                       .stopped_count = &api->stopped };
    api->bindings = calloc(api_route_count, sizeof *api->bindings);
    if (!api->bindings)
        return -ENOMEM;
    const struct workers_opts rows = {
        .count = at_most(opts->worker_count ? opts->worker_count : WORKERS_DEFAULT,
                         WORKERS_MAX),
        .queue_max = opts->queue_max ? opts->queue_max : QUEUE_DEFAULT,
        .begin = begin_worker,
        .run = run_work,
        .end = end_worker,
        .arg = api,
    };
    int rc = workers_new(&rows, &api->workers, err);
    if (rc == 0 && opts->store)
        rc = start_metric_workers(api, err);
    if (rc == 0)
        *ret = TAKE(api);
    return rc;
}

void api_stop(struct api *api)
{
    if (api)
        api->is_stopping = true;
}

void api_free(struct api *api)
{
    if (!api)
        return;
    workers_free(api->metric.workers);
    workers_free(api->workers);
    free(api->bindings);
    free(api);
}
