/* SPDX-License-Identifier: Apache-2.0 */
/* job_comparison_json - contexts of jobs and their class, as members of an object. */
#ifndef REPORT_JOB_COMPARISON_JSON_H
#define REPORT_JOB_COMPARISON_JSON_H

#include "analysis/job/job.h"
#include "base/json_writer.h"

/* "summary" (of a pair "summary_a" and "summary_b"), "clock_offset_s" and "climate", as
 * far as they are known, in the object that is open. */
void job_comparison_json(const struct job_comparison *s, struct json_writer *w);

#endif
