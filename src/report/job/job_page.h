/* SPDX-License-Identifier: Apache-2.0 */
/* job_page - one run on one page: the result first, then its evidence.
 *
 *     who it was                 ┐
 *     what cost it the most      ├ the result
 *     how much of it was I/O     ┘
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
/* Its parts, for another form: who it was, how much of it was I/O, what cost it the
 * most, what it did. */
void job_page_print_who(const struct job_assessment *a, struct strbuf *out);
void job_page_print_io(const struct job_assessment *a, struct strbuf *out);
void job_page_print_sentence(const struct job_assessment *a, struct strbuf *out);
void job_page_print_work(const struct job_assessment *a, struct strbuf *out);
/* The result: the sentence first, then the I/O. */
void job_page_print_result(const struct job_assessment *a, struct strbuf *out);
/* Members of an object: what its log has, and nothing around it. */
void job_run_json(const struct profile *run, struct json_writer *w);
void job_page_print_json(const struct job_assessment *a, struct strbuf *out);

#endif
