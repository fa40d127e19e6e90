/* SPDX-License-Identifier: Apache-2.0 */
/* node_health_page - the health of a job's nodes at its start and end, on its page. */
#ifndef REPORT_JOB_HEALTH_NODE_HEALTH_PAGE_H
#define REPORT_JOB_HEALTH_NODE_HEALTH_PAGE_H

#include "analysis/job/job.h"
#include "base/json_writer.h"
#include "base/strbuf.h"

#define NODE_HEALTH_SHOWN ((size_t)12)

/* Two counts, and a line for each node that was not up or changed, NODE_HEALTH_SHOWN at
 * most; nothing where nothing is known. */
void node_health_print(const struct job_node_health *health, struct strbuf *out);
/* The member "node_health"; nothing where nothing is known. */
void node_health_json(const struct job_node_health *health, struct json_writer *w);

#endif
