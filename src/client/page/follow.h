/* SPDX-License-Identifier: Apache-2.0 */
/* follow - the page of a job again and again, until the job ends. */
#ifndef CLIENT_PAGE_FOLLOW_H
#define CLIENT_PAGE_FOLLOW_H

#include "base/err.h"
#include "base/strbuf.h"

struct job_show_args;

struct job_follow_opts {
    const struct job_show_args *args;
    const char *operand; /* the id of a job */
    /* All of it to standard output, where nothing is drawn in place. */
    int (*print)(const struct strbuf *out, struct err *err);
    void (*log)(void *arg, const char *text); /* what the user should know beside it */
};

/* On a terminal the page is drawn in place of the one before; elsewhere each refresh is
 * a line with its time, or a document of JSON.  The page of the job that has ended is
 * printed last.  Errors: those of job_page_make() and print, -EINVAL (operand is a
 * log).
 */
int job_follow(const struct job_follow_opts *opts, struct err *err);

#endif
