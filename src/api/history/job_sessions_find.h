/* SPDX-License-Identifier: Apache-2.0 */
/* job_sessions_find - the sessions that a job's owner ran in it, into its context;
 * private to api. */
#ifndef API_HISTORY_JOB_SESSIONS_FIND_H
#define API_HISTORY_JOB_SESSIONS_FIND_H

#include "api/history/job_ran_with_find.h"

/* Of this run of the job, of its owner's alone: a number is given again, and who is in
 * a job is what the kernel stated to the agent.  Those that the client does not see are
 * not there.  hold is charged.  Errors: as in records.h, -ENOMEM. */
int job_sessions_find(const struct api_readers *readers, struct budget_hold *hold,
                      const struct job_recorded *job, struct job_context *context,
                      struct err *err);

#endif
