/* SPDX-License-Identifier: Apache-2.0 */
/* job_nodes_html - what a job's nodes did, as a section of an HTML page. */
#ifndef REPORT_JOB_JOB_NODES_HTML_H
#define REPORT_JOB_JOB_NODES_HTML_H

#include "analysis/job/job.h"
#include "base/strbuf.h"

/* A table of metrics over the nodes, and a picture of each, at most JOB_HTML_MAPS_MAX
 * of them; nothing where none was observed. */
void job_nodes_html(const struct job_nodes *nodes, struct strbuf *out);

#endif
