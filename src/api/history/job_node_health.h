/* SPDX-License-Identifier: Apache-2.0 */
/* job_node_health - the health of a job's nodes at its start and end, into its context;
 * private to api. */
#ifndef API_HISTORY_JOB_NODE_HEALTH_H
#define API_HISTORY_JOB_NODE_HEALTH_H

#include "analysis/job/job.h"
#include "records/records.h"

struct resource_rules;

/* Of who and when the context has already; nothing where its nodes or its start are not
 * known.  Errors: as in records.h. */
int job_node_health_find(struct records_reader *reader,
                         const struct resource_rules *rules,
                         struct job_context *context, struct err *err);

#endif
