/* SPDX-License-Identifier: Apache-2.0 */
/* job_steps_page - the steps of a job, as a part of its page. */
#ifndef REPORT_JOB_JOB_STEPS_PAGE_H
#define REPORT_JOB_JOB_STEPS_PAGE_H

#include "analysis/job/job.h"
#include "base/json_writer.h"
#include "base/strbuf.h"

#define JOB_STEPS_SHOWN ((size_t)12)

/* A line each, JOB_STEPS_SHOWN at most; nothing where none is known. */
void job_steps_print(const struct job_steps *steps, struct strbuf *out);
/* All that are known, as the members "steps" and "has_more_steps". */
void job_steps_json(const struct job_steps *steps, struct json_writer *w);

#endif
