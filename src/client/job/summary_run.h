/* SPDX-License-Identifier: Apache-2.0 */
/* summary_run - the summaries of all that operands name: which logs have none yet, and
 * where each row goes.
 *
 *     LOG, DIRECTORY ─▶ logs ─▶ without those that have a row ─▶ summarize ─┬▶ row
 *     JOBID ──▶ barod's stored summary ─────────────────────────────────────┤
 *                                                     resumed CSV file  ◀───┤
 *                                                     barod, every 2 s  ◀───┘
 *
 * Threads  none inside; logs are read by worker processes.
 */
#ifndef CLIENT_JOB_SUMMARY_RUN_H
#define CLIENT_JOB_SUMMARY_RUN_H

#include "client/job/sources.h"

struct job_summary_run_opts {
    /* What rows are built from.  access.server, where it is set, gets every summary,
     * and logs that it has a summary of are passed over; warnings go to access.log. */
    const struct job_sources_opts *sources;
    const char *resume;      /* a CSV file that rows are appended to; NULL: none */
    bool again;              /* pass over no log */
    uint64_t workers;        /* 0: one a processor */
    int64_t log_time_max_ns; /* 0: five minutes */
    void *arg;
    /* A row of a context, in a worker process; of a stored summary in the caller's.
     * Nothing printed: there is no row to write, but one may be submitted.  The resumed
     * file wants CSV (job_context_print_csv()). */
    void (*print)(void *arg, const struct job_context *context, bool is_stored,
                  struct strbuf *out);
    /* A row, in the order of the operands, stored summaries first; not called where a
     * file is resumed.  Errors end the run. */
    int (*row)(void *arg, struct span row, struct err *err);
    /* After each log; NULL: not wanted. */
    void (*progress)(void *arg, size_t done, size_t count);
};

struct job_summary_counts {
    size_t logs;   /* that had no row yet */
    size_t lost;   /* logs, ids and lines without a row: warnings state why */
    size_t unread; /* directories */
};

/* *ret is filled after a failure, too; what was built until then is in the barod.
 * Errors: -EINVAL, those of job_sources_open(), job_csv_file_open() and client/http.h,
 * what row returned, -ENOMEM. */
int job_summary_run(const struct job_summary_run_opts *opts, char *const *operands,
                    size_t count, struct job_summary_counts *ret, struct err *err);

#endif
