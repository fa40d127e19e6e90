/* SPDX-License-Identifier: Apache-2.0 */
/* job_steps - steps of jobs, stored with the runs that batch systems report. */
#include "records/job/job_steps.h"

#include "records/submitted.h"

int records_put_job_steps(struct records *records, const struct job *jobs, size_t count,
                          int64_t now_ms, struct records_submission *submission,
                          struct err *err)
{
    struct submission put;
    struct records_submission stored = { 0 };
    int rc = submission_begin(&put, records, &ledger_job_steps, count, RECORDS_JOBS_MAX,
                              now_ms, err);
    for (size_t i = 0; i < count && rc == 0; i++) {
        const struct scalar *row = NULL;
        if (jobs[i].step.size == 0)
            continue;
        const char *reason = job_check(&jobs[i]);
        if (!reason)
            reason = submission_check_age(&put, jobs[i].end_ns != JOB_TIME_NONE
                                                    ? jobs[i].end_ns
                                                    : jobs[i].start_ns);
        if (reason) {
            submission_refuse(&put, i, reason);
            continue;
        }
        rc = step_ledger_row(&jobs[i], now_ms, put.arena, &row);
        if (rc == 0)
            submission_add(&put, row);
    }
    if (rc == 0)
        rc = submission_end(&put, &stored, err);
    if (rc < 0)
        return rc;
    submission->refused += stored.refused;
    for (size_t i = 0; i < stored.refusal_count &&
                       submission->refusal_count < RECORDS_SUBMISSION_REFUSALS_MAX;
         i++)
        submission->refusals[submission->refusal_count++] = stored.refusals[i];
    return 0;
}

/* ---- finding ---- */

struct steps_find {
    const struct job_step_filter *filter;
    records_job_fn *fn;
    void *arg;
    size_t count;
    bool has_more;
    struct strbuf name;
};

static int on_step_row(void *arg, const struct scalar *row)
{
    struct steps_find *find = arg;
    struct job step;
    int rc = step_ledger_step(row, &find->name, &step);
    if (rc < 0)
        return rc;
    if (find->filter->limit && find->count == find->filter->limit) {
        find->has_more = true;
        return 1;
    }
    find->count++;
    rc = find->fn(find->arg, &step);
    return rc < 0 ? rc : 0;
}

int records_find_job_steps(struct records_reader *reader,
                           const struct job_step_filter *filter, records_job_fn *fn,
                           void *arg, bool *ret_has_more, struct err *err)
{
    struct ledger_terms terms = { 0 };
    struct steps_find find = { .filter = filter, .fn = fn, .arg = arg };
    terms_add_text(&terms, "cluster = @", filter->cluster);
    terms_add_text(&terms, "id = @", filter->id);
    terms_add_text(&terms, "step = @", filter->step);
    terms_add_i64(&terms, "start_ns >= @", filter->from_ns);
    terms_add_i64(&terms, "start_ns <= @", filter->to_ns);
    const struct ledger_query query = { .ledger = &ledger_job_steps,
                                        .terms = terms.terms,
                                        .term_count = terms.count,
                                        .order = "start_ns, step",
                                        .limit =
                                            filter->limit ? filter->limit + 1 : 0 };
    int rc = ledger_read(reader, &query, on_step_row, &find, err);
    strbuf_done(&find.name);
    if (rc == 0)
        *ret_has_more = find.has_more;
    return rc;
}
