/* SPDX-License-Identifier: Apache-2.0 */
/* job_evidence - what barod itself knows of a job, as job_inputs. */
#include "api/job_evidence.h"

#include "api/history/job_datasets_find.h"
#include "api/history/job_node_health.h"
#include "api/history/job_ran_with_find.h"
#include "api/history/job_sessions_find.h"
#include "api/reading/reading.h"
#include "api/space_route.h"
#include "base/clock.h"
#include "base/span.h"

#include <string.h>

#define JOBS_MAX 100000 /* that ran meanwhile */
/* Of one log: those of a thousand processes have some MiB. */
#define LOG_REGION_BYTES_MAX (UINT64_C(512) << 20)
#define LOG_NAMES_BYTES_MAX (UINT64_C(32) << 20)

/* ---- stored: the batch system's record, and the summary of the log ---- */

struct stored_job {
    struct job_context *context;
    const struct job_scope *scope;
    struct strbuf raw_id, id, user, *cluster, *uid;
    int64_t start_ns, end_ns;
    bool has_record, has_step, has_summary;
};

static void stored_job_done(struct stored_job *s)
{
    strbuf_done(&s->raw_id);
    strbuf_done(&s->id);
    strbuf_done(&s->user);
}
DEFINE_AUTO_DONE(struct stored_job, stored_job_done);

static int on_record(void *arg, const struct job *job)
{
    struct stored_job *s = arg;
    if (!job_scope_has(s->scope, job))
        return 0;
    s->has_record = true;
    strbuf_add_span(&s->raw_id, job->raw_id);
    strbuf_add_span(&s->id, job->id);
    strbuf_clear(&s->user);
    strbuf_add_span(&s->user, job->user);
    strbuf_clear(s->cluster);
    strbuf_add_span(s->cluster, job->cluster);
    strbuf_clear(s->uid);
    strbuf_add_span(s->uid, job->uid);
    s->start_ns = job->start_ns;
    s->end_ns = job->end_ns;
    s->context->identity.id = job_context_span(s->context, job->id);
    job_context_set_record(s->context, job);
    return strbuf_error(&s->raw_id) < 0 || strbuf_error(&s->id) < 0 ||
                   strbuf_error(s->cluster) < 0
               ? -ENOMEM
               : s->context->error;
}

static int on_step(void *arg, const struct job *step)
{
    struct stored_job *s = arg;
    job_context_add_step(s->context, step);
    return s->context->error;
}

static int on_metric(void *arg, const struct job_metric *metric)
{
    struct stored_job *s = arg;
    job_context_add_metric(s->context, metric);
    return s->context->error;
}

/* Of the whole run: a step has none. */
static int footprint_find(const struct job_evidence *e, struct stored_job *s,
                          struct err *err)
{
    const struct job_metric_filter filter = { .cluster = strbuf_span(s->cluster),
                                              .id = strbuf_span(&s->id),
                                              .from_ns = s->start_ns,
                                              .to_ns = s->start_ns };
    s->context->nodes.stored_count = 0;
    if (s->start_ns == JOB_TIME_NONE || e->step.data)
        return 0;
    return records_find_job_metrics(e->readers->rows, &filter, on_metric, s, err);
}

static int on_step_alone(void *arg, const struct job *step)
{
    struct stored_job *s = arg;
    s->has_step = true;
    job_context_set_step(s->context, step);
    return s->context->error;
}

/* Of the run: an id is used again, and a job that is requeued has steps of each run. */
static int steps_find(const struct job_evidence *e, struct stored_job *s,
                      struct err *err)
{
    struct job_step_filter filter = {
        .cluster = strbuf_span(s->cluster),
        .id = strbuf_span(&s->id),
        .from_ns = s->start_ns,
        .to_ns = s->end_ns == JOB_TIME_NONE ? INT64_MAX : s->end_ns,
        .limit = JOB_STEPS_MAX,
    };
    bool has_more = false;
    int rc = 0;
    s->context->steps = (struct job_steps){ 0 };
    if (s->start_ns != JOB_TIME_NONE)
        rc = records_find_job_steps(e->readers->rows, &filter, on_step, s,
                                    &s->context->steps.has_more, err);
    if (rc < 0 || !e->step.data)
        return rc;
    filter.step = e->step;
    filter.limit = 1;
    if (s->start_ns != JOB_TIME_NONE)
        rc = records_find_job_steps(e->readers->rows, &filter, on_step_alone, s,
                                    &has_more, err);
    if (rc < 0 || s->has_step)
        return rc;
    return err_set(err, ENOENT,
                   "job " SPAN_FMT ": no step " SPAN_FMT " of it is stored (steps come "
                   "with the list of sacct: 'baro job import --server')",
                   SPAN_ARG(filter.id), SPAN_ARG(e->step));
}

/* Steps of commands: "batch" and "extern" last as long as the job. */
static bool is_of_command(const char *step)
{
    return step[0] >= '0' && step[0] <= '9';
}

/* A log does not name its step: it is of the step during which it began, where that was
 * one alone. */
static bool is_log_of_step(const struct stored_job *s, int64_t begin_ns)
{
    const struct job_steps *steps = &s->context->steps;
    const char *step = s->context->identity.step;
    size_t count = 0;
    bool is_it = false;
    for (size_t i = 0; i < steps->count; i++) {
        const struct job_step *other = &steps->items[i];
        if (!is_of_command(other->step) || other->start_ns > begin_ns ||
            (other->end_ns != JOB_TIME_NONE && other->end_ns < begin_ns))
            continue;
        count++;
        is_it = is_it || strcmp(other->step, step) == 0;
    }
    return is_it && count == 1 && !steps->has_more;
}

static int on_summary(void *arg, const struct summary *summary)
{
    struct stored_job *s = arg;
    int64_t begin_ns = summary_time_ns(summary, SUMMARY_START);
    if (s->has_step && (s->has_summary || !is_log_of_step(s, begin_ns)))
        return 0;
    s->has_summary = true;
    return job_context_from_summary(summary, s->context);
}

/* An element of an array is "5_1" to people; its log has the number that the system
 * counts. */
static int summary_find(const struct job_evidence *e, struct span id,
                        struct stored_job *s, struct err *err)
{
    const struct summary_filter filter = { .owners = job_scope_owners(&e->scope),
                                           .cluster = e->cluster,
                                           .job = id,
                                           .from_ns = JOB_TIME_NONE,
                                           .to_ns = JOB_TIME_NONE,
                                           .limit = e->step.data ? 0 : 1 };
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

static int unknown_job(const char *id, struct err *err)
{
    return err_set(err, ENOENT,
                   "nothing is known of a job %s: no record of a batch system, no "
                   "summary of a log, no rows of jobstats",
                   id);
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
        return unknown_job(id, err);
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

static int record_set_again(const struct job_evidence *e,
                            const struct job_filter *filter, struct stored_job *s,
                            struct err *err)
{
    bool has_more = false;
    strbuf_clear(&s->raw_id);
    strbuf_clear(&s->id);
    strbuf_clear(s->cluster);
    int rc = records_find_jobs(e->readers->rows, filter, on_record, s, &has_more, err);
    return rc < 0 ? rc : steps_find(e, s, err);
}

static int ran_with_find(const struct job_evidence *e, const struct stored_job *s,
                         struct err *err)
{
    const char *nodes = s->context->identity.nodes;
    const struct job_recorded job = { .cluster = strbuf_span(s->cluster),
                                      .raw_id = strbuf_span(&s->raw_id),
                                      .user = strbuf_span(&s->user),
                                      .uid = strbuf_span(s->uid),
                                      .nodes = span_of(nodes ? nodes : ""),
                                      .start_ns = s->start_ns,
                                      .end_ns = s->end_ns };
    int rc = job_ran_with_find(e->readers, e->hold, &job, s->context, err);
    if (rc == 0)
        rc = job_datasets_find(e->readers, e->hold, &job, s->context, err);
    return rc < 0 ? rc : job_sessions_find(e->readers, e->hold, &job, s->context, err);
}

/* The summary is of a log: of a step that of a log that began while it ran. */
static int evidence_stored(void *arg, const char *id, struct job_context *ret,
                           struct err *err)
{
    struct job_evidence *e = arg;
    const struct job_filter filter = { .owners = job_scope_owners(&e->scope),
                                       .cluster = e->cluster,
                                       .id = span_of(id),
                                       .from_ns = JOB_TIME_NONE,
                                       .to_ns = JOB_TIME_NONE,
                                       .limit = 1 };
    AUTO(stored_job_done)
    struct stored_job s = { .context = ret,
                            .scope = &e->scope,
                            .raw_id = STRBUF_INIT,
                            .id = STRBUF_INIT,
                            .cluster = &e->job_cluster,
                            .uid = &e->uid };
    bool has_more = false;
    int rc = e->step.data ? 0 : summary_find(e, span_of(id), &s, err);
    if (rc == 0)
        rc =
            records_find_jobs(e->readers->rows, &filter, on_record, &s, &has_more, err);
    if (rc == 0 && e->step.data && !s.has_record)
        rc = unknown_job(id, err);
    if (rc == 0 && s.has_record)
        rc = steps_find(e, &s, err);
    if (rc == 0 && s.has_record)
        rc = footprint_find(e, &s, err);
    if (rc == 0 && e->step.data)
        rc = summary_find(e, span_of(id), &s, err);
    if (rc == 0 && !s.has_summary && s.raw_id.size > 0 &&
        !span_is(strbuf_span(&s.raw_id), id))
        rc = summary_find(e, strbuf_span(&s.raw_id), &s, err);
    /* Who and when is of the batch system. */
    if (rc == 0 && s.has_step && s.has_summary)
        rc = record_set_again(e, &filter, &s, err);
    if (rc == 0 && s.has_record)
        rc = job_node_health_find(e->readers, e->hold, ret, err);
    if (rc == 0 && s.has_record && !e->step.data)
        rc = ran_with_find(e, &s, err);
    if (rc == 0 && s.has_record)
        strbuf_add_span(&e->raw_id, strbuf_span(&s.raw_id));
    if (rc < 0 || s.has_record || s.has_summary)
        return rc;
    if (e->cluster.size > 0)
        return err_set(err, ENOENT, "nothing is known of a job %s on cluster " SPAN_FMT,
                       id, SPAN_ARG(e->cluster));
    /* Whose rows without a record are, no one states. */
    return job_scope_is_partial(&e->scope) ? unknown_job(id, err)
                                           : rows_find(e, id, ret, err);
}

/* ---- its log ---- */

/* "/logs/2026/2/1/ann_a.out_id7.darshan" -> the last part */
static struct span log_name(const char *log)
{
    const char *slash = log ? strrchr(log, '/') : NULL;
    return span_of(slash ? slash + 1 : log ? log : "");
}

/* Whose it is the record states (doc/decisions/0432).  A summary that is stored is of
 * one log: what is around the job is of the same. */
static int evidence_log(void *arg, const struct job_context *context,
                        struct job_log **ret, const char **ret_name, struct err *err)
{
    struct job_evidence *e = arg;
    const struct job_identity *who = &context->identity;
    struct log_dirs *dirs = e->readers->api->opts.log_dirs;
    if (!dirs)
        return -ENOSYS;
    if (e->raw_id.size == 0 || who->start_ns == JOB_TIME_NONE)
        return err_set(err, ENOENT, "whose the job is and when it ran is not recorded");
    const struct log_query query = {
        .id = span_of(who->id),
        .raw_id = strbuf_span(&e->raw_id),
        .user = span_of(who->user ? who->user : ""),
        .uid = strbuf_span(&e->uid),
        .log = log_name(who->log),
        .start_s = who->start_ns / NS_PER_S,
        .end_s =
            who->end_ns == JOB_TIME_NONE ? e->inputs.now_s : who->end_ns / NS_PER_S,
    };
    found_log_done(&e->found);
    int rc = log_dirs_find(dirs, &query, &e->found, err);
    if (rc < 0)
        return rc;
    const struct job_log_limits limits = { LOG_REGION_BYTES_MAX, LOG_NAMES_BYTES_MAX,
                                           e->found.until_ns };
    rc = budget_meter_follow(&e->found_meter, 2 * e->found.bytes.size);
    if (rc < 0)
        return err_set(err, EBUSY, "its log is larger than what queries may hold");
    *ret_name = strbuf_text(&e->found.path);
    return job_log_open_limited(e->found.bytes.data, e->found.bytes.size, &limits, ret,
                                err);
}

/* ---- jobs that ran meanwhile ---- */

static uint64_t job_bytes(const struct job *job)
{
    return sizeof *job + job->cluster.size + job->id.size + job->raw_id.size +
           job->name.size + job->user.size + job->account.size + job->partition.size +
           job->state.size + job->nodes.size;
}

/* What is counted of a job that the client may not see: that it ran, when and where. */
static struct job anonymous_of(const struct job *job)
{
    const struct span none = SPAN("");
    return (struct job){ .cluster = job->cluster,
                         .id = none,
                         .raw_id = none,
                         .name = none,
                         .user = none,
                         .uid = none,
                         .group = none,
                         .gid = none,
                         .account = none,
                         .partition = none,
                         .state = none,
                         .nodes = job->nodes,
                         .node_count = job->node_count,
                         .submit_ns = JOB_TIME_NONE,
                         .start_ns = job->start_ns,
                         .end_ns = job->end_ns };
}

/* A job of a cluster without a file system in common cannot disturb it.  Half of the
 * budget: the list grows to twice its size. */
static int on_job(void *arg, const struct job *job)
{
    struct job_evidence *e = arg;
    struct job anonymous;
    const struct site *site = e->readers->api->opts.site;
    bool is_apart =
        site &&
        (e->jobs_fs.data
             ? !site_fs_is_of(site, e->jobs_fs, job->cluster)
             : !site_clusters_meet(site, strbuf_span(&e->job_cluster), job->cluster));
    if (is_apart)
        return 0;
    if (!job_scope_has(&e->scope, job)) {
        anonymous = anonymous_of(job);
        job = &anonymous;
    }
    e->jobs_bytes += job_bytes(job);
    e->is_jobs_cut = e->jobs_bytes > budget_hold_most(e->hold) / 2;
    int rc = e->is_jobs_cut ? -ECANCELED
                            : budget_meter_follow(&e->jobs_meter, e->jobs_bytes);
    return rc < 0 ? rc : job_list_add(&e->jobs, job);
}

static int evidence_jobs(void *arg, const struct job_target_request *request,
                         const struct job_list **ret, struct err *err)
{
    struct job_evidence *e = arg;
    const struct job_filter filter = { .cluster = e->cluster,
                                       .from_ns = request->from_ns,
                                       .to_ns = request->to_ns,
                                       .limit = JOBS_MAX };
    e->jobs_fs = request->fs ? span_of(request->fs) : (struct span){ 0 };
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

/* fs with data NULL: of any file system, or of what params name. */
static int rows_read_of(const struct job_evidence *e, enum job_rows rows,
                        const struct job_rows_param *params, size_t count,
                        struct span fs, struct table *ret, struct err *err)
{
    AUTO(selection_done) struct selection sel;
    selection_init(&sel, clock_now_ms());
    sel.hold = e->hold;
    int rc = selection_fill(&sel, params, count, err);
    if (rc == 0 && fs.data)
        rc = selection_set(&sel, SPAN("fs"), fs, err);
    if (rc == 0)
        rc = row_scope_narrow(ROW_SCOPE_RUN, e->readers->client, e->readers->rows, &sel,
                              err);
    if (rc < 0)
        return rc;
    rc = rows == JOB_ROWS_SUMMARY ? summary_row_read(e->readers->ctx, &sel, ret, err)
                                  : query_rates(e->readers->ctx, &sel, ret, err);
    /* Other jobs on a target: that there were some is in the totals. */
    bool names_jobs = !sel.filter.job.data && table_find_column(ret, "job") >= 0;
    if (rc == 0 && names_jobs && job_scope_is_partial(&e->scope))
        ret->row_count = 0;
    return rc;
}

static void table_move(struct table *from, struct table *to)
{
    table_done(to);
    *to = *from;
    table_init(from);
}

/* Servers know no clusters: an id may be a job's of this one and of another.  What they
 * counted on a file system that the job's cluster does not use is the other one's. */
static int own_rows_read(const struct job_evidence *e,
                         const struct job_rows_param *params, size_t count,
                         struct table *ret, struct err *err)
{
    const struct site *site = e->readers->api->opts.site;
    const struct span any = { 0 }, cluster = strbuf_span(&e->job_cluster);
    AUTO(table_done) struct table all;
    struct span fs;
    size_t cursor = 0;
    table_init(&all);
    int rc = rows_read_of(e, JOB_ROWS_SUMMARY, params, count, any, &all, err);
    const char *found = rc == 0 ? row_text(&all, "fs") : NULL;
    bool is_own = !site || !site_names_clusters(site) || cluster.size == 0 ||
                  (found && site_fs_is_of(site, span_of(found), cluster));
    if (rc == 0 && is_own)
        table_move(&all, ret);
    while (rc == 0 && !is_own && !found &&
           site_next_fs_of(site, cluster, &cursor, &fs)) {
        AUTO(table_done) struct table own;
        table_init(&own);
        rc = rows_read_of(e, JOB_ROWS_SUMMARY, params, count, fs, &own, err);
        is_own = rc == 0;
        if (is_own)
            table_move(&own, ret);
        rc = rc == -ENOENT ? 0 : rc;
    }
    if (rc == 0 && !is_own)
        return err_set(
            err, ENOENT,
            "servers counted a job of its id, on a file system that jobs of " SPAN_FMT
            " do not use",
            SPAN_ARG(cluster));
    return rc;
}

static int rows_read(void *arg, enum job_rows rows, const struct job_rows_param *params,
                     size_t count, struct table *ret, struct err *err)
{
    const struct job_evidence *e = arg;
    const struct span any = { 0 };
    return rows == JOB_ROWS_SUMMARY
               ? own_rows_read(e, params, count, ret, err)
               : rows_read_of(e, rows, params, count, any, ret, err);
}

static int evidence_servers(void *arg, const struct job_request *job,
                            struct job_servers *ret, struct err *err)
{
    const struct job_rows_source source = { arg, rows_read };
    return job_server_rows_read(&source, job, ret, err);
}

/* ---- how targets were ---- */

static int evidence_space(void *arg, const struct job_target_request *request,
                          struct table *ret, struct err *err)
{
    const struct job_evidence *e = arg;
    const struct space_range range = { request->fs, request->from_ns, request->to_ns };
    return space_of_targets(e->readers, e->hold, &range, ret, err);
}

static int evidence_moves(void *arg, const struct job_target_request *request,
                          struct table *ret, struct err *err)
{
    const struct job_evidence *e = arg;
    const struct failover_range range = { request->fs, request->from_ns,
                                          request->to_ns };
    return failovers_of_targets(e->readers, e->hold, &range, ret, err);
}

static int evidence_readings(void *arg, const struct job_target_request *request,
                             struct table *ret, struct err *err)
{
    const struct job_evidence *e = arg;
    const struct failover_range range = { request->fs, request->from_ns,
                                          request->to_ns };
    return health_of_targets(e->readers, e->hold, &range, ret, err);
}

/* ---- the series of a file system, out of the same rows ---- */

static int evidence_series(void *arg, const struct job_window *window,
                           struct job_input_series *ret, struct err *err)
{
    struct job_evidence *e = arg;
    const char *slash = window->mount ? strrchr(window->mount, '/') : NULL;
    if (!slash || !slash[1])
        return err_set(err, ENOENT, "no log names its file system");
    int rc = own_series_open(&e->series, err);
    if (rc == 0)
        rc = lmt_series_choose(e->series.series, slash + 1, err);
    if (rc == -ENOENT)
        return err_set(err, ENOENT, "no rows of file system %s", slash + 1);
    if (rc < 0)
        return rc;
    strbuf_clear(&e->names);
    strbuf_addf(&e->names, "rows of jobstats of %s", slash + 1);
    *ret = (struct job_input_series){ .series = &e->series.series,
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
    const struct node_metrics_opts opts = { .store = store,
                                            .watch = e->readers->watch,
                                            .watch_arg = e->readers->watch_arg,
                                            .cluster = job->cluster,
                                            .hosts = job->hosts,
                                            .job = e->raw_id.size > 0
                                                       ? strbuf_span(&e->raw_id)
                                                       : span_of(job->id),
                                            .from_ns = job->start_s * NS_PER_S,
                                            .to_ns = (job->end_s + 1) * NS_PER_S };
    struct node_samples samples = { 0 };
    int rc = node_metrics_read(&opts, arena, &samples, err);
    if (rc < 0)
        return rc;
    rc = node_peaks_set(e->readers->api->opts.peaks, arena, &samples);
    if (rc < 0)
        return err_set(err, -rc, "metrics of its nodes: %s", strerror(-rc));
    *ret = samples;
    return 0;
}

/* ---- all together ---- */

void job_evidence_init(struct job_evidence *evidence, const struct api_readers *readers,
                       struct span cluster, struct budget_hold *hold)
{
    *evidence =
        (struct job_evidence){ .readers = readers,
                               .cluster = cluster,
                               .hold = hold,
                               .job_cluster = STRBUF_INIT,
                               .names = STRBUF_INIT,
                               .jobs_meter = { hold },
                               .raw_id = STRBUF_INIT,
                               .uid = STRBUF_INIT,
                               .found = { .path = STRBUF_INIT, .bytes = STRBUF_INIT },
                               .found_meter = { hold } };
    own_series_init(&evidence->series, readers, OWN_SERIES_ROWS, hold);
    job_scope_init(&evidence->scope, readers->client);
    strbuf_add_span(&evidence->job_cluster, cluster);
    job_list_init(&evidence->jobs);
    evidence->inputs = (struct job_inputs){ .arg = evidence,
                                            .now_s = clock_now_ns() / NS_PER_S,
                                            .series = evidence_series,
                                            .jobs = evidence_jobs,
                                            .servers = evidence_servers,
                                            .space = evidence_space,
                                            .moves = evidence_moves,
                                            .readings = evidence_readings,
                                            .nodes = evidence_nodes,
                                            .stored = evidence_stored,
                                            .find_log = evidence_log };
}

void job_evidence_done(struct job_evidence *evidence)
{
    own_series_done(&evidence->series);
    strbuf_done(&evidence->job_cluster);
    strbuf_done(&evidence->names);
    strbuf_done(&evidence->raw_id);
    strbuf_done(&evidence->uid);
    found_log_done(&evidence->found);
    budget_meter_done(&evidence->found_meter);
    job_list_done(&evidence->jobs);
    budget_meter_done(&evidence->jobs_meter);
}
