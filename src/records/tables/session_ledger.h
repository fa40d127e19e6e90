/* SPDX-License-Identifier: Apache-2.0 */
/* session_ledger - sessions that users started, and their events, as rows of a ledger.
 *
 *     session_reports   (uid, session, sequence): 0 is the session itself
 *
 * Of a session the latest report holds, and that it ended stays; an event is stored
 * once.
 */
#ifndef RECORDS_TABLES_SESSION_LEDGER_H
#define RECORDS_TABLES_SESSION_LEDGER_H

#include "records/tables/ledger.h"

extern const struct ledger ledger_session_reports;

/* A job's page reads those of the job alone; from version 13 on.  All four columns:
 * SQLite goes by an index that has the order, if one does, and by no other. */
#define SESSION_LEDGER_JOB_INDEX                         \
    "CREATE INDEX IF NOT EXISTS session_reports_job ON " \
    "session_reports (job, uid, sequence, heard_ns);"

/* The row of report, as it is submitted at now_ms, in arena; its texts are the
 * report's.  NULL: no memory. */
const struct scalar *session_ledger_row(const struct session_report *report,
                                        int64_t now_ms, struct arena *arena);
/* Its texts are the row's.  Errors: -EINVAL (another program stored it). */
int session_ledger_report(const struct scalar *row, struct session_report *ret);

#endif
