/* SPDX-License-Identifier: Apache-2.0 */
/* server - a barod that jobs and summaries are submitted to, and requested from. */
#include "client/job/server.h"

#include "base/json_reader.h"
#include "base/number.h"
#include "base/span.h"

#define REASON_BYTES_MAX 256

struct job_server {
    struct client_http *http;
    enum job_server_kind kind;
    struct strbuf body;
    uint64_t lines_sent; /* before this body */
    struct job_server_counts counts;
    series_log_fn *log; /* NULL: nothing is reported */
    void *log_arg;
};

static const char *const routes[] = {
    [JOB_SERVER_JOBS] = "/v1/jobs",
    [JOB_SERVER_SUMMARIES] = "/v1/summaries",
    [JOB_SERVER_READINGS] = "/v1/health",
};

int job_server_open(const struct client_endpoint *endpoint, struct job_server **ret,
                    struct err *err)
{
    AUTO(job_server_close) struct job_server *s = calloc(1, sizeof *s);
    if (!s)
        return err_set(err, ENOMEM, "out of memory");
    int rc = client_http_open(endpoint, &s->http, err);
    if (rc == 0)
        *ret = TAKE(s);
    return rc;
}

void job_server_set_log(struct job_server *server, series_log_fn *log, void *arg)
{
    server->log = log;
    server->log_arg = arg;
}

void job_server_close(struct job_server *server)
{
    if (!server)
        return;
    client_http_close(server->http);
    strbuf_done(&server->body);
    free(server);
}

/* ---- submitting ---- */

/* {"accepted":2,...,"refusals":[{"line":7,"reason":"..."}]} */
struct reading {
    struct job_server *server;
    char key[16];
    uint64_t line; /* of a refusal */
};

/* It may quote what was sent: bytes that would drive a terminal are shown. */
static void refusal_log(const struct reading *r, struct span reason)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    reason.size = reason.size < REASON_BYTES_MAX ? reason.size : REASON_BYTES_MAX;
    entry_id_print(&text, reason);
    const struct series_opts log = { .log = r->server->log,
                                     .log_arg = r->server->log_arg };
    series_log(&log, "the server refused line %llu: %s",
               (unsigned long long)(r->server->lines_sent + r->line),
               strbuf_text(&text));
}

static int on_event(void *arg, enum json_event event, struct span text, unsigned depth)
{
    struct reading *r = arg;
    struct job_server_counts *counts = &r->server->counts;
    const struct {
        const char *name;
        uint64_t *sum;
    } sums[] = { { "accepted", &counts->accepted },
                 { "changed", &counts->changed },
                 { "duplicate", &counts->duplicate },
                 { "refused", &counts->refused } };
    uint64_t value = 0;
    if (event == JSON_KEY)
        (void)snprintf(r->key, sizeof r->key, SPAN_FMT, SPAN_ARG(text));
    if (event == JSON_NUMBER && number_parse_u64(text, &value) < 0)
        return -EBADMSG;
    for (size_t i = 0; event == JSON_NUMBER && depth == 1 && i < COUNT_OF(sums); i++)
        if (strcmp(r->key, sums[i].name) == 0)
            *sums[i].sum += value;
    if (event == JSON_NUMBER && depth == 3 && strcmp(r->key, "line") == 0)
        r->line = value;
    if (event == JSON_STRING && depth == 3 && strcmp(r->key, "reason") == 0)
        refusal_log(r, text);
    return 0;
}

int job_server_flush(struct job_server *server, struct err *err)
{
    struct job_server *s = server;
    struct reading r = { .server = s };
    if (s->body.size == 0)
        return 0;
    if (strbuf_error(&s->body) < 0)
        return err_set(err, ENOMEM, "out of memory");
    struct span body;
    int rc = client_http_post(s->http, routes[s->kind], "application/x-ndjson",
                              strbuf_span(&s->body), &body, err);
    if (rc == 0 && json_read(body, on_event, &r, NULL) < 0)
        rc = err_set(err, EBADMSG, "the server's response cannot be understood");
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < s->body.size; i++)
        s->lines_sent += s->body.data[i] == '\n';
    strbuf_clear(&s->body);
    return 0;
}

int job_server_submit(struct job_server *server, enum job_server_kind kind,
                      struct span line, struct err *err)
{
    bool is_full = server->body.size + line.size > JOB_SERVER_BODY_BYTES;
    if (server->body.size > 0 && (is_full || kind != server->kind)) {
        int rc = job_server_flush(server, err);
        if (rc < 0)
            return rc;
    }
    server->kind = kind;
    strbuf_add_span(&server->body, line);
    return strbuf_error(&server->body) < 0 ? err_set(err, ENOMEM, "out of memory") : 0;
}

bool job_lasts_since(const struct job *job, int64_t since_ns)
{
    return job->end_ns == JOB_TIME_NONE || job->end_ns >= since_ns;
}

int job_server_submit_runs(struct job_server *server, const struct job *jobs,
                           size_t count, int64_t since_ns, struct err *err)
{
    AUTO(strbuf_done) struct strbuf line = STRBUF_INIT;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < count; i++) {
        if (!job_lasts_since(&jobs[i], since_ns))
            continue;
        strbuf_clear(&line);
        job_line_print(&jobs[i], &line);
        rc = job_server_submit(server, JOB_SERVER_JOBS, strbuf_span(&line), err);
    }
    return rc;
}

const struct job_server_counts *job_server_counts(const struct job_server *server)
{
    return &server->counts;
}

/* ---- requests ---- */

int job_server_get(struct job_server *server, const struct net_url *url,
                   struct span *ret, bool *ret_has_more, struct err *err)
{
    int rc = client_http_get_url(server->http, url, ret, err);
    if (rc == 0)
        *ret_has_more = client_http_has_more(server->http);
    return rc;
}

int job_server_logs(struct job_server *server, const char *cluster, struct hashmap *ret,
                    struct err *err)
{
    AUTO(net_url_done) struct net_url url = { 0 };
    AUTO(table_done) struct table table;
    struct span text;
    bool has_more;
    table_init(&table);
    net_url_init(&url, "/v1/summaries");
    net_url_add(&url, "cluster", cluster);
    net_url_add(&url, "limit", JOB_SERVER_JOBS_MAX);
    net_url_add(&url, "format", "table");
    int rc = job_server_get(server, &url, &text, &has_more, err);
    if (rc == 0)
        rc = table_from_json(text, &table, err);
    int at = rc == 0 ? table_find_column(&table, "_log") : -1;
    if (rc == 0 && (at < 0 || table.columns[at].type != TABLE_TEXT))
        rc = err_set(err, EBADMSG, "the server's response has no logs");
    for (size_t i = 0; rc == 0 && i < table.row_count; i++) {
        const struct table_cell *cell = table_at(&table, i, (size_t)at);
        if (!cell->is_null && !hashmap_put(ret, span_of(cell->text), NULL))
            rc = err_set(err, ENOMEM, "out of memory");
    }
    return rc;
}
