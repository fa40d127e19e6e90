/* SPDX-License-Identifier: Apache-2.0 */
/* job_page - one run on one page: the result first, then its evidence.
 *
 *     who it was                 ┐
 *     how much of it was I/O     ├ the result
 *     what cost it the most      ┘
 *     what stands out, in the order of what it cost
 *     what it did; its servers; what was around it; its class
 */
#ifndef REPORT_JOB_PAGE_H
#define REPORT_JOB_PAGE_H

#include "analysis/job/job.h"
#include "base/json_writer.h"
#include "base/strbuf.h"

/* Of an assessment that has the run. */
void job_page_print_text(const struct job_assessment *a, struct strbuf *out);
void job_page_print_line(const struct job_assessment *a, struct strbuf *out);
void job_page_print_json(const struct job_assessment *a, struct strbuf *out);

/* One finding of a log, or of what was around a run, as an object. */
void job_finding_json(const struct finding *finding, struct json_writer *w);

#endif
