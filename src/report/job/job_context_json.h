/* SPDX-License-Identifier: Apache-2.0 */
/* job_context_json - a context as one JSON document, part by part. */
#ifndef REPORT_JOB_CONTEXT_JSON_H
#define REPORT_JOB_CONTEXT_JSON_H

#include "analysis/job/job.h"
#include "base/json_writer.h"

/* Of the first job of the comparison:
 * {"job":{...}, "sentence":"...", "findings":[...], "facts":{columns}, ...,
 * "servers":{...}, "nodes":{...}, "missing":[...]}: a part that was not observed is
 * null, and "missing" names it with the reason, as far as that is known.  Members of
 * facts to fabric are columns of summaries (doc/formats/job-summary.md). */
void job_context_print_document(const struct job_assessment *assessment,
                                struct strbuf *out);

#endif
