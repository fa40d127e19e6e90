/* SPDX-License-Identifier: Apache-2.0 */
/* page - the page of a job as baro job show prints it, once or again and again. */
#ifndef CMD_JOB_PAGE_H
#define CMD_JOB_PAGE_H

#include "client/climate/climate.h"
#include "client/job/job.h"
#include "report/report.h"

struct job_show_args {
    struct client_args client; /* the servers' rows; also --output */
    bool line;
    bool follow;
    int64_t interval_ns;
    const char *comment;  /* NULL: a page */
    const char *step;     /* NULL: all of the job */
    const char *findings; /* NULL: none of a site */
    struct job_gather_args around;
};

/* Append the page of operand, a log or the id of a job.  log, which may be NULL, gets
 * what the user should know beside it.  Errors: those of the rooms that are called. */
int job_page_make(const struct job_show_args *args, const char *operand,
                  series_log_fn *log, struct strbuf *out, struct err *err);

#endif
