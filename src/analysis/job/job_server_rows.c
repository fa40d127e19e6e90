/* SPDX-License-Identifier: Apache-2.0 */
/* job_server_rows - what the servers counted of a job, out of rows of jobstats. */
#include "analysis/job/job_server_rows.h"

#include "base/number.h"
#include "base/span.h"
#include "base/timetext.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_MAX "100000" /* targets of a file system */
#define HOUR_NS (INT64_C(3600) * NS_PER_S)
#define HOUR_MS (INT64_C(3600) * MS_PER_S)
#define PARAMS_MAX 8
#define STEPS_MS_MAX (INT64_C(100) * 365 * 24 * HOUR_MS) /* no job is longer */
#define STEPS_OPS "write_bytes,read_bytes,metadata"

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

/* ---- over time ---- */

/* Where a table by target and step has what is wanted. */
struct steps_columns {
    int target, from;
    int rates[3]; /* written, read, metadata */
};

static int steps_columns_find(const struct table *t, struct steps_columns *ret,
                              struct err *err)
{
    static const char *const names[] = { "write_bytes_rate", "read_bytes_rate",
                                         "metadata_rate" };
    struct steps_columns p = { table_find_column(t, "target"),
                               table_find_column(t, "from"),
                               { 0 } };
    bool is_whole = p.target >= 0 && t->columns[p.target].type == TABLE_TEXT &&
                    p.from >= 0 && t->columns[p.from].type == TABLE_TIME;
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        p.rates[i] = table_find_column(t, names[i]);
        is_whole =
            is_whole && p.rates[i] >= 0 && t->columns[p.rates[i]].type == TABLE_DOUBLE;
    }
    if (!is_whole)
        return err_set(err, EBADMSG, "the response has other columns than requested");
    *ret = p;
    return 0;
}

static double rate_at(const struct table *t, size_t row, int column)
{
    const struct table_cell *cell = table_at(t, row, (size_t)column);
    return cell->is_null ? NAN : cell->dbl;
}

static int name_order(const void *a, const void *b)
{
    const struct server_steps_row *x = a, *y = b;
    return strcmp(x->name, y->name);
}

/* The targets on which the job did most: bytes, or requests where it moved none. */
static int more_order(const void *a, const void *b)
{
    const struct server_target *const *x = a, *const *y = b;
    for (int m = 0; m < SERVER_MEASURES; m++) {
        uint64_t left = server_flow_of(&(*x)->own, (enum server_measure)m);
        uint64_t right = server_flow_of(&(*y)->own, (enum server_measure)m);
        if (left != right)
            return left > right ? -1 : 1;
    }
    return strcmp((*x)->name, (*y)->name);
}

static int steps_rows_make(struct job_servers *s)
{
    struct server_steps *steps = &s->steps;
    AUTO_FREE const struct server_target **most =
        calloc(s->target_count + 1, sizeof(struct server_target *));
    if (!most)
        return -ENOMEM;
    for (size_t i = 0; i < s->target_count; i++)
        most[i] = &s->targets[i];
    qsort(most, s->target_count, sizeof(struct server_target *), more_order);
    steps->count = s->target_count < JOB_SERVER_STEPS_TARGETS
                       ? s->target_count
                       : JOB_SERVER_STEPS_TARGETS;
    steps->left_out = s->target_count - steps->count;
    steps->rows = arena_alloc(&s->arena, (steps->count + 1) * sizeof *steps->rows);
    for (size_t i = 0; steps->rows && i < steps->count; i++) {
        size_t size = steps->columns * sizeof(double);
        double *values = arena_alloc(&s->arena, 2 * size);
        if (!values)
            return -ENOMEM;
        memset(values, 0, 2 * size);
        steps->rows[i] = (struct server_steps_row){ most[i]->name, most[i]->is_mdt,
                                                    values, values + steps->columns };
    }
    if (!steps->rows)
        return -ENOMEM;
    qsort(steps->rows, steps->count, sizeof *steps->rows, name_order);
    return 0;
}

static void steps_fill(struct server_steps *steps, const struct table *t,
                       const struct steps_columns *p, int64_t step_ms)
{
    for (size_t row = 0; row < t->row_count; row++) {
        const struct table_cell *name = table_at(t, row, (size_t)p->target);
        int64_t from_ms = table_at(t, row, (size_t)p->from)->i64;
        const struct server_steps_row key = { .name = name->is_null ? "" : name->text };
        const struct server_steps_row *found =
            bsearch(&key, steps->rows, steps->count, sizeof *steps->rows, name_order);
        if (!found || from_ms < steps->from_ms || from_ms >= steps->to_ms)
            continue;
        size_t column = (size_t)((from_ms - steps->from_ms) / step_ms);
        found->bytes[column] =
            rate_at(t, row, p->rates[0]) + rate_at(t, row, p->rates[1]);
        found->metadata[column] = rate_at(t, row, p->rates[2]);
    }
}

/* Whole seconds; where they are half an hour or more whole hours from whole hours on,
 * so that rolled-up ones fit into them. */
static int64_t steps_cut(const struct rows_reading *r, struct server_steps *steps)
{
    int64_t span_ms = r->to_ms - r->from_ms;
    int64_t unit_ms =
        span_ms / JOB_SERVER_STEPS_COLUMNS < HOUR_MS / 2 ? MS_PER_S : HOUR_MS;
    int64_t wide_ms = JOB_SERVER_STEPS_COLUMNS * unit_ms;
    int64_t step_ms = (span_ms + wide_ms - 1) / wide_ms * unit_ms;
    steps->from_ms = unit_ms == HOUR_MS ? r->from_ms / HOUR_MS * HOUR_MS : r->from_ms;
    steps->columns = (size_t)((r->to_ms - steps->from_ms + step_ms - 1) / step_ms);
    steps->to_ms = steps->from_ms + (int64_t)steps->columns * step_ms;
    return step_ms;
}

static int steps_read(const struct rows_reading *r, struct job_servers *s,
                      struct err *err)
{
    AUTO(strbuf_done) struct strbuf names = STRBUF_INIT;
    AUTO(table_done) struct table t;
    struct steps_columns p = { 0 };
    char from[TIMETEXT_SIZE], step[32];
    table_init(&t);
    if (s->target_count == 0 || r->to_ms <= r->from_ms ||
        r->to_ms / 2 - r->from_ms / 2 > STEPS_MS_MAX / 2)
        return 0;
    int64_t step_ms = steps_cut(r, &s->steps);
    (void)timetext_print(from, s->steps.from_ms * NS_PER_MS);
    (void)snprintf(step, sizeof step, "%llds", (long long)(step_ms / MS_PER_S));
    if (steps_rows_make(s) < 0)
        return err_set(err, ENOMEM, "out of memory");
    for (size_t i = 0; i < s->steps.count; i++)
        strbuf_addf(&names, "%s%s", i > 0 ? "," : "", s->steps.rows[i].name);
    if (strbuf_error(&names) < 0)
        return err_set(err, ENOMEM, "out of memory");
    const struct job_rows_param params[] = {
        { "job", r->job->id }, { "target", strbuf_text(&names) },
        { "from", from },      { "to", r->to },
        { "step", step },      { "by", "target" },
        { "op", STEPS_OPS },   { "limit", ROWS_MAX },
        { "fs", r->fs },
    };
    int rc = r->source->read(r->source->arg, JOB_ROWS_TOTALS, params,
                             COUNT_OF(params) - !*r->fs, &t, err);
    if (rc == 0)
        rc = steps_columns_find(&t, &p, err);
    if (rc == 0)
        steps_fill(&s->steps, &t, &p, step_ms);
    return rc;
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
    if (rc == 0 && job->wants_steps)
        rc = steps_read(&r, &s, err);
    if (rc < 0)
        return rc;
    *ret = s;
    s = (struct job_servers){ 0 };
    return 0;
}
