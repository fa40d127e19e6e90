/* SPDX-License-Identifier: Apache-2.0 */
/* jobstats_routes - POST /v1/jobstats: decoded, checked, handed to the writer. */
#include "ingest/jobstats_routes.h"

#include "base/span.h"

#include "ingest/post.h"

#include "wire/wire.h"

#include <stdatomic.h>
#include <stdio.h>

#define BATCH_BYTES_MAX ((size_t)64 << 20)

struct jobstats_routes {
    struct ingest_writer *writer;
    const struct site *site;
    size_t batch_bytes_max;
    struct {
        _Atomic uint64_t batches, replayed, accepted, duplicate, bad, foreign, refused,
            failed;
    } stats;
};

/* One batch, from the first byte of its body to its result. */
struct jobstats_post {
    struct jobstats_routes *routes;
    struct post post;
    struct jobbatch batch;
    struct jobstats_decoder *decoder;
    uint64_t foreign_count;
    struct batch_response response; /* its errors grow on the way */
    uint32_t *entry_of; /* of the rows that are left, when some were dropped */
};

static void jobstats_post_free(void *arg)
{
    struct jobstats_post *in = arg;
    if (!in)
        return;
    jobstats_decoder_free(in->decoder);
    jobbatch_done(&in->batch);
    free(in->entry_of);
    free(in);
}

static void add_error(struct jobstats_post *in, uint64_t entry, const char *reason)
{
    struct batch_response *response = &in->response;
    if (response->error_count == BATCH_RESPONSE_ERRORS_MAX)
        return;
    struct batch_error *error = &response->errors[response->error_count++];
    error->entry = entry;
    (void)snprintf(error->reason, sizeof error->reason, "%s", reason);
}

/* ---- the body ---- */

static int begin(void *arg, struct net_request *request, void **ret_state,
                 struct err *err)
{
    struct jobstats_routes *routes = arg;
    struct jobstats_post *in = calloc(1, sizeof *in);
    if (!in)
        return err_set(err, ENOMEM, "out of memory");
    in->routes = routes;
    in->post = (struct post){ request, &routes->stats.failed };
    jobbatch_init(&in->batch, routes->batch_bytes_max);
    if (jobstats_decoder_new(&in->batch, &in->decoder) < 0) {
        jobstats_post_free(in);
        return err_set(err, ENOMEM, "out of memory");
    }
    *ret_state = in;
    return 0;
}

static int take_data(void *state, struct net_request *request, const void *data,
                     size_t size, struct err *err)
{
    (void)request;
    struct jobstats_post *in = state;
    int rc = jobstats_decoder_feed(in->decoder, data, size, err);
    if (rc == 0)
        rc = post_charge(&in->post, in->batch.arena.used_bytes, err);
    return rc < 0 ? post_failed(&in->post, rc) : 0;
}

static const struct net_body body = {
    .begin = begin,
    .data = take_data,
    .free = jobstats_post_free,
};

/* ---- may this sender? ---- */

/* An agent speaks for its own host; who observed is always set. */
static int check_server(struct jobstats_post *in, struct err *err)
{
    const struct net_identity *identity = net_request_identity(in->post.request);
    const struct token *token = identity->token;
    if (identity->client.roles & NET_ROLE_ADMIN)
        return 0;
    if (!token)
        return err_set(err, EACCES,
                       "job counters want a token of a host: a token of another "
                       "program does not name their host");
    struct span host = span_of(token->host);
    if (host.size == 0)
        return err_set(err, EACCES,
                       "job counters want a token of a host: this one carries the "
                       "metrics of the cluster %s",
                       token->cluster);
    if (in->batch.server.size == 0) {
        in->batch.server = host;
        for (size_t i = 0; i < in->batch.row_count; i++)
            in->batch.rows[i].server = host;
        return 0;
    }
    if (!span_eq(in->batch.server, host))
        return err_set(err, EACCES,
                       "the token is for the host %s, the batch is of " SPAN_FMT,
                       token->host, SPAN_ARG(in->batch.server));
    return 0;
}

/* An agent chooses the ids of its batches itself, so that they are known by the host
 * its token names as well: whatever one sends, it can only meet batches of its own. */
static int bind_id(struct jobstats_post *in, struct err *err)
{
    struct jobbatch *batch = &in->batch;
    struct uuid bound;
    if (!batch->has_id)
        return 0;
    int rc = uuid_v5(&batch->agent, batch->server, SPAN(""), &bound);
    if (rc < 0)
        return err_set(err, -rc, "the id of a batch: %s", strerror(-rc));
    batch->agent = bound;
    return 0;
}

/* Drop the rows of targets that the sender has no business with. */
static int drop_foreign(struct jobstats_post *in)
{
    const struct token *token = net_request_identity(in->post.request)->token;
    struct jobbatch *batch = &in->batch;
    size_t kept = 0;
    in->entry_of = malloc((batch->row_count + 1) * sizeof *in->entry_of);
    if (!in->entry_of)
        return -ENOMEM;
    struct span last = { 0 };
    bool may_last = true;
    for (size_t i = 0; i < batch->row_count; i++) {
        uint64_t entry = jobstats_decoder_entry_of(in->decoder, i);
        struct span target = batch->rows[i].target;
        if (token && !span_eq(target, last))
            may_last = token_may_target(token, target);
        last = target;
        if (!may_last) {
            add_error(in, entry, "the token is not for this target");
            in->foreign_count++;
            continue;
        }
        in->entry_of[kept] = (uint32_t)entry;
        if (kept != i)
            batch->rows[kept] = batch->rows[i];
        kept++;
    }
    batch->row_count = kept;
    return 0;
}

static void set_fs(struct jobstats_post *in)
{
    const struct site *site = in->routes->site;
    struct jobbatch *batch = &in->batch;
    for (size_t i = 0; site && i < batch->row_count; i++) {
        struct jobrow *row = &batch->rows[i];
        bool is_as_before = i && row[-1].target.data == row->target.data;
        row->fs = is_as_before ? row[-1].fs : site_fs(site, row->server, row->target);
    }
}

/* ---- the result ---- */

static void reply(struct jobstats_post *in, const struct batch_result *result)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct batch_response *response = &in->response;
    uint64_t bad = jobstats_decoder_bad_count(in->decoder);
    response->accepted = result->accepted;
    response->duplicate = result->duplicate;
    response->refused = result->refused + bad + in->foreign_count;
    response->replayed = result->replayed;
    batch_response_print(response, &text);
    net_reply_json(in->post.request, 200, &text);
}

static void count(struct jobstats_post *in, const struct batch_result *result)
{
    struct jobstats_routes *routes = in->routes;
    routes->stats.batches++;
    routes->stats.replayed += result->replayed;
    routes->stats.bad += jobstats_decoder_bad_count(in->decoder);
    routes->stats.foreign += in->foreign_count;
    if (result->replayed)
        return; /* counted the first time */
    routes->stats.accepted += result->accepted;
    routes->stats.duplicate += result->duplicate;
    routes->stats.refused += result->refused;
}

/* On the writer's thread; the request, and in with it, is gone after the reply. */
static void done(void *arg, int rc, const struct batch_result *result,
                 const struct err *err)
{
    struct jobstats_post *in = arg;
    if (rc < 0) {
        post_reply_error(&in->post, rc, err);
        return;
    }
    for (size_t i = 0; i < result->refusal_count; i++) {
        size_t row = result->refusals[i].row;
        if (row < in->batch.row_count)
            add_error(in, in->entry_of[row], result->refusals[i].reason);
    }
    count(in, result);
    reply(in, result);
}

static void tell_bad(struct jobstats_post *in)
{
    uint64_t bad = jobstats_decoder_bad_count(in->decoder);
    for (size_t i = 0; i < bad && i < JOBSTATS_BAD_MAX; i++) {
        const struct jobstats_bad *one = jobstats_decoder_bad(in->decoder, i);
        add_error(in, one->entry, one->reason);
    }
}

static int complete(struct jobstats_post *in, struct err *err)
{
    int rc = jobstats_decoder_finish(in->decoder, err);
    if (rc == 0)
        rc = check_server(in, err);
    if (rc == 0)
        rc = bind_id(in, err);
    if (rc < 0)
        return rc;
    tell_bad(in);
    rc = drop_foreign(in);
    if (rc < 0)
        return err_set(err, rc, "out of memory");
    set_fs(in);
    return post_charge(&in->post, in->batch.arena.used_bytes, err);
}

static void handle(void *arg, struct net_request *request)
{
    struct jobstats_routes *routes = arg;
    struct jobstats_post *in = net_request_state(request);
    struct err err = { 0 };
    int rc = complete(in, &err);
    if (rc < 0) {
        post_reply_error(&in->post, rc, &err);
        return;
    }
    post_submit_batch(&in->post, routes->writer, &in->batch, done, in);
}

/* ---- the door ---- */

int jobstats_routes_new(struct net_server *server, struct ingest_writer *writer,
                        const struct site *site, size_t batch_bytes_max,
                        struct jobstats_routes **ret)
{
    static const char *const types[] = { "application/json", NULL };
    struct jobstats_routes *routes = calloc(1, sizeof *routes);
    if (!routes)
        return -ENOMEM;
    routes->writer = writer;
    routes->site = site;
    routes->batch_bytes_max = batch_bytes_max ? batch_bytes_max : BATCH_BYTES_MAX;
    const struct net_route route = {
        .method = "POST",
        .pattern = "/v1/jobstats",
        .roles = NET_ROLE_AGENT,
        .handle = handle,
        .body = &body,
        .content_types = types,
        .arg = routes,
    };
    int rc = net_server_add_route(server, &route);
    if (rc < 0) {
        free(routes);
        return rc;
    }
    *ret = routes;
    return 0;
}

void jobstats_routes_free(struct jobstats_routes *routes)
{
    free(routes);
}

void jobstats_routes_stats(const struct jobstats_routes *routes,
                           struct jobstats_stats *ret)
{
    *ret = (struct jobstats_stats){
        .batches = routes->stats.batches,
        .replayed = routes->stats.replayed,
        .accepted = routes->stats.accepted,
        .duplicate = routes->stats.duplicate,
        .bad = routes->stats.bad,
        .foreign = routes->stats.foreign,
        .refused = routes->stats.refused,
        .failed = routes->stats.failed,
    };
}
