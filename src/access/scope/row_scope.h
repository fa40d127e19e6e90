/* SPDX-License-Identifier: Apache-2.0 */
/* row_scope - which rows of counters a client sees, who sees some jobs only.
 *
 *     job=5   ─▶ runs of 5, by their records ─▶ the client's newest ─▶ its window:
 *
 *          another user's 5         hers (runs again)      SLACK
 *     ────────[██████]──────────────[████]──[████]───────▶··
 *                      rows outside  ^───window────^  are not hers
 *
 *     no job  ─▶ totals only: by fs, target, server, op, and filtered by no more
 *
 * Rows name a job by an identifier without its cluster.  Where another user's
 * run of the same id ran at the same time, rows cannot be distinguished: there are
 * none.
 *
 * Threads  none inside.
 */
#ifndef ACCESS_SCOPE_ROW_SCOPE_H
#define ACCESS_SCOPE_ROW_SCOPE_H

#include "access/scope/job_scope.h"
#include "query/query.h"

/* What a route reads of rows. */
enum row_scope {
    ROW_SCOPE_NONE,   /* none of jobs */
    ROW_SCOPE_TOTALS, /* one job, or totals */
    ROW_SCOPE_TOP,    /* likewise; it lists jobs where no groups are named */
    ROW_SCOPE_RUN,    /* one job, within a window */
    ROW_SCOPE_ID,     /* what an id stands for at any time */
};

/* Rows are read so long after what they count, and their first increment may begin as
 * long before the run. */
#define ROW_SCOPE_SLACK_MS INT64_C(600000)

/* On an HTTP thread: whether the client may have such a query at all.
 * Errors: -EACCES. */
int row_scope_check(enum row_scope scope, const struct access_client *client,
                    const struct selection *sel, struct err *err);
/* On a worker: narrows a query about one job to a run that the client may see.  rows
 * may be NULL, while the database is away.  Errors: -ENOENT (there is none; the same
 * for a job that does not exist), -EAGAIN, as records_find_jobs(). */
int row_scope_narrow(enum row_scope scope, const struct access_client *client,
                     struct records_reader *rows, struct selection *sel,
                     struct err *err);

#endif
