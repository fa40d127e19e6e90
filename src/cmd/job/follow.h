/* SPDX-License-Identifier: Apache-2.0 */
/* follow - the page of a job again and again, until the job ends. */
#ifndef CMD_JOB_FOLLOW_H
#define CMD_JOB_FOLLOW_H

#include "cmd/job/page.h"

/* On a terminal the page is drawn in place of the one before; elsewhere each refresh is
 * a line with its time, or a document of JSON.  The page of the job that has ended is
 * printed last.  Errors: those of job_page_make(), -EINVAL (operand is a log). */
int job_follow(const struct job_show_args *args, const char *operand, struct err *err);

#endif
