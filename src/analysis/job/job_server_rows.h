/* SPDX-License-Identifier: Apache-2.0 */
/* job_server_rows - what the servers counted of a job, out of rows of jobstats: of a
 * barod over HTTP, of a database, or of barod itself.
 *
 *     job ─▶ window of its rows ─▶ its part by target ─┐
 *                                  all jobs' by target ┼▶ job_servers
 *                                  jobs on its targets ┤
 *                       its part by target, over time ┘  where pictures are wanted
 *
 * Each is one query of totals: where hours of the window are rolled up, no row of them
 * is read.
 *
 * Threads  none inside.
 */
#ifndef ANALYSIS_JOB_JOB_SERVER_ROWS_H
#define ANALYSIS_JOB_JOB_SERVER_ROWS_H

#include "analysis/job/job_inputs.h"

/* Of so many targets, the most contended first, the other jobs are requested. */
#define JOB_SERVER_ROWS_QUERIED 8
/* Over time are those on which the job did most, in about so many columns. */
#define JOB_SERVER_STEPS_TARGETS 64
#define JOB_SERVER_STEPS_COLUMNS 60

enum job_rows {
    JOB_ROWS_SUMMARY, /* one row of a job: columns from, to, fs */
    JOB_ROWS_TOTALS,  /* a row a group; of some all may be 0; by step: a row each */
};

/* A parameter of a selection (query/counters): name and text. */
struct job_rows_param {
    const char *name, *value;
};

struct job_rows_source {
    void *arg;
    /* ret is initialised and empty.  Errors: -ENOENT (nothing is known of the job),
     * what the source says. */
    int (*read)(void *arg, enum job_rows rows, const struct job_rows_param *params,
                size_t count, struct table *ret, struct err *err);
};

/* Errors: -ENOENT (nothing is known of this job), -EBADMSG (other columns than these),
 * what read returned, -ENOMEM; then *ret is untouched. */
int job_server_rows_read(const struct job_rows_source *source,
                         const struct job_request *job, struct job_servers *ret,
                         struct err *err);

#endif
