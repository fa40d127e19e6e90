/* SPDX-License-Identifier: Apache-2.0 */
/* job_comment - what a job used as a comment for Slurm's accounting, out of barod's own
 * evidence; private to api. */
#ifndef API_JOB_COMMENT_H
#define API_JOB_COMMENT_H

#include "api/job_evidence.h"

/* Append the comment of a job that has ended, in the form of report/job/job_js1, and a
 * line end.  Errors: -ENOENT (nothing is known of it), -ERANGE (when it ran is not
 * known, or it has not ended), those of job_js1_print() and of the evidence. */
int job_comment_print(struct job_evidence *evidence, const char *id, struct strbuf *out,
                      struct err *err);

#endif
