/* SPDX-License-Identifier: Apache-2.0 */
/* job_node_health - the health of a job's nodes at its start and end, into its context;
 * private to api. */
#ifndef API_HISTORY_JOB_NODE_HEALTH_H
#define API_HISTORY_JOB_NODE_HEALTH_H

#include "analysis/job/job.h"
#include "api/api_private.h"

/* Of who and when the context has already; nothing where its nodes or its start are not
 * known.  Where memory is short, too, and the context states that: the rest of a job's
 * page does without.  hold: is charged meanwhile.  Errors: as in records.h. */
int job_node_health_find(const struct api_readers *readers, struct budget_hold *hold,
                         struct job_context *context, struct err *err);

#endif
