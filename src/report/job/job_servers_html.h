/* SPDX-License-Identifier: Apache-2.0 */
/* job_servers_html - what the servers counted of a job, as a section of an HTML page:
 * sentences, its targets as a table, each over time as a picture. */
#ifndef REPORT_JOB_JOB_SERVERS_HTML_H
#define REPORT_JOB_JOB_SERVERS_HTML_H

#include "analysis/job/job.h"
#include "base/strbuf.h"

#define JOB_SERVERS_HTML_ROWS 24

/* run: of the job's log; NULL: none was read. */
void job_servers_html(const struct job_servers *servers, const struct profile *run,
                      struct strbuf *out);

#endif
