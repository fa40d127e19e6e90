/* SPDX-License-Identifier: Apache-2.0 */
/* job_metrics - footprints of runs: what each metric was, stored when they ended. */
#include "records/job/job_metrics.h"

#include "base/span.h"
#include "records/submitted.h"

#include <assert.h>

int records_put_job_metrics(struct records *records, const struct job_metric *metrics,
                            size_t count, int64_t now_ms,
                            struct records_submission *ret, struct err *err)
{
    struct submission put;
    int rc = submission_begin(&put, records, &ledger_job_metrics, count,
                              RECORDS_JOB_METRICS_MAX, now_ms, err);
    for (size_t i = 0; i < count && rc == 0; i++) {
        const char *reason = job_metric_check(&metrics[i]);
        if (!reason)
            reason = submission_check_age(&put, metrics[i].end_ns);
        if (reason) {
            submission_refuse(&put, i, reason);
            continue;
        }
        const struct scalar *row =
            job_metric_ledger_row(&metrics[i], now_ms, put.arena);
        if (row)
            submission_add(&put, row);
        else
            rc = -ENOMEM;
    }
    return rc < 0 ? rc : submission_end(&put, ret, err);
}

/* ---- finding ---- */

struct metrics_find {
    records_job_metric_fn *fn;
    void *arg;
};

static int on_metric_row(void *arg, const struct scalar *row)
{
    const struct metrics_find *find = arg;
    struct job_metric metric;
    job_metric_ledger_metric(row, &metric);
    /* Another program may have stored what is none here. */
    return job_metric_check(&metric) ? 0 : find->fn(find->arg, &metric);
}

static void terms_add_metrics(struct ledger_terms *terms,
                              const struct job_metric_filter *filter)
{
    size_t first = terms->count;
    assert(filter->metric_count <= JOB_METRICS_NAMED_MAX);
    for (size_t i = 0; filter->metric && i < filter->metric_count; i++) {
        terms_add_text(terms, "metric = @", span_of(filter->metric[i]));
        terms->terms[terms->count - 1].is_alternative = terms->count - 1 > first;
    }
}

int records_find_job_metrics(struct records_reader *reader,
                             const struct job_metric_filter *filter,
                             records_job_metric_fn *fn, void *arg, struct err *err)
{
    struct ledger_terms terms = { 0 };
    struct metrics_find find = { fn, arg };
    terms_add_text(&terms, "cluster = @", filter->cluster);
    terms_add_text(&terms, "id = @", filter->id);
    terms_add_i64(&terms, "start_ns >= @", filter->from_ns);
    terms_add_i64(&terms, "start_ns <= @", filter->to_ns);
    terms_add_metrics(&terms, filter);
    const struct ledger_query query = { .ledger = &ledger_job_metrics,
                                        .terms = terms.terms,
                                        .term_count = terms.count,
                                        .order = "cluster, id, start_ns, metric" };
    return ledger_read(reader, &query, on_metric_row, &find, err);
}

struct lacking_find {
    records_job_fn *fn;
    void *arg;
    struct strbuf name;
};

static int on_lacking_row(void *arg, const struct scalar *row)
{
    struct lacking_find *find = arg;
    struct job job;
    int rc = job_ledger_job(row, &find->name, &job);
    return rc < 0 ? rc : find->fn(find->arg, &job);
}

static void lacking_terms(struct ledger_terms *terms, int64_t from_ns, int64_t to_ns)
{
    terms_add_i64(terms, LEDGER_END " >= @", from_ns);
    terms_add_i64(terms, LEDGER_END " <= @", to_ns);
    terms_add_i64(terms, "start_ns > 0 AND end_ns >= start_ns AND end_ns <= @", to_ns);
    terms_add_i64(terms, "start_ns <= @ AND " JOB_METRIC_LEDGER_MISSING, to_ns);
}

int records_find_jobs_without_metrics(struct records_reader *reader, int64_t from_ns,
                                      int64_t to_ns, size_t limit, records_job_fn *fn,
                                      void *arg, struct err *err)
{
    struct ledger_terms terms = { 0 };
    struct lacking_find find = { .fn = fn, .arg = arg };
    lacking_terms(&terms, from_ns, to_ns);
    const struct ledger_query query = { .ledger = &ledger_jobs,
                                        .terms = terms.terms,
                                        .term_count = terms.count,
                                        .order = LEDGER_END ", cluster, id",
                                        .limit = limit };
    int rc = ledger_read(reader, &query, on_lacking_row, &find, err);
    strbuf_done(&find.name);
    return rc;
}
