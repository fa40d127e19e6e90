/* SPDX-License-Identifier: Apache-2.0 */
/* job_evidence - what barod itself knows of a job, as job_inputs. */
#include "api/job_evidence.h"

#include "api/job_node_metrics.h"
#include "api/status.h"
#include "base/clock.h"
#include "base/span.h"

#include <string.h>

#define JOBS_MAX 100000 /* that ran meanwhile */

/* ---- stored: the batch system's record, and the summary of the log ---- */

struct stored_job {
    struct job_context *context;
    struct strbuf raw_id;
    bool has_record, has_summary;
};

static int on_record(void *arg, const struct job *job)
{
    struct stored_job *s = arg;
    s->has_record = true;
    strbuf_add_span(&s->raw_id, job->raw_id);
    s->context->identity.id = job_context_span(s->context, job->id);
    job_context_set_record(s->context, job);
    return strbuf_error(&s->raw_id) < 0 ? -ENOMEM : s->context->error;
}

static int on_summary(void *arg, const struct summary *summary)
{
    struct stored_job *s = arg;
    s->has_summary = true;
    return job_context_from_summary(summary, s->context);
}

/* An element of an array is "5_1" to people; its log has the number that the system
 * counts. */
static int summary_find(const struct job_evidence *e, struct span id,
                        struct stored_job *s, struct err *err)
{
    const struct summary_filter filter = { .cluster = e->cluster,
                                           .job = id,
                                           .from_ns = JOB_TIME_NONE,
                                           .to_ns = JOB_TIME_NONE,
                                           .limit = 1 };
    bool has_more = false;
    return records_find_summaries(e->readers->rows, &filter, on_summary, s, &has_more,
                                  err);
}

static int summary_row_read(const struct query_ctx *ctx, struct selection *sel,
                            struct table *ret, struct err *err);

static bool row_time(const struct table *t, const char *name, int64_t *ret_s)
{
    int column = table_find_column(t, name);
    if (column < 0 || t->columns[column].type != TABLE_TIME || t->row_count != 1)
        return false;
    *ret_s = table_at(t, 0, (size_t)column)->i64 / MS_PER_S;
    return true;
}

static const char *row_text(const struct table *t, const char *name)
{
    int column = table_find_column(t, name);
    if (column < 0 || t->columns[column].type != TABLE_TEXT || t->row_count != 1 ||
        table_at(t, 0, (size_t)column)->is_null)
        return NULL;
    return table_at(t, 0, (size_t)column)->text;
}

/* A job of which servers alone counted something: they name no clusters. */
static int rows_find(const struct job_evidence *e, const char *id,
                     struct job_context *ret, struct err *err)
{
    AUTO(selection_done) struct selection sel;
    AUTO(table_done) struct table table;
    selection_init(&sel, clock_now_ms());
    table_init(&table);
    sel.hold = e->hold;
    int rc = selection_set(&sel, SPAN("job"), span_of(id), err);
    if (rc == 0)
        rc = summary_row_read(e->readers->ctx, &sel, &table, err);
    if (rc == -ENOENT)
        return err_set(err, ENOENT,
                       "nothing is known of a job %s: no record of a batch system, no "
                       "summary of a log, no rows of jobstats",
                       id);
    if (rc < 0)
        return rc;
    struct job_identity *identity = &ret->identity;
    identity->id = job_context_text(ret, id);
    identity->user = job_context_text(ret, row_text(&table, "user"));
    identity->file_system = job_context_text(ret, row_text(&table, "fs"));
    if (!row_time(&table, "from", &identity->from_s) ||
        !row_time(&table, "to", &identity->to_s))
        identity->from_s = identity->to_s = JOB_I64_NONE;
    return ret->error;
}

static int evidence_stored(void *arg, const char *id, struct job_context *ret,
                           struct err *err)
{
    const struct job_evidence *e = arg;
    const struct job_filter filter = { .cluster = e->cluster,
                                       .id = span_of(id),
                                       .from_ns = JOB_TIME_NONE,
                                       .to_ns = JOB_TIME_NONE,
                                       .limit = 1 };
    struct stored_job s = { .context = ret, .raw_id = STRBUF_INIT };
    bool has_more = false;
    int rc = summary_find(e, span_of(id), &s, err);
    if (rc == 0)
        rc =
            records_find_jobs(e->readers->rows, &filter, on_record, &s, &has_more, err);
    if (rc == 0 && !s.has_summary && s.raw_id.size > 0 &&
        !span_is(strbuf_span(&s.raw_id), id))
        rc = summary_find(e, strbuf_span(&s.raw_id), &s, err);
    strbuf_done(&s.raw_id);
    if (rc < 0 || s.has_record || s.has_summary)
        return rc;
    if (e->cluster.size > 0)
        return err_set(err, ENOENT, "nothing is known of a job %s on cluster " SPAN_FMT,
                       id, SPAN_ARG(e->cluster));
    return rows_find(e, id, ret, err);
}

/* ---- jobs that ran meanwhile ---- */

static uint64_t job_bytes(const struct job *job)
{
    return sizeof *job + job->cluster.size + job->id.size + job->raw_id.size +
           job->name.size + job->user.size + job->account.size + job->partition.size +
           job->state.size + job->nodes.size;
}

/* Half of the budget: the list grows to twice its size. */
static int on_job(void *arg, const struct job *job)
{
    struct job_evidence *e = arg;
    e->jobs_bytes += job_bytes(job);
    e->is_jobs_cut = e->jobs_bytes > budget_hold_most(e->hold) / 2;
    int rc = e->is_jobs_cut ? -ECANCELED
                            : budget_meter_follow(&e->jobs_meter, e->jobs_bytes);
    return rc < 0 ? rc : job_list_add(&e->jobs, job);
}

static int evidence_jobs(void *arg, int64_t from_ns, int64_t to_ns,
                         const struct job_list **ret, struct err *err)
{
    struct job_evidence *e = arg;
    const struct job_filter filter = {
        .cluster = e->cluster, .from_ns = from_ns, .to_ns = to_ns, .limit = JOBS_MAX
    };
    bool has_more = false;
    job_list_done(&e->jobs);
    job_list_init(&e->jobs);
    e->jobs_bytes = 0;
    e->is_jobs_cut = false;
    int rc = records_find_jobs(e->readers->rows, &filter, on_job, e, &has_more, err);
    if (rc == -ECANCELED && e->is_jobs_cut)
        return 0; /* as where there are more than JOBS_MAX */
    /* Of only some of them nothing is counted. */
    if (rc == 0 && !has_more)
        *ret = &e->jobs;
    return rc;
}

/* ---- rows of jobstats ---- */

static int selection_fill(struct selection *sel, const struct job_rows_param *params,
                          size_t count, struct err *err)
{
    int rc = 0;
    for (size_t i = 0; i < count && rc == 0; i++)
        rc = selection_set(sel, span_of(params[i].name), span_of(params[i].value), err);
    return rc;
}

static int summary_row_read(const struct query_ctx *ctx, struct selection *sel,
                            struct table *ret, struct err *err)
{
    struct table parts[QUERY_JOB_PART_COUNT];
    for (int i = 0; i < QUERY_JOB_PART_COUNT; i++)
        table_init(&parts[i]);
    int rc = query_job(ctx, sel, parts, err);
    if (rc == 0) {
        table_done(ret);
        *ret = parts[QUERY_JOB_SUMMARY];
        table_init(&parts[QUERY_JOB_SUMMARY]);
    }
    for (int i = 0; i < QUERY_JOB_PART_COUNT; i++)
        table_done(&parts[i]);
    return rc;
}

static int rows_read(void *arg, enum job_rows rows, const struct job_rows_param *params,
                     size_t count, struct table *ret, struct err *err)
{
    const struct job_evidence *e = arg;
    AUTO(selection_done) struct selection sel;
    selection_init(&sel, clock_now_ms());
    sel.hold = e->hold;
    int rc = selection_fill(&sel, params, count, err);
    if (rc < 0)
        return rc;
    return rows == JOB_ROWS_SUMMARY ? summary_row_read(e->readers->ctx, &sel, ret, err)
                                    : query_top(e->readers->ctx, &sel, ret, err);
}

static int evidence_servers(void *arg, const struct job_request *job,
                            struct job_servers *ret, struct err *err)
{
    const struct job_rows_source source = { arg, rows_read };
    return job_server_rows_read(&source, job, ret, err);
}

/* ---- the series of a file system, out of the same rows ---- */

static int percent_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* %XX, as source/lmt escapes. */
static void value_unescape(struct span text, struct strbuf *out)
{
    for (size_t i = 0; i < text.size; i++) {
        bool is_whole = text.data[i] == '%' && i + 2 < text.size;
        int high = is_whole ? percent_digit(text.data[i + 1]) : -1;
        int low = is_whole ? percent_digit(text.data[i + 2]) : -1;
        bool is_escaped = high >= 0 && low >= 0;
        strbuf_addc(out, is_escaped ? (char)(high * 16 + low) : text.data[i]);
        i += is_escaped ? 2 : 0;
    }
}

/* "name=value&name=value" */
static int pairs_fill(struct selection *sel, struct span query, struct err *err)
{
    int rc = 0;
    while (rc == 0 && query.size > 0) {
        AUTO(strbuf_done) struct strbuf value = STRBUF_INIT;
        struct span pair, name;
        (void)span_cut(&query, '&', &pair);
        (void)span_cut(&pair, '=', &name);
        value_unescape(pair, &value);
        rc = strbuf_error(&value);
        if (rc == 0)
            rc = selection_set(sel, name, strbuf_span(&value), err);
    }
    return rc;
}

static int rates_get(struct job_evidence *e, struct span query, struct err *err)
{
    AUTO(selection_done) struct selection sel;
    AUTO(table_done) struct table table;
    selection_init(&sel, clock_now_ms());
    table_init(&table);
    sel.hold = e->hold;
    int rc = pairs_fill(&sel, query, err);
    if (rc == 0)
        rc = query_rates(e->readers->ctx, &sel, &table, err);
    if (rc == 0)
        table_to_json(&table, &e->reply);
    return rc;
}

/* Of a barod's routes those that the database serves: what the servers' totals are in
 * the metric store is requested by commands. */
static int series_get(void *arg, const char *path, struct span *ret, struct err *err)
{
    struct job_evidence *e = arg;
    struct span query = span_of(path), route;
    int rc = 0;
    strbuf_clear(&e->reply);
    (void)span_cut(&query, '?', &route);
    if (span_is(route, "/v1/status"))
        status_write(e->readers->api, e->readers->ctx, &e->reply);
    else if (span_is(route, "/v1/jobstats/rates"))
        rc = rates_get(e, query, err);
    else
        return err_set(err, ENOENT, "%s: not read here", path);
    if (rc == 0 && strbuf_error(&e->reply) < 0)
        rc = err_set(err, ENOMEM, "out of memory");
    *ret = strbuf_span(&e->reply);
    return rc;
}

/* What the rows are of is in the names. */
static void series_note(void *arg, const char *text)
{
    (void)arg, (void)text;
}

static void series_close(void *arg)
{
    (void)arg;
}

static int evidence_series(void *arg, const struct job_window *window,
                           struct job_input_series *ret, struct err *err)
{
    struct job_evidence *e = arg;
    const struct lmt_barod_opts opts = {
        .arg = e, .get = series_get, .note = series_note, .close = series_close
    };
    const char *slash = window->mount ? strrchr(window->mount, '/') : NULL;
    if (!slash || !slash[1])
        return err_set(err, ENOENT, "its file system is not known: no log was read");
    int rc = e->series ? 0 : lmt_barod_open(&opts, &e->series, err);
    if (rc == 0)
        rc = lmt_series_choose(e->series, slash + 1, err);
    if (rc == -ENOENT)
        return err_set(err, ENOENT, "no rows of file system %s", slash + 1);
    if (rc < 0)
        return rc;
    strbuf_clear(&e->names);
    strbuf_addf(&e->names, "rows of jobstats of %s", slash + 1);
    *ret = (struct job_input_series){ .series = &e->series,
                                      .count = 1,
                                      .names = strbuf_text(&e->names) };
    return strbuf_error(&e->names);
}

/* ---- metrics of its nodes ---- */

static int evidence_nodes(void *arg, const struct job_request *job, struct arena *arena,
                          struct node_samples *ret, struct err *err)
{
    const struct job_evidence *e = arg;
    struct metric_store *store = e->readers->api->opts.store;
    if (!store)
        return err_set(err, ENOENT, "there is no metric store");
    return job_node_metrics_read(store, e->readers, job, arena, ret, err);
}

/* ---- all together ---- */

void job_evidence_init(struct job_evidence *evidence, const struct api_readers *readers,
                       struct span cluster, struct budget_hold *hold)
{
    *evidence = (struct job_evidence){ .readers = readers,
                                       .cluster = cluster,
                                       .hold = hold,
                                       .reply = STRBUF_INIT,
                                       .names = STRBUF_INIT,
                                       .jobs_meter = { hold } };
    job_list_init(&evidence->jobs);
    evidence->inputs = (struct job_inputs){ .arg = evidence,
                                            .now_s = clock_now_ns() / NS_PER_S,
                                            .series = evidence_series,
                                            .jobs = evidence_jobs,
                                            .servers = evidence_servers,
                                            .nodes = evidence_nodes,
                                            .stored = evidence_stored };
}

void job_evidence_done(struct job_evidence *evidence)
{
    lmt_series_close(evidence->series);
    strbuf_done(&evidence->reply);
    strbuf_done(&evidence->names);
    job_list_done(&evidence->jobs);
    budget_meter_done(&evidence->jobs_meter);
}
