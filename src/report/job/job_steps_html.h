/* SPDX-License-Identifier: Apache-2.0 */
/* job_steps_html - what servers counted of a job on each target, over time, as pictures
 * of an HTML page: bytes, and requests for metadata. */
#ifndef REPORT_JOB_JOB_STEPS_HTML_H
#define REPORT_JOB_JOB_STEPS_HTML_H

#include "analysis/job/job.h"
#include "base/strbuf.h"

/* Nothing, where steps were not read or they counted nothing. */
void job_steps_html(const struct server_steps *steps, struct strbuf *out);

#endif
