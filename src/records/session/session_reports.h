/* SPDX-License-Identifier: Apache-2.0 */
/* session_reports - what sessions of users reported: stored once, found. */
#ifndef RECORDS_SESSION_SESSION_REPORTS_H
#define RECORDS_SESSION_SESSION_REPORTS_H

#include "base/err.h"
#include "model/model.h"
#include "records/jobs.h"

struct records;
struct records_reader;

#define RECORDS_SESSION_REPORTS_MAX 100000

/* All in one durable transaction; what is submitted again changes nothing.  Refused one
 * by one: what session_report_check() and _check_sender() refuse, what the agent had
 * before the retention, and what is still to come.  Errors: as in records.h. */
int records_put_session_reports(struct records *records,
                                const struct session_report *reports, size_t count,
                                int64_t now_ms, struct records_submission *ret,
                                struct err *err);

struct session_report_filter {
    struct span uid;          /* of this user; data NULL: of any */
    struct span name;         /* of this name; data NULL: any */
    struct span session;      /* data NULL: any */
    struct span parent;       /* started in this one; data NULL: any */
    struct span cluster, job; /* of the job of that number; data NULL: any */
    bool events;  /* those of the sessions, in their order, and not the sessions:
                     the newest first */
    size_t limit; /* 0: all */
};

/* report is valid during the call.  A negative return of fn ends the reading and is
 * returned; 1 ends it well. */
typedef int records_session_fn(void *arg, const struct session_report *report);
int records_find_session_reports(struct records_reader *reader,
                                 const struct session_report_filter *filter,
                                 records_session_fn *fn, void *arg, bool *ret_has_more,
                                 struct err *err);

#endif
