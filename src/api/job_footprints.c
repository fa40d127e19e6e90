/* SPDX-License-Identifier: Apache-2.0 */
/* job_footprints - GET /v1/jobs?footprint=: runs with what is stored of their nodes'
 * metrics. */
#include "api/job_footprints.h"

#include "base/span.h"
#include "base/table/table.h"
#include "report/report.h"

/* Of so many runs the worst are found; those of a part would be others. */
#define RUNS_MAX 1000000

struct footprints_read {
    struct run_metrics runs;
    struct budget_meter meter;
    const struct job_scope *scope;
    int64_t from_ns, to_ns; /* in which the runs began */
};

static int on_run(void *arg, const struct job *run)
{
    struct footprints_read *r = arg;
    int rc = budget_meter_follow(&r->meter, run_metrics_bytes(&r->runs));
    if (rc < 0 || run->start_ns == JOB_TIME_NONE || !job_scope_has(r->scope, run))
        return rc;
    if (run->start_ns < r->from_ns)
        r->from_ns = run->start_ns;
    if (run->start_ns > r->to_ns)
        r->to_ns = run->start_ns;
    return run_metrics_add_run(&r->runs, run);
}

static int on_metric(void *arg, const struct job_metric *metric)
{
    struct footprints_read *r = arg;
    return run_metrics_add(&r->runs, metric);
}

/* Each metric once, and what is of the run as a whole. */
static int metrics_read(const struct api_readers *readers, struct footprints_read *r,
                        struct err *err)
{
    const char *names[RUN_METRIC_COLUMNS_MAX + 1] = { "" };
    size_t count = 1;
    for (size_t i = 0; i < r->runs.column_count; i++) {
        bool is_there = false;
        for (size_t j = 0; j < count; j++)
            is_there = is_there || strcmp(names[j], r->runs.columns[i].metric) == 0;
        if (!is_there)
            names[count++] = r->runs.columns[i].metric;
    }
    const struct job_metric_filter filter = {
        .metric = names, .metric_count = count, .from_ns = r->from_ns, .to_ns = r->to_ns
    };
    return r->runs.count == 0
               ? 0
               : records_find_job_metrics(readers->rows, &filter, on_metric, r, err);
}

static int runs_read(const struct api_readers *readers, const struct job_filter *filter,
                     const struct job_footprints_opts *opts, struct footprints_read *r,
                     bool *ret_has_more, struct err *err)
{
    struct job_filter runs = *filter;
    size_t column;
    runs.limit = opts->worst.data ? RUNS_MAX : opts->limit;
    int rc = run_metrics_parse(&r->runs, opts->columns, err);
    if (rc == 0)
        rc = records_find_jobs(readers->rows, &runs, on_run, r, ret_has_more, err);
    if (rc == 0 && opts->worst.data && *ret_has_more)
        return err_set(err, E2BIG, "there are over %d runs: name a window, or a user",
                       RUNS_MAX);
    if (rc == 0)
        rc = metrics_read(readers, r, err);
    if (rc == 0 && opts->worst.data &&
        run_metrics_column(&r->runs, opts->worst, &column) == 0) {
        *ret_has_more = r->runs.count > opts->limit;
        run_metrics_sort(&r->runs, column);
    }
    return rc;
}

static int runs_print(const struct job_footprints_opts *opts, struct footprints_read *r,
                      bool has_more, struct api_result *ret)
{
    AUTO(table_done) struct table table;
    table_init(&table);
    run_metrics_table(&r->runs, opts->limit, &table);
    if (has_more && !opts->worst.data)
        table_add_note(&table, "there are more: query with a higher limit, or less");
    int rc = budget_meter_follow(&r->meter,
                                 run_metrics_bytes(&r->runs) + table_bytes(&table));
    if (rc == 0)
        rc = table_error(&table);
    if (rc < 0)
        return rc;
    ret->has_more = has_more && !opts->worst.data;
    opts->is_objects ? table_print_objects(&table, ret->body)
                     : table_to_json(&table, ret->body);
    return 0;
}

int job_footprints_fetch(const struct api_readers *readers,
                         const struct job_filter *filter,
                         const struct job_footprints_opts *opts, struct api_result *ret,
                         struct err *err)
{
    struct footprints_read r = {
        .meter = { ret->hold }, .scope = opts->scope, .from_ns = INT64_MAX, .to_ns = 0
    };
    bool has_more = false;
    run_metrics_init(&r.runs);
    int rc = runs_read(readers, filter, opts, &r, &has_more, err);
    if (rc == 0)
        rc = runs_print(opts, &r, has_more, ret);
    run_metrics_done(&r.runs);
    budget_meter_done(&r.meter);
    return rc;
}
