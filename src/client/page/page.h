/* SPDX-License-Identifier: Apache-2.0 */
/* page - the page of a job as baro job show prints it: of its log, of its stored
 * summary, of what a barod or its database knows; once, or again and again.
 *
 * Threads: none.  Nothing is printed here but what following draws on a terminal. */
#ifndef CLIENT_PAGE_PAGE_H
#define CLIENT_PAGE_PAGE_H

#include "client/climate/climate.h"
#include "client/job/job.h"
#include "client/page/follow.h"
#include "client/page/rules_file.h"
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
