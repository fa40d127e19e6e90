/* SPDX-License-Identifier: Apache-2.0 */
/* submission_routes - POST /v1/jobs, /v1/summaries, /v1/health, /v1/resources,
 * /v1/sessions, /v1/provenance, /v1/datasets and /v1/resources/inventory: a line of
 * JSON each, stored at once.
 */
#include "ingest/submission_routes.h"

#include "base/json_writer.h"
#include "base/span.h"
#include "ingest/post.h"
#include "ingest/statement_source.h"

#include <stdatomic.h>
#include <stdio.h>

#define BODY_BYTES_MAX ((size_t)128 << 20)
#define LINES_MAX ((size_t)500000) /* so many empty ones fit BODY_BYTES_MAX */
#define READINGS_MAX ((size_t)200000)
#define STATEMENTS_MAX ((size_t)200000)
#define REPORTS_MAX ((size_t)100000)
#define FILES_MAX ((size_t)1000)
#define DATASETS_MAX ((size_t)10000)
#define INVENTORIES_MAX ((size_t)1000)
#define REASON_MAX 160

/* What differs between them. */
struct kind {
    const char *path;
    unsigned roles;
    size_t line_bytes_max;
    size_t item_size;
    size_t item_count_max;
    struct span *(*cluster_of)(void *item); /* NULL: admit looks at it */
    int (*read)(struct span line, struct arena *arena, void *item, struct err *err);
    /* Does the token permit it, beside its cluster?  NULL: yes. */
    int (*check)(const struct token *token, void *item, struct err *err);
    /* Of every client: what of the item is the client's to state.  NULL: all. */
    int (*admit)(struct net_request *request, struct arena *arena, void *item,
                 struct err *err);
    int (*put)(const struct submission_sink *sink, const void *items, size_t count,
               struct submission_result *ret, struct err *err);
};

static int read_job(struct span line, struct arena *arena, void *item, struct err *err)
{
    return job_line_read(line, arena, item, err);
}

static int read_summary(struct span line, struct arena *arena, void *item,
                        struct err *err)
{
    return summary_read_line(line, arena, item, err);
}

static int read_reading(struct span line, struct arena *arena, void *item,
                        struct err *err)
{
    return target_reading_read_line(line, arena, item, err);
}

static struct span *cluster_of_reading(void *item)
{
    return &((struct target_reading *)item)->cluster;
}

/* An agent reads on its own host, and reports the targets that this host serves: others
 * where its token names targets, as that of a client that runs lctl dl. */
static int check_reading(const struct token *token, void *item, struct err *err)
{
    struct target_reading *reading = item;
    if (!token_may_target(token, reading->target))
        return err_set(err, EACCES, "the token is not for the target " SPAN_FMT,
                       SPAN_ARG(reading->target));
    if (!token->host[0])
        return 0;
    if (reading->source.size > 0 && !span_is(reading->source, token->host))
        return err_set(err, EACCES, "the token is for the host %s", token->host);
    reading->source = span_of(token->host);
    if (token->target_count == 0 && !span_is(reading->server, token->host))
        return err_set(err, EACCES,
                       "the token is for targets that %s serves: for others it has to "
                       "name them (baro token new --targets)",
                       token->host);
    return 0;
}

static struct span *cluster_of_job(void *item)
{
    return &((struct job *)item)->cluster;
}

static struct span *cluster_of_summary(void *item)
{
    return &((struct summary *)item)->cluster;
}

static int put_jobs(const struct submission_sink *sink, const void *items, size_t count,
                    struct submission_result *ret, struct err *err)
{
    return sink->put_jobs(sink->arg, items, count, ret, err);
}

static int put_summaries(const struct submission_sink *sink, const void *items,
                         size_t count, struct submission_result *ret, struct err *err)
{
    return sink->put_summaries(sink->arg, items, count, ret, err);
}

static int put_readings(const struct submission_sink *sink, const void *items,
                        size_t count, struct submission_result *ret, struct err *err)
{
    return sink->put_readings(sink->arg, items, count, ret, err);
}

static int read_statement(struct span line, struct arena *arena, void *item,
                          struct err *err)
{
    return resource_statement_read_line(line, arena, item, err);
}

static int admit_statement(struct net_request *request, struct arena *arena, void *item,
                           struct err *err)
{
    return statement_source_set(net_request_identity(request),
                                net_request_origin(request), arena, item, err);
}

static int put_statements(const struct submission_sink *sink, const void *items,
                          size_t count, struct submission_result *ret, struct err *err)
{
    return sink->put_statements(sink->arg, items, count, ret, err);
}

static int read_session(struct span line, struct arena *arena, void *item,
                        struct err *err)
{
    return session_report_read_line(line, arena, item, err);
}

/* Whose a session is its node's agent has of the kernel: an agent states it of its own
 * host alone. */
static int admit_session(struct net_request *request, struct arena *arena, void *item,
                         struct err *err)
{
    const struct token *token = net_request_identity(request)->token;
    const struct session_report *report = item;
    const char *reason = session_report_check_sender(report);
    (void)arena;
    if (reason)
        return err_set(err, EBADMSG, "%s", reason);
    if (!token)
        return 0;
    if (report->cluster.size == 0)
        return err_set(err, EACCES, "it names no cluster");
    if (!token_may_cluster(token, report->cluster))
        return err_set(err, EACCES, "the token is for the cluster %s", token->cluster);
    if (token->host[0] && !span_is(report->host, token->host))
        return err_set(err, EACCES, "the token is for the host %s", token->host);
    return 0;
}

static int read_files(struct span line, struct arena *arena, void *item,
                      struct err *err)
{
    return job_file_list_read(line, arena, item, err);
}

static struct span *cluster_of_files(void *item)
{
    return &((struct job_file_list *)item)->cluster;
}

/* An agent knows the processes of its own host. */
static int check_files(const struct token *token, void *item, struct err *err)
{
    const struct job_file_list *files = item;
    if (token->role != NET_ROLE_AGENT)
        return err_set(err, EACCES, "an agent alone states what a job ran with");
    if (files->cluster.size == 0)
        return err_set(err, EACCES, "it names no cluster");
    if (token->host[0] && !span_is(files->host, token->host))
        return err_set(err, EACCES, "the token is for the host %s", token->host);
    return 0;
}

static int read_dataset(struct span line, struct arena *arena, void *item,
                        struct err *err)
{
    return job_dataset_read(line, arena, item, err);
}

static struct span *cluster_of_dataset(void *item)
{
    return &((struct job_dataset *)item)->cluster;
}

/* An agent mounts on its own host. */
static int check_dataset(const struct token *token, void *item, struct err *err)
{
    const struct job_dataset *dataset = item;
    if (token->host[0] && !span_is(dataset->host, token->host))
        return err_set(err, EACCES, "the token is for the host %s", token->host);
    return 0;
}

static int submit_datasets(const struct submission_sink *sink, const void *items,
                           size_t count, struct submission_result *ret, struct err *err)
{
    return sink->put_datasets(sink->arg, items, count, ret, err);
}

static int read_inventory(struct span line, struct arena *arena, void *item,
                          struct err *err)
{
    return node_inventory_read(line, arena, item, err);
}

static struct span *cluster_of_inventory(void *item)
{
    return &((struct node_inventory *)item)->cluster;
}

/* An agent reads the parts of its own host. */
static int check_inventory(const struct token *token, void *item, struct err *err)
{
    const struct node_inventory *inventory = item;
    if (token->host[0] && !span_is(inventory->host, token->host))
        return err_set(err, EACCES, "the token is for the host %s", token->host);
    return 0;
}

static int submit_inventories(const struct submission_sink *sink, const void *items,
                              size_t count, struct submission_result *ret,
                              struct err *err)
{
    return sink->put_inventories(sink->arg, items, count, ret, err);
}

static int put_sessions(const struct submission_sink *sink, const void *items,
                        size_t count, struct submission_result *ret, struct err *err)
{
    return sink->put_sessions(sink->arg, items, count, ret, err);
}

static int submit_files(const struct submission_sink *sink, const void *items,
                        size_t count, struct submission_result *ret, struct err *err)
{
    return sink->put_files(sink->arg, items, count, ret, err);
}

static const struct kind kinds[SUBMISSION_KIND_COUNT] = {
    [SUBMISSION_JOBS] = { .path = "/v1/jobs",
                          .roles = NET_ROLE_SCHEDULER,
                          .line_bytes_max = JOB_LINE_BYTES_MAX,
                          .item_size = sizeof(struct job),
                          .item_count_max = LINES_MAX,
                          .cluster_of = cluster_of_job,
                          .read = read_job,
                          .put = put_jobs },
    [SUBMISSION_SUMMARIES] = { .path = "/v1/summaries",
                               .roles = NET_ROLE_SCHEDULER,
                               .line_bytes_max = SUMMARY_LINE_BYTES_MAX,
                               .item_size = sizeof(struct summary),
                               .item_count_max = 20000,
                               .cluster_of = cluster_of_summary,
                               .read = read_summary,
                               .put = put_summaries },
    [SUBMISSION_READINGS] = { .path = "/v1/health",
                              .roles = NET_ROLE_AGENT,
                              .line_bytes_max = TARGET_READING_LINE_BYTES_MAX,
                              .item_size = sizeof(struct target_reading),
                              .item_count_max = READINGS_MAX,
                              .cluster_of = cluster_of_reading,
                              .read = read_reading,
                              .check = check_reading,
                              .put = put_readings },
    [SUBMISSION_STATEMENTS] = { .path = "/v1/resources",
                                .roles =
                                    NET_ROLE_AGENT | NET_ROLE_USER | NET_ROLE_SUPPORT,
                                .line_bytes_max = RESOURCE_LINE_BYTES_MAX,
                                .item_size = sizeof(struct resource_statement),
                                .item_count_max = STATEMENTS_MAX,
                                .read = read_statement,
                                .admit = admit_statement,
                                .put = put_statements },
    [SUBMISSION_SESSIONS] = { .path = "/v1/sessions",
                              .roles = NET_ROLE_AGENT,
                              .line_bytes_max = SESSION_REPORT_LINE_BYTES_MAX,
                              .item_size = sizeof(struct session_report),
                              .item_count_max = REPORTS_MAX,
                              .read = read_session,
                              .admit = admit_session,
                              .put = put_sessions },
    [SUBMISSION_FILES] = { .path = "/v1/provenance",
                           .roles = NET_ROLE_AGENT,
                           .line_bytes_max = JOB_FILE_LIST_LINE_BYTES_MAX,
                           .item_size = sizeof(struct job_file_list),
                           .item_count_max = FILES_MAX,
                           .cluster_of = cluster_of_files,
                           .read = read_files,
                           .check = check_files,
                           .put = submit_files },
    [SUBMISSION_DATASETS] = { .path = "/v1/datasets",
                              .roles = NET_ROLE_AGENT,
                              .line_bytes_max = JOB_DATASET_LINE_BYTES_MAX,
                              .item_size = sizeof(struct job_dataset),
                              .item_count_max = DATASETS_MAX,
                              .cluster_of = cluster_of_dataset,
                              .read = read_dataset,
                              .check = check_dataset,
                              .put = submit_datasets },
    [SUBMISSION_INVENTORY] = { .path = "/v1/resources/inventory",
                               .roles = NET_ROLE_AGENT,
                               .line_bytes_max = INVENTORY_LINE_BYTES_MAX,
                               .item_size = sizeof(struct node_inventory),
                               .item_count_max = INVENTORIES_MAX,
                               .cluster_of = cluster_of_inventory,
                               .read = read_inventory,
                               .check = check_inventory,
                               .put = submit_inventories },
};

struct submission_route {
    struct submission_routes *routes;
    const struct kind *kind;
    struct {
        _Atomic uint64_t bodies, failed, accepted, changed, duplicate, refused;
    } stats;
};

struct submission_routes {
    struct ingest_writer *writer;
    struct submission_sink sink;
    size_t body_bytes_max;
    struct submission_route of[SUBMISSION_KIND_COUNT];
};

struct refusal {
    uint64_t line;
    char reason[REASON_MAX];
};

/* One body, from its first byte to its result. */
struct submission {
    struct submission_route *route;
    struct post post;
    struct arena arena;    /* texts of the items */
    struct strbuf partial; /* a line that goes on in the next piece */
    bool is_skipping;      /* the rest of a line that is too long */
    uint64_t line;         /* that is next, from 1 */
    char *items;
    uint32_t *line_of; /* of each item */
    size_t item_count, item_capacity;
    uint64_t bad_count;
    struct refusal refusals[SUBMISSION_REFUSALS_MAX];
    size_t refusal_count;
    struct submission_result result; /* the sink's */
};

static void submission_free(void *arg)
{
    struct submission *in = arg;
    if (!in)
        return;
    arena_done(&in->arena);
    strbuf_done(&in->partial);
    free(in->items);
    free(in->line_of);
    free(in);
}

static int begin(void *arg, struct net_request *request, void **ret_state,
                 struct err *err)
{
    struct submission_route *route = arg;
    struct submission *in = calloc(1, sizeof *in);
    if (!in)
        return err_set(err, ENOMEM, "out of memory");
    in->route = route;
    in->post = (struct post){ request, &route->stats.failed };
    in->line = 1;
    arena_init(&in->arena, route->routes->body_bytes_max);
    *ret_state = in;
    return 0;
}

static void refuse(struct submission *in, uint64_t line, const char *reason)
{
    if (in->refusal_count == SUBMISSION_REFUSALS_MAX)
        return;
    struct refusal *refusal = &in->refusals[in->refusal_count++];
    refusal->line = line;
    (void)snprintf(refusal->reason, sizeof refusal->reason, "%.159s", reason);
}

/* ---- lines ---- */

static size_t submission_bytes(const struct submission *in)
{
    return in->arena.used_bytes + in->partial.size +
           in->item_capacity * (in->route->kind->item_size + sizeof *in->line_of);
}

static int items_grow(struct submission *in)
{
    if (in->item_count < in->item_capacity)
        return 0;
    size_t capacity = in->item_capacity ? 2 * in->item_capacity : 64;
    char *items = reallocarray(in->items, capacity, in->route->kind->item_size);
    if (!items)
        return -ENOMEM;
    in->items = items;
    uint32_t *line_of = reallocarray(in->line_of, capacity, sizeof *line_of);
    if (!line_of)
        return -ENOMEM;
    in->line_of = line_of;
    in->item_capacity = capacity;
    return 0;
}

static int too_much(const struct submission *in, struct err *err)
{
    return err_set(err, EMSGSIZE,
                   "at line %llu the body is more than is accepted at once: send it in "
                   "parts",
                   (unsigned long long)in->line);
}

/* What names no cluster is of its token's. */
static int check_token(const struct submission *in, void *item, struct err *why)
{
    const struct token *token = net_request_identity(in->post.request)->token;
    if (!token || !in->route->kind->cluster_of)
        return 0;
    struct span *cluster = in->route->kind->cluster_of(item);
    if (cluster->size == 0)
        *cluster = span_of(token->cluster);
    if (token_may_cluster(token, *cluster))
        return in->route->kind->check ? in->route->kind->check(token, item, why) : 0;
    return err_set(why, EACCES, "the token is for the cluster %s", token->cluster);
}

static int take_line(struct submission *in, struct span line, struct err *err)
{
    const struct kind *kind = in->route->kind;
    struct err why = { 0 };
    if (span_trim(line).size == 0)
        return 0;
    if (in->item_count == kind->item_count_max ||
        submission_bytes(in) > in->route->routes->body_bytes_max)
        return too_much(in, err);
    if (items_grow(in) < 0)
        return err_set(err, ENOMEM, "out of memory");
    char *item = in->items + in->item_count * kind->item_size;
    int rc = kind->read(line, &in->arena, item, &why);
    if (rc == -ENOMEM)
        return too_much(in, err);
    if (rc == 0)
        rc = check_token(in, item, &why);
    if (rc == 0 && kind->admit)
        rc = kind->admit(in->post.request, &in->arena, item, &why);
    if (rc == -ENOMEM)
        return too_much(in, err);
    if (rc < 0) {
        in->bad_count++;
        refuse(in, in->line, why.text);
        return 0;
    }
    in->line_of[in->item_count++] = (uint32_t)in->line;
    return 0;
}

/* The line has ended, with rest as its last piece. */
static int end_line(struct submission *in, struct span rest, struct err *err)
{
    size_t size_max = in->route->kind->line_bytes_max;
    int rc = 0;
    if (in->is_skipping || in->partial.size + rest.size > size_max) {
        in->bad_count++;
        refuse(in, in->line, "the line is too long");
    } else if (in->partial.size == 0) {
        rc = take_line(in, rest, err);
    } else {
        strbuf_add_span(&in->partial, rest);
        rc = strbuf_error(&in->partial) < 0
                 ? err_set(err, ENOMEM, "out of memory")
                 : take_line(in, strbuf_span(&in->partial), err);
    }
    strbuf_clear(&in->partial);
    in->is_skipping = false;
    in->line++;
    return rc;
}

static int keep_part(struct submission *in, struct span part, struct err *err)
{
    if (in->is_skipping ||
        in->partial.size + part.size > in->route->kind->line_bytes_max)
        in->is_skipping = true;
    else
        strbuf_add_span(&in->partial, part);
    if (in->is_skipping)
        strbuf_clear(&in->partial);
    return strbuf_error(&in->partial) < 0 ? err_set(err, ENOMEM, "out of memory") : 0;
}

static int take_data(void *state, struct net_request *request, const void *data,
                     size_t size, struct err *err)
{
    (void)request;
    struct submission *in = state;
    struct span rest = { data, size };
    int rc = 0;
    while (rc == 0 && rest.size > 0) {
        const char *end = memchr(rest.data, '\n', rest.size);
        if (!end) {
            rc = keep_part(in, rest, err);
            break;
        }
        size_t line_size = (size_t)(end - rest.data);
        rc = end_line(in, (struct span){ rest.data, line_size }, err);
        rest = span_skip(rest, line_size + 1);
    }
    if (rc == 0)
        rc = post_charge(&in->post, submission_bytes(in), err);
    return rc < 0 ? post_failed(&in->post, rc) : 0;
}

static const struct net_body body = {
    .begin = begin,
    .data = take_data,
    .free = submission_free,
};

/* ---- the result ---- */

static void print_refusals(const struct submission *in, struct json_writer *w)
{
    json_key(w, "refusals");
    json_array(w);
    for (size_t i = 0; i < in->refusal_count; i++) {
        json_object(w);
        json_key(w, "line");
        json_u64(w, in->refusals[i].line);
        json_key(w, "reason");
        json_text(w, in->refusals[i].reason);
        json_object_end(w);
    }
    json_array_end(w);
}

static void reply(struct submission *in)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    const struct {
        const char *key;
        uint64_t count;
    } counts[] = { { "accepted", in->result.accepted },
                   { "changed", in->result.changed },
                   { "duplicate", in->result.duplicate },
                   { "refused", in->result.refused + in->bad_count } };
    struct json_writer w;
    json_writer_init(&w, &text);
    json_object(&w);
    for (size_t i = 0; i < COUNT_OF(counts); i++) {
        json_key(&w, counts[i].key);
        json_u64(&w, counts[i].count);
    }
    print_refusals(in, &w);
    json_object_end(&w);
    strbuf_addc(&text, '\n');
    net_reply_json(in->post.request, 200, &text);
}

static void count(struct submission *in)
{
    struct submission_route *route = in->route;
    route->stats.bodies++;
    route->stats.accepted += in->result.accepted;
    route->stats.changed += in->result.changed;
    route->stats.duplicate += in->result.duplicate;
    route->stats.refused += in->result.refused + in->bad_count;
}

/* On the writer's thread. */
static int run(void *arg, struct err *err)
{
    struct submission *in = arg;
    return in->route->kind->put(&in->route->routes->sink, in->items, in->item_count,
                                &in->result, err);
}

/* On the writer's thread; the request, and in with it, is gone after the reply. */
static void done(void *arg, int rc, const struct err *err)
{
    struct submission *in = arg;
    if (rc < 0) {
        post_reply_error(&in->post, rc, err);
        return;
    }
    for (size_t i = 0; i < in->result.refusal_count; i++) {
        const struct submission_refusal *refusal = &in->result.refusals[i];
        if (refusal->index < in->item_count)
            refuse(in, in->line_of[refusal->index], refusal->reason);
    }
    count(in);
    reply(in);
}

static void handle(void *arg, struct net_request *request)
{
    struct submission_route *route = arg;
    struct submission *in = net_request_state(request);
    struct err err = { 0 };
    int rc = in->partial.size > 0 || in->is_skipping
                 ? end_line(in, (struct span){ 0 }, &err)
                 : 0;
    if (rc < 0) {
        post_reply_error(&in->post, rc, &err);
        return;
    }
    const struct ingest_task task = {
        .bytes = submission_bytes(in), .run = run, .done = done, .arg = in
    };
    post_submit(&in->post, route->routes->writer, &task);
}

/* ---- the door ---- */

int submission_routes_new(struct net_server *server, struct ingest_writer *writer,
                          const struct submission_sink *sink, size_t body_bytes_max,
                          struct submission_routes **ret)
{
    static const char *const types[] = { "application/x-ndjson", "application/jsonl",
                                         NULL };
    AUTO(submission_routes_free)
    struct submission_routes *routes = calloc(1, sizeof *routes);
    if (!routes)
        return -ENOMEM;
    routes->writer = writer;
    routes->sink = *sink;
    routes->body_bytes_max = body_bytes_max ? body_bytes_max : BODY_BYTES_MAX;
    for (size_t i = 0; i < SUBMISSION_KIND_COUNT; i++) {
        routes->of[i].routes = routes;
        routes->of[i].kind = &kinds[i];
        const struct net_route route = {
            .method = "POST",
            .pattern = kinds[i].path,
            .roles = kinds[i].roles,
            .handle = handle,
            .body = &body,
            .content_types = types,
            .arg = &routes->of[i],
        };
        int rc = net_server_add_route(server, &route);
        if (rc < 0)
            return rc;
    }
    *ret = TAKE(routes);
    return 0;
}

void submission_routes_free(struct submission_routes *routes)
{
    free(routes);
}

void submission_routes_stats(const struct submission_routes *routes,
                             enum submission_kind kind, struct submission_stats *ret)
{
    const struct submission_route *route = &routes->of[kind];
    *ret = (struct submission_stats){
        .bodies = route->stats.bodies,
        .failed = route->stats.failed,
        .accepted = route->stats.accepted,
        .changed = route->stats.changed,
        .duplicate = route->stats.duplicate,
        .refused = route->stats.refused,
    };
}
