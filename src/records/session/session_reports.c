/* SPDX-License-Identifier: Apache-2.0 */
/* session_reports - what sessions of users reported: stored once, found. */
#include "records/session/session_reports.h"

#include "base/span.h"
#include "records/submitted.h"
#include "records/transaction.h"

int records_put_session_reports(struct records *records,
                                const struct session_report *reports, size_t count,
                                int64_t now_ms, struct records_submission *ret,
                                struct err *err)
{
    struct submission put;
    int rc = submission_begin(&put, records, &ledger_session_reports, count,
                              RECORDS_SESSION_REPORTS_MAX, now_ms, err);
    for (size_t i = 0; i < count && rc == 0; i++) {
        const char *reason = session_report_check(&reports[i]);
        if (!reason)
            reason = session_report_check_sender(&reports[i]);
        if (!reason)
            reason = submission_check_age(&put, reports[i].t_ns);
        if (reason) {
            submission_refuse(&put, i, reason);
            continue;
        }
        const struct scalar *row = session_ledger_row(&reports[i], now_ms, put.arena);
        if (row)
            submission_add(&put, row);
        else
            rc = -ENOMEM;
    }
    return rc < 0 ? rc : submission_end(&put, ret, err);
}

/* ---- finding ---- */

struct sessions_find {
    records_session_fn *fn;
    void *arg;
    size_t limit, count;
    bool has_more;
};

static int on_session_row(void *arg, const struct scalar *row)
{
    struct sessions_find *find = arg;
    struct session_report report;
    /* Another program may have stored what is none here. */
    if (session_ledger_report(row, &report) < 0)
        return 0;
    if (find->limit && find->count == find->limit) {
        find->has_more = true;
        return 1;
    }
    find->count++;
    return find->fn(find->arg, &report);
}

int records_find_session_reports(struct records_reader *reader,
                                 const struct session_report_filter *filter,
                                 records_session_fn *fn, void *arg, bool *ret_has_more,
                                 struct err *err)
{
    struct ledger_terms terms = { 0 };
    struct sessions_find find = { .fn = fn, .arg = arg, .limit = filter->limit };
    terms_add_i64(&terms, filter->events ? "sequence > @" : "sequence = @", 0);
    terms_add_text(&terms, "uid = @", filter->uid);
    terms_add_text(&terms, "name = @", filter->name);
    terms_add_text(&terms, "session = @", filter->session);
    terms_add_text(&terms, "parent = @", filter->parent);
    terms_add_text(&terms, "cluster = @", filter->cluster);
    terms_add_text(&terms, "job = @", filter->job);
    const struct ledger_query query = {
        .ledger = &ledger_session_reports,
        .terms = terms.terms,
        .term_count = terms.count,
        .order = filter->events ? "uid, session, sequence"
                                : "heard_ns DESC, start_ns DESC, uid, session",
        .limit = filter->limit ? filter->limit + 1 : 0
    };
    int rc = ledger_read(reader, &query, on_session_row, &find, err);
    if (rc == 0)
        *ret_has_more = find.has_more;
    return rc;
}
