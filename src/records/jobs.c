/* SPDX-License-Identifier: Apache-2.0 */
/* jobs - runs of jobs: submitted, found. */
#include "records/jobs.h"

#include "records/job/job_steps.h"
#include "records/names/id_names_of_jobs.h"
#include "records/records_private.h"
#include "records/submitted.h"

/* As LEDGER_IS_OLD has it: what waits is as young as its telling. */
static int64_t age_of(const struct job *job)
{
    return job->end_ns != JOB_TIME_NONE ? job->end_ns : job->start_ns;
}

int records_put_jobs(struct records *records, const struct job *jobs, size_t count,
                     int64_t now_ms, struct records_submission *ret, struct err *err)
{
    struct submission put;
    bool has_steps = false;
    int rc = submission_begin(&put, records, &ledger_jobs, count, RECORDS_JOBS_MAX,
                              now_ms, err);
    for (size_t i = 0; i < count && rc == 0; i++) {
        const struct scalar *row = NULL;
        if (jobs[i].step.size > 0) {
            has_steps = true;
            continue;
        }
        const char *reason = job_check(&jobs[i]);
        if (!reason)
            reason = submission_check_age(&put, age_of(&jobs[i]));
        if (reason) {
            submission_refuse(&put, i, reason);
            continue;
        }
        rc = job_ledger_row(&jobs[i], now_ms, put.arena, &row);
        if (rc == 0)
            submission_add(&put, row);
    }
    if (rc == 0)
        rc = submission_end(&put, ret, err);
    records->job_puts += rc == 0;
    if (rc == 0)
        rc = id_names_put_of_jobs(records, jobs, count, now_ms, err);
    if (rc == 0 && has_steps)
        rc = records_put_job_steps(records, jobs, count, now_ms, ret, err);
    return rc;
}

/* ---- finding ---- */

struct jobs_find {
    const struct job_filter *filter;
    const struct hostset *nodes; /* of the filter's node */
    records_job_fn *fn;
    void *arg;
    size_t count;
    bool has_more;
    struct strbuf name;
};

static int on_row(void *arg, const struct scalar *row)
{
    struct jobs_find *find = arg;
    struct job job;
    int rc = job_ledger_job(row, &find->name, &job);
    if (rc < 0)
        return rc;
    if (find->nodes && !job_ran_on(&job, find->nodes))
        return 0;
    if (find->filter->limit && find->count == find->filter->limit) {
        find->has_more = true;
        return 1;
    }
    find->count++;
    rc = find->fn(find->arg, &job);
    return rc < 0 ? rc : 0;
}

/* A column that is empty is null, so that an empty name finds nothing. */
static const struct owner_sql owner_sql = {
    .cluster = "cluster = @",
    .user = "\"user\" = @",
    .uid = "uid = @",
    .account = "account = @",
};

int records_find_jobs(struct records_reader *reader, const struct job_filter *filter,
                      records_job_fn *fn, void *arg, bool *ret_has_more,
                      struct err *err)
{
    struct ledger_terms terms = { 0 };
    AUTO(hostset_free) struct hostset *nodes = NULL;
    if (filter->node.data) {
        int rc = hostset_parse(filter->node, &nodes, err);
        if (rc < 0)
            return rc;
    }
    struct jobs_find find = { .filter = filter, .nodes = nodes, .fn = fn, .arg = arg };
    terms_add_owners(&terms, &owner_sql, filter->owners);
    terms_add_text(&terms, "cluster = @", filter->cluster);
    terms_add_text(&terms, "(id = @ OR raw_id = @)", filter->id);
    terms_add_text(&terms, "substr(id, 1, length(@) + 1) = @ || '_'", filter->array);
    terms_add_text(&terms,
                   id_is_number(filter->user) ? "(uid = @ OR \"user\" = @)"
                                              : "\"user\" = @",
                   filter->user);
    terms_add_text(&terms, "account = @", filter->account);
    terms_add_text(&terms, "(state = @ OR substr(state, 1, length(@) + 1) = @ || ' ')",
                   filter->state);
    /* The expression is that of an index: what runs still ends last. */
    if (filter->from_ns != JOB_TIME_NONE)
        terms_add_i64(&terms, LEDGER_END " > @", filter->from_ns);
    if (filter->from_ns != JOB_TIME_NONE || filter->to_ns != JOB_TIME_NONE)
        terms_add_i64(&terms, "start_ns > 0 AND start_ns < @",
                      filter->to_ns != JOB_TIME_NONE ? filter->to_ns : INT64_MAX);
    /* One more says that there are more; nodes are looked at row by row. */
    bool is_bounded = filter->limit > 0 && !filter->node.data;
    const struct ledger_query query = { .ledger = &ledger_jobs,
                                        .terms = terms.terms,
                                        .term_count = terms.count,
                                        .order = "start_ns DESC, cluster, id",
                                        .limit = is_bounded ? filter->limit + 1 : 0 };
    int rc = ledger_read(reader, &query, on_row, &find, err);
    strbuf_done(&find.name);
    if (rc == 0 && ret_has_more)
        *ret_has_more = find.has_more;
    return rc;
}
