/* SPDX-License-Identifier: Apache-2.0 */
/* remote_routes - POST /api/v1/write: Prometheus remote write 1.0. */
#include "ingest/remote/remote_routes.h"

#include "base/span.h"
#include "ingest/write_sender.h"

#include <inttypes.h>
#include <pthread.h>

#define RETRY_AFTER "5" /* seconds */

struct remote_routes {
    struct remote_routes_opts opts;
    struct remote_names_opts names;
    pthread_mutex_t lock;
    struct remote_stats stats;
};

/* One request. */
struct remote_writing {
    struct strbuf body; /* as it was sent; without snappy, decoded */
    bool is_snappy;
};

/* ---- the body ---- */

/* "application/x-protobuf;proto=io.prometheus.write.v2.Request" is remote write 2.0. */
static int check_type(struct net_request *request, struct err *err)
{
    struct span rest = net_request_header(request, "Content-Type"), type;
    (void)span_cut(&rest, ';', &type);
    type = span_trim(type);
    if (type.size > 0 && !span_is(type, "application/x-protobuf"))
        return err_set(err, EPROTONOSUPPORT,
                       "the content type is not application/x-protobuf");
    if (memmem(rest.data, rest.size, "io.prometheus.write.v2", 22))
        return err_set(err, EPROTONOSUPPORT,
                       "remote write 2.0 is not supported: send "
                       "prometheus.WriteRequest, remote write 1.0");
    return 0;
}

static int begin_remote(void *arg, struct net_request *request, void **ret_state,
                        struct err *err)
{
    (void)arg;
    int rc = check_type(request, err);
    if (rc < 0)
        return rc;
    struct remote_writing *writing = calloc(1, sizeof *writing);
    if (!writing)
        return err_set(err, ENOMEM, "out of memory");
    writing->is_snappy =
        span_is(net_request_header(request, "Content-Encoding"), "snappy");
    *ret_state = writing;
    return 0;
}

static int add_remote_piece(void *state, struct net_request *request, const void *data,
                            size_t size, struct err *err)
{
    struct remote_writing *writing = state;
    strbuf_add(&writing->body, data, size);
    if (strbuf_error(&writing->body) < 0)
        return err_set(err, ENOMEM, "out of memory");
    if (net_request_charge(request, writing->body.capacity) < 0)
        return err_set(err, EAGAIN, "too much at once: try again");
    return 0;
}

static void free_remote(void *state)
{
    struct remote_writing *writing = state;
    strbuf_done(&writing->body);
    free(writing);
}

static const struct net_body remote_body = { begin_remote, add_remote_piece,
                                             free_remote };

/* Into the place of what was sent. */
static int decode_body(const struct remote_routes *routes, struct net_request *request,
                       struct remote_writing *writing, struct err *err)
{
    AUTO(strbuf_done) struct strbuf decoded = STRBUF_INIT;
    struct span block = strbuf_span(&writing->body);
    size_t size = 0;
    int rc = snappy_block_size(block, routes->opts.body_bytes_max,
                               routes->opts.body_ratio_max, &size, err);
    if (rc == 0 && net_request_charge(request, block.size + size) < 0)
        rc = err_set(err, EAGAIN, "too much at once: try again");
    if (rc == 0)
        rc = snappy_block_decode(block, size, &decoded, err);
    if (rc < 0)
        return rc;
    struct strbuf compressed = writing->body;
    writing->body = decoded;
    decoded = compressed;
    return 0;
}

/* ---- the response ---- */

static void count_result(struct remote_routes *routes, const struct remote_result *r)
{
    struct remote_stats *s = &routes->stats;
    LOCKED(&routes->lock);
    s->series += r->series;
    s->accepted += r->accepted;
    s->stale += r->stale;
    s->too_old += r->too_old;
    s->bad_series += r->bad_series;
    s->bad_samples += r->bad_samples;
    s->histograms += r->histograms;
    s->exemplars += r->exemplars;
    s->metadata += r->metadata;
    s->refused.store_full += r->refused.store_full;
    s->refused.share += r->refused.share;
    s->refused.rate += r->refused.rate;
    s->refused.name += r->refused.name;
}

static void count_request(struct remote_routes *routes, bool has_failed)
{
    LOCKED(&routes->lock);
    routes->stats.requests++;
    routes->stats.failed += has_failed;
}

static void begin_reason(struct strbuf *out, const struct remote_result *result)
{
    if (out->size == 0)
        strbuf_addf(out, "partial write: %" PRIu64 " samples are stored",
                    result->accepted);
    strbuf_adds(out, "; ");
}

/* One line: senders log the first. */
static void print_reasons(const struct remote_result *result, struct strbuf *out)
{
    if (result->bad_series > 0) {
        begin_reason(out, result);
        strbuf_addf(
            out, "%" PRIu64 " series with %" PRIu64 " samples are refused, the first: ",
            result->bad_series, result->bad_samples);
        strbuf_adds(out, result->first);
    }
    if (result->histograms > 0) {
        begin_reason(out, result);
        strbuf_addf(out, "%" PRIu64 " native histograms are refused: not supported",
                    result->histograms);
    }
    if (result->too_old > 0) {
        begin_reason(out, result);
        strbuf_addf(out,
                    "%" PRIu64 " samples are refused: older than store.retention, or "
                    "what is before is in files already",
                    result->too_old);
    }
    if (sink_refused(&result->refused) > 0) {
        begin_reason(out, result);
        strbuf_adds(out, "refused: ");
        sink_refusals_print(&result->refused, out);
    }
}

static void respond_remote(struct net_request *request,
                           const struct remote_result *result,
                           struct sender_account *account)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    unsigned status = 400;
    print_reasons(result, &out);
    if (out.size == 0 && strbuf_error(&out) == 0) {
        net_reply(request, 204, NULL, NULL);
        return;
    }
    strbuf_addc(&out, '\n');
    /* What is stored already does not change when it comes again. */
    if (result->refused.rate > 0) {
        char seconds[16];
        status = 503;
        (void)snprintf(seconds, sizeof seconds, "%u", write_sender_wait_s(account));
        net_reply_header(request, "Retry-After", seconds);
    }
    net_reply(request, status, "text/plain; charset=utf-8", &out);
}

/* Of a request as a whole. */
static void refuse_request(struct remote_routes *routes, struct net_request *request,
                           int rc, struct err *err)
{
    bool is_of_sender = rc == -EBADMSG || rc == -EMSGSIZE || rc == -EINVAL;
    unsigned status = rc == -EMSGSIZE ? 413 : 400;
    count_request(routes, true);
    if (!err->text[0])
        (void)err_set(err, -rc, "the samples cannot be stored now: %s", strerror(-rc));
    if (is_of_sender) {
        net_reply_problem(request, status, err->text);
        return;
    }
    net_reply_header(request, "Retry-After", RETRY_AFTER);
    net_reply_error(request, -EAGAIN, err);
}

static struct remote_receiver_opts receiver_opts(const struct remote_routes *routes,
                                                 const struct net_request *request)
{
    struct remote_receiver_opts opts = {
        .sink = routes->opts.sink,
        .cache = routes->opts.cache,
        .names = routes->names,
        .step_ns = routes->opts.step_ns,
        .account =
            write_sender_account(routes->opts.sink, routes->opts.has_tokens, request),
    };
    opts.names.only_host = write_sender_host(request);
    opts.names.only_cluster = write_sender_cluster(request);
    if (opts.names.only_cluster.size > 0)
        opts.names.cluster = opts.names.only_cluster;
    return opts;
}

static void handle_remote(void *arg, struct net_request *request)
{
    struct remote_routes *routes = arg;
    struct remote_writing *writing = net_request_state(request);
    struct remote_result result = { 0 };
    struct err err = { 0 };
    int rc = writing->is_snappy ? decode_body(routes, request, writing, &err) : 0;
    if (rc < 0) {
        refuse_request(routes, request, rc, &err);
        return;
    }
    const struct remote_receiver_opts opts = receiver_opts(routes, request);
    rc = remote_receive(&opts, strbuf_span(&writing->body), &result);
    if (rc == -EBADMSG)
        (void)err_set(&err, EBADMSG, "the body is no prometheus.WriteRequest");
    if (rc < 0) {
        refuse_request(routes, request, rc, &err);
        return;
    }
    count_request(routes, false);
    count_result(routes, &result);
    respond_remote(request, &result, opts.account);
}

/* ---- the door ---- */

int remote_routes_new(struct net_server *server, const struct remote_routes_opts *opts,
                      struct remote_routes **ret, struct err *err)
{
    const char *cluster =
        *opts->config->cluster ? opts->config->cluster : opts->cluster;
    AUTO(remote_routes_free) struct remote_routes *routes = calloc(1, sizeof *routes);
    if (!routes)
        return err_set(err, ENOMEM, "out of memory");
    (void)pthread_mutex_init(&routes->lock, NULL);
    routes->opts = *opts;
    routes->names.map = opts->config->map;
    routes->names.cluster = span_of(cluster);
    struct err reason = { 0 };
    int rc = remote_names_check(&routes->names, &reason);
    if (rc < 0)
        return err_set(err, -rc, "remote_write.%s", reason.text);
    const struct net_route route = {
        .method = "POST",
        .pattern = "/api/v1/write",
        .roles = NET_ROLE_AGENT | (opts->readers_may_write ? NET_ROLE_READER : 0),
        .handle = handle_remote,
        .body = &remote_body,
        .has_snappy = true,
        .arg = routes,
    };
    rc = net_server_add_route(server, &route);
    if (rc < 0)
        return err_set(err, -rc, "remote_write: %s", strerror(-rc));
    *ret = TAKE(routes);
    return 0;
}

void remote_routes_free(struct remote_routes *routes)
{
    if (!routes)
        return;
    (void)pthread_mutex_destroy(&routes->lock);
    free(routes);
}

void remote_routes_stats(struct remote_routes *routes, struct remote_stats *ret)
{
    LOCKED(&routes->lock);
    *ret = routes->stats;
}
