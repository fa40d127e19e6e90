/* SPDX-License-Identifier: Apache-2.0 */
/* diff_route - GET /v1/diff: in what jobs differ. */
#include "api/diff/diff_route.h"

#include "analysis/pair/pair.h"
#include "api/diff/diff_metrics.h"
#include "api/job_evidence.h"
#include "api/params.h"
#include "base/number.h"
#include "base/span.h"
#include "base/utf8.h"
#include "report/report.h"

#include <string.h>

#define FLOOR_PERCENT_MAX 100000

struct diff_job {
    char name[JOB_WORD_BYTES_MAX + 1]; /* as it was requested */
    char cluster[JOB_WORD_BYTES_MAX + 1];
    const char *id; /* behind the cluster in name */
    bool has_cluster;
};

struct diff_query {
    struct diff_job jobs[RUN_SPREAD_RUNS_MAX];
    size_t count;
    char cluster[JOB_WORD_BYTES_MAX + 1];
    bool has_cluster;
    uint64_t floor_percent; /* 0: the default */
    enum table_form form;
};

/* ---- the query ---- */

static int word_copy(const char *name, struct span value,
                     char ret[static JOB_WORD_BYTES_MAX + 1], struct err *err)
{
    if (value.size == 0 || value.size > JOB_WORD_BYTES_MAX ||
        memchr(value.data, 0, value.size) || !utf8_is_valid(value))
        return err_set(err, EINVAL, "%s: empty, too long, or no text", name);
    memcpy(ret, value.data, value.size);
    ret[value.size] = 0;
    return 0;
}

static int job_add(struct diff_query *q, struct span word, struct err *err)
{
    if (q->count == RUN_SPREAD_RUNS_MAX)
        return err_set(err, EINVAL, "jobs: more than %d", RUN_SPREAD_RUNS_MAX);
    struct diff_job *job = &q->jobs[q->count];
    int rc = word_copy("jobs", word, job->name, err);
    for (size_t i = 0; rc == 0 && i < q->count; i++)
        if (strcmp(q->jobs[i].name, job->name) == 0)
            rc = err_set(err, EINVAL, "jobs: '%s' is given twice", job->name);
    if (rc < 0)
        return rc;
    char *slash = strchr(job->name, '/');
    job->id = job->name;
    if (slash && slash > job->name && slash[1]) {
        job->has_cluster = true;
        memcpy(job->cluster, job->name, (size_t)(slash - job->name));
        job->id = slash + 1;
    }
    q->count++;
    return 0;
}

static int jobs_split(struct diff_query *q, struct span list, struct err *err)
{
    struct span word;
    int rc = 0;
    bool goes_on = true;
    while (rc == 0 && goes_on) {
        goes_on = span_cut(&list, ',', &word);
        rc = job_add(q, word, err);
    }
    return rc;
}

static int param_read(struct diff_query *q, struct span name, struct span value,
                      struct err *err)
{
    if (span_is(name, "jobs"))
        return jobs_split(q, value, err);
    if (span_is(name, "cluster")) {
        q->has_cluster = true;
        return word_copy("cluster", value, q->cluster, err);
    }
    if (span_is(name, "format") && span_is(value, "text")) {
        q->form = TABLE_FORM_TABLE;
        return 0;
    }
    if (span_is(name, "format") && !span_is(value, "table") &&
        table_form_parse(value, &q->form) == 0)
        return 0;
    if (span_is(name, "floor") && number_parse_u64(value, &q->floor_percent) == 0 &&
        q->floor_percent >= 1 && q->floor_percent <= FLOOR_PERCENT_MAX)
        return 0;
    return api_params_refuse_value(PARAM_DIFF, name, value, err);
}

int diff_read(struct net_request *request, void **ret_query, struct err *err)
{
    AUTO_FREE struct diff_query *q = calloc(1, sizeof *q);
    struct span name, value;
    int rc = q ? 0 : -ENOMEM;
    if (q)
        q->form = TABLE_FORM_JSON;
    for (size_t i = 0; rc == 0 && net_request_query_at(request, i, &name, &value); i++)
        rc = api_params_is_repeated(request, i, name)
                 ? err_set(err, EINVAL, SPAN_FMT ": it is given twice", SPAN_ARG(name))
                 : param_read(q, name, value, err);
    if (rc == 0 && q->count < 2)
        rc = err_set(err, EINVAL, "jobs: at least two are wanted: jobs=4711,4712");
    if (rc == 0)
        *ret_query = TAKE(q);
    return rc;
}

/* ---- the runs ---- */

static struct span cluster_of(const struct diff_query *q, const struct diff_job *job)
{
    return job->has_cluster ? span_of(job->cluster)
           : q->has_cluster ? span_of(q->cluster)
                            : (struct span){ 0 };
}

/* Of a job that the client may see, as every route of one job has it. */
static int run_read(const struct api_readers *readers, const struct diff_query *q,
                    const struct diff_job *job, struct budget_hold *hold,
                    struct profile *ret, struct err *err)
{
    AUTO(job_evidence_done) struct job_evidence evidence;
    AUTO(job_context_done) struct job_context context;
    AUTO(job_found_done) struct job_found found = { 0 };
    job_context_init(&context);
    job_evidence_init(&evidence, readers, cluster_of(q, job), hold);
    int rc = job_find_log(&evidence.inputs, job->id, &context, &found, err);
    if (rc == 0)
        *ret = found.run;
    return rc;
}

static void floors_set(const struct diff_query *q, struct job_pair *pair)
{
    job_pair_floor(pair, q->floor_percent ? (double)q->floor_percent / 100
                                          : DIFFERENCE_FLOOR_DEFAULT);
}

static void pair_write(const struct diff_query *q, const struct profile *runs,
                       struct strbuf *out)
{
    AUTO(job_pair_done) struct job_pair pair = { .runs = { runs[0], runs[1] } };
    floors_set(q, &pair);
    job_pair_compare(&pair);
    if (q->form == TABLE_FORM_TABLE)
        job_pair_print_text(&pair, out);
    else
        job_pair_print_rows(&pair, q->form, out);
}

/* A row a run. */
static int runs_write(const struct diff_query *q, const struct profile *runs,
                      struct strbuf *out)
{
    AUTO(job_pair_done) struct job_pair pair = { 0 };
    AUTO(table_done) struct table table;
    const char *names[RUN_SPREAD_RUNS_MAX];
    struct run_spread spread;
    table_init(&table);
    floors_set(q, &pair);
    for (size_t i = 0; i < q->count; i++)
        names[i] = q->jobs[i].name;
    run_spread_find(runs, q->count, pair.floors, &spread);
    job_runs_table(&spread, runs, names, q->count, &table);
    const struct result_form form = { .form = q->form };
    AUTO(strbuf_done) struct strbuf notes = STRBUF_INIT;
    if (table_error(&table) < 0)
        return -ENOMEM;
    result_print(&table, &form, out, &notes);
    return strbuf_error(out);
}

/* why: that the log of one is not there, which is what remains where metrics are not
 * either. */
static int metrics_write(const struct api_readers *readers, const struct diff_query *q,
                         const struct err *why, struct api_result *ret, struct err *err)
{
    AUTO(diff_metrics_free) struct diff_metrics *diff = NULL;
    struct diff_metrics_job jobs[2];
    for (size_t i = 0; i < 2; i++)
        jobs[i] = (struct diff_metrics_job){ q->jobs[i].name, q->jobs[i].id,
                                             cluster_of(q, &q->jobs[i]) };
    int rc = diff_metrics_find(readers, jobs, (double)q->floor_percent / 100, ret->hold,
                               &diff, err);
    if (rc == -ENOENT)
        *err = *why;
    if (rc < 0)
        return rc;
    if (q->form == TABLE_FORM_TABLE)
        metric_pair_print_text(&diff->pair, why->text, ret->body);
    else
        metric_pair_print_rows(&diff->pair, q->form, ret->body);
    return strbuf_error(ret->body);
}

/* The datasets of a job, and what it ran with, as far as they are the client's. */
static int ran_with_read(const struct api_readers *readers, const struct diff_query *q,
                         const struct diff_job *job, struct budget_hold *hold,
                         struct job_context *context, struct err *err)
{
    AUTO(job_evidence_done) struct job_evidence evidence;
    job_evidence_init(&evidence, readers, cluster_of(q, job), hold);
    return evidence.inputs.stored(evidence.inputs.arg, job->id, context, err);
}

/* Behind the differences of their logs or metrics, or instead, where those of one are
 * not there: rc, *err. */
static int ran_with_write(const struct api_readers *readers, const struct diff_query *q,
                          int rc, struct api_result *ret, struct err *err)
{
    AUTO(job_context_done) struct job_context a;
    AUTO(job_context_done) struct job_context b;
    struct err why = { 0 };
    size_t before = ret->body->size;
    job_context_init(&a);
    job_context_init(&b);
    if (q->count != 2 || q->form != TABLE_FORM_TABLE || (rc < 0 && rc != -ENOENT))
        return rc;
    if (ran_with_read(readers, q, &q->jobs[0], ret->hold, &a, &why) < 0 ||
        ran_with_read(readers, q, &q->jobs[1], ret->hold, &b, &why) < 0)
        return rc;
    if (rc < 0)
        strbuf_addf(ret->body, "%s\n", err->text);
    size_t begun = ret->body->size;
    datasets_diff_print(&a.datasets, &b.datasets, ret->body);
    ran_with_diff_print(&a.ran_with, &b.ran_with, ret->body);
    if (ret->body->size > begun)
        return strbuf_error(ret->body);
    ret->body->size = before;
    return rc;
}

static int performance_fetch(const struct api_readers *readers, const void *query,
                             struct api_result *ret, struct err *err)
{
    static const char *const types[] = {
        [TABLE_FORM_TABLE] = "text/plain; charset=utf-8",
        [TABLE_FORM_JSON] = NULL,
        [TABLE_FORM_CSV] = "text/csv; charset=utf-8",
    };
    const struct diff_query *q = query;
    AUTO_FREE struct profile *runs = calloc(q->count, sizeof *runs);
    if (!runs)
        return err_set(err, ENOMEM, "out of memory");
    int rc = budget_hold_add(ret->hold, q->count * sizeof *runs);
    for (size_t i = 0; rc == 0 && i < q->count; i++) {
        /* Looking for one log may take time_max of [darshan]. */
        rc = readers->watch ? readers->watch(readers->watch_arg) : 0;
        if (rc == 0)
            rc = run_read(readers, q, &q->jobs[i], ret->hold, &runs[i], err);
    }
    ret->content_type = types[q->form];
    if (rc == -ENOENT && q->count == 2) {
        const struct err why = *err;
        *err = (struct err){ 0 };
        return metrics_write(readers, q, &why, ret, err);
    }
    if (rc == 0 && q->count == 2)
        pair_write(q, runs, ret->body);
    else if (rc == 0)
        rc = runs_write(q, runs, ret->body);
    return rc < 0 ? rc : strbuf_error(ret->body);
}

int diff_fetch(const struct api_readers *readers, const void *query,
               struct api_result *ret, struct err *err)
{
    int rc = performance_fetch(readers, query, ret, err);
    return ran_with_write(readers, query, rc, ret, err);
}
