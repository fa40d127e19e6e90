/* SPDX-License-Identifier: Apache-2.0 */
/* job_server_rows - what the servers counted of a job, out of rows of jobstats. */
#include "analysis/job/job_server_rows.h"

#include "base/number.h"
#include "base/span.h"
#include "base/timetext.h"

#include <string.h>

#define ROWS_MAX "100000" /* targets of a file system */
#define HOUR_NS (INT64_C(3600) * NS_PER_S)
#define PARAMS_MAX 8

/* What all queries about one job share. */
struct rows_reading {
    const struct job_rows_source *source;
    const struct job_request *job;
    char fs[128]; /* "": not known */
    char ops[128];
    char from[TIMETEXT_SIZE], to[TIMETEXT_SIZE];
    int64_t from_ms, to_ms; /* of the job's rows */
};

struct rows_params {
    struct job_rows_param items[PARAMS_MAX];
    size_t count;
};

static void param_add(struct rows_params *params, const char *name, const char *value)
{
    if (value && *value)
        params->items[params->count++] = (struct job_rows_param){ name, value };
}

/* ---- when ---- */

static int summary_read(struct rows_reading *r, bool has_window, struct err *err)
{
    AUTO(table_done) struct table t;
    struct rows_params params = { .count = 0 };
    table_init(&t);
    param_add(&params, "job", r->job->id);
    param_add(&params, "from", has_window ? r->from : NULL);
    param_add(&params, "to", has_window ? r->to : NULL);
    int rc = r->source->read(r->source->arg, JOB_ROWS_SUMMARY, params.items,
                             params.count, &t, err);
    if (rc < 0)
        return rc;
    int from = table_find_column(&t, "from");
    int to = table_find_column(&t, "to");
    int fs = table_find_column(&t, "fs");
    if (from < 0 || to < 0 || fs < 0 || t.columns[from].type != TABLE_TIME ||
        t.columns[to].type != TABLE_TIME || t.columns[fs].type != TABLE_TEXT ||
        t.row_count != 1)
        return err_set(err, EBADMSG, "the response has other columns than requested");
    r->from_ms = table_at(&t, 0, (size_t)from)->i64;
    r->to_ms = table_at(&t, 0, (size_t)to)->i64;
    const struct table_cell *name = table_at(&t, 0, (size_t)fs);
    (void)snprintf(r->fs, sizeof r->fs, "%s", name->is_null ? "" : name->text);
    return 0;
}

/* From the first reading before the job's rows to its last row.  Where an id stands for
 * more than this run (they come again after years), rows near the run are read. */
static int rows_window_find(struct rows_reading *r, struct err *err)
{
    const struct job_request *job = r->job;
    const int64_t start_ns = job->start_s * NS_PER_S;
    const int64_t end_ns =
        job->run && job->run->run_s > 0
            ? start_ns + (int64_t)(job->run->run_s * (double)NS_PER_S)
            : job->end_s * NS_PER_S;
    int rc = summary_read(r, false, err);
    bool is_near = rc == 0 && r->from_ms * NS_PER_MS >= start_ns - HOUR_NS &&
                   r->to_ms * NS_PER_MS <= end_ns + HOUR_NS;
    if (rc == 0 && !is_near) {
        (void)timetext_print(r->from, start_ns);
        (void)timetext_print(r->to, end_ns + HOUR_NS / 6);
        rc = summary_read(r, true, err);
    }
    if (rc < 0)
        return rc;
    (void)timetext_print(r->from, r->from_ms * NS_PER_MS);
    (void)timetext_print(r->to, r->to_ms * NS_PER_MS);
    return 0;
}

/* ---- who ---- */

/* The biggest rows by target, or by target, job and user where targets are named. */
static int totals_read(const struct rows_reading *r, const char *job,
                       const char *targets, struct table *ret, struct err *err)
{
    struct rows_params params = { .count = 0 };
    param_add(&params, "fs", r->fs);
    param_add(&params, "job", job);
    param_add(&params, "target", targets);
    param_add(&params, "from", r->from);
    param_add(&params, "to", r->to);
    param_add(&params, "by", targets ? "target,job,user" : "target");
    param_add(&params, "op", r->ops);
    param_add(&params, "limit", ROWS_MAX);
    return r->source->read(r->source->arg, JOB_ROWS_TOTALS, params.items, params.count,
                           ret, err);
}

static int jobs_of_targets_read(const struct rows_reading *r,
                                struct job_servers *servers, struct err *err)
{
    AUTO(strbuf_done) struct strbuf names = STRBUF_INIT;
    AUTO(table_done) struct table by_job;
    size_t count = servers->target_count;
    table_init(&by_job);
    if (count > JOB_SERVER_ROWS_QUERIED)
        count = JOB_SERVER_ROWS_QUERIED;
    for (size_t i = 0; i < count; i++)
        strbuf_addf(&names, "%s%s", i > 0 ? "," : "", servers->targets[i].name);
    if (strbuf_error(&names) < 0)
        return err_set(err, ENOMEM, "out of memory");
    if (count == 0)
        return 0;
    int rc = totals_read(r, NULL, strbuf_text(&names), &by_job, err);
    return rc == 0
               ? job_servers_add_neighbours(servers, count, r->job->id, &by_job, err)
               : rc;
}

static int texts_copy(struct job_servers *s, const struct rows_reading *r,
                      const struct table *own, struct err *err)
{
    int user = table_find_column(own, "user");
    s->fs = *r->fs ? arena_dup(&s->arena, span_of(r->fs)) : NULL;
    s->user = NULL;
    if (user >= 0 && own->row_count > 0 && !table_at(own, 0, (size_t)user)->is_null)
        s->user = arena_dup(&s->arena, span_of(table_at(own, 0, (size_t)user)->text));
    return *r->fs && !s->fs ? err_set(err, ENOMEM, "out of memory") : 0;
}

static void ops_print(struct rows_reading *r)
{
    size_t size = 0;
    for (size_t i = 0; i < job_servers_op_count && size < sizeof r->ops; i++)
        size += (size_t)snprintf(r->ops + size, sizeof r->ops - size, "%s%s",
                                 i > 0 ? "," : "", job_servers_ops[i]);
}

int job_server_rows_read(const struct job_rows_source *source,
                         const struct job_request *job, struct job_servers *ret,
                         struct err *err)
{
    AUTO(table_done) struct table own;
    AUTO(table_done) struct table all;
    AUTO(job_servers_done) struct job_servers s = { 0 };
    struct rows_reading r = { .source = source, .job = job };
    table_init(&own);
    table_init(&all);
    if (!job->id || strcmp(job->id, "0") == 0)
        return err_set(err, ENOENT, "the log names no job");
    ops_print(&r);
    int rc = rows_window_find(&r, err);
    if (rc == 0)
        rc = totals_read(&r, job->id, NULL, &own, err);
    if (rc == 0)
        rc = totals_read(&r, NULL, NULL, &all, err);
    if (rc == 0)
        rc = job_servers_make(job->run, &own, &all, &s, err);
    if (rc < 0)
        return rc;
    s.from_ms = r.from_ms;
    s.to_ms = r.to_ms;
    rc = texts_copy(&s, &r, &own, err);
    if (rc == 0)
        rc = jobs_of_targets_read(&r, &s, err);
    if (rc < 0)
        return rc;
    *ret = s;
    s = (struct job_servers){ 0 };
    return 0;
}
