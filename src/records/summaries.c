/* SPDX-License-Identifier: Apache-2.0 */
/* summaries - summaries of the logs of jobs: submitted, found. */
#include "records/summaries.h"

#include "records/submitted.h"

static int64_t age_of(const struct summary *summary)
{
    int64_t end_ns = summary_time_ns(summary, SUMMARY_END);
    return end_ns != INT64_MIN ? end_ns : summary_time_ns(summary, SUMMARY_START);
}

int records_put_summaries(struct records *records, const struct summary *summaries,
                          size_t count, int64_t now_ms, struct records_submission *ret,
                          struct err *err)
{
    struct submission put;
    int rc = submission_begin(&put, records, ledger_summaries(), count,
                              RECORDS_SUMMARIES_MAX, now_ms, err);
    for (size_t i = 0; i < count && rc == 0; i++) {
        const char *reason = summary_check(&summaries[i]);
        if (!reason)
            reason = submission_check_age(&put, age_of(&summaries[i]));
        if (reason) {
            submission_refuse(&put, i, reason);
            continue;
        }
        const struct scalar *row = summary_ledger_row(&summaries[i], now_ms, put.arena);
        if (row)
            submission_add(&put, row);
        else
            rc = -ENOMEM;
    }
    return rc < 0 ? rc : submission_end(&put, ret, err);
}

/* ---- reading ---- */

struct summaries_find {
    const struct summary_filter *filter;
    records_summary_fn *fn;
    void *arg;
    size_t count;
    bool has_more;
};

static int on_row(void *arg, const struct scalar *row)
{
    struct summaries_find *find = arg;
    struct scalar scalars[SUMMARY_COLUMN_COUNT];
    struct summary summary;
    if (find->filter->limit && find->count == find->filter->limit) {
        find->has_more = true;
        return 1;
    }
    summary_ledger_summary(row, scalars, &summary);
    find->count++;
    int rc = find->fn(find->arg, &summary);
    return rc < 0 ? rc : 0;
}

/* Clocks of nodes and of the batch system differ by less than this: 600 s.  Ids come
 * again after longer. */
#define RUN_HAS(condition)                                                             \
    "EXISTS (SELECT 1 FROM job_runs r WHERE r.cluster = job_summary_rows.cluster AND " \
    "(r.id = job_summary_rows.job OR r.raw_id = job_summary_rows.job) AND "            \
    "r.start_ns > 0 AND job_summary_rows.start_ns >= r.start_ns - 600000000000 AND "   \
    "job_summary_rows.start_ns <= "                                                    \
    "coalesce(r.end_ns, 9000000000000000000) + 600000000000 AND " condition ")"

static const struct owner_sql owner_sql = {
    .cluster = "cluster = @",
    .user = RUN_HAS("r.\"user\" = @"),
    .uid = RUN_HAS("r.uid = @"),
    .account = RUN_HAS("r.account = @"),
};

int records_find_summaries(struct records_reader *reader,
                           const struct summary_filter *filter, records_summary_fn *fn,
                           void *arg, bool *ret_has_more, struct err *err)
{
    struct ledger_terms terms = { 0 };
    struct summaries_find find = { .filter = filter, .fn = fn, .arg = arg };
    terms_add_owners(&terms, &owner_sql, filter->owners);
    terms_add_text(&terms, "cluster = @", filter->cluster);
    terms_add_text(&terms, "job = @", filter->job);
    terms_add_text(&terms, "jobsdb_user = @", filter->user);
    terms_add_text(&terms, "darshan_app = @", filter->app);
    terms_add_text(&terms, "_file_system = @", filter->fs);
    if (filter->from_ns != JOB_TIME_NONE)
        terms_add_i64(&terms, LEDGER_END " > @", filter->from_ns);
    if (filter->to_ns != JOB_TIME_NONE)
        terms_add_i64(&terms, "start_ns < @", filter->to_ns);
    const struct ledger_query query = {
        .ledger = ledger_summaries(),
        .terms = terms.terms,
        .term_count = terms.count,
        .order = "coalesce(start_ns, 0) DESC, cluster, job, log",
        .limit = filter->limit ? filter->limit + 1 : 0,
    };
    int rc = ledger_read(reader, &query, on_row, &find, err);
    if (rc == 0 && ret_has_more)
        *ret_has_more = find.has_more;
    return rc;
}
