/* SPDX-License-Identifier: Apache-2.0 */
/* run_line - one run in one line, for the comment that an epilog writes to a job.
 *
 *     imbalanced 3.1 x (8.0 s); io: 16.0 GiB in 64 files, 3.6 s of 60 s; small 90 %
 *     what stands out           its I/O                                  what else
 */
#ifndef REPORT_JOB_RUN_LINE_H
#define REPORT_JOB_RUN_LINE_H

#include "analysis/job/job.h"
#include "base/strbuf.h"

/* summary: of a job whose log was not read; else it is not used. */
void run_line_print(const struct job_assessment *a, const struct job_context *summary,
                    struct strbuf *out);

#endif
