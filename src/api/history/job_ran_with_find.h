/* SPDX-License-Identifier: Apache-2.0 */
/* job_ran_with_find - what a job ran with, into its context; private to api. */
#ifndef API_HISTORY_JOB_RAN_WITH_FIND_H
#define API_HISTORY_JOB_RAN_WITH_FIND_H

#include "analysis/job/job.h"
#include "api/api_private.h"
#include "api/history/job_recorded.h"

/* All of it for its owner alone; for an administrator how many files there are; for
 * others nothing, not even that there are any.  hold is charged.
 * Errors: as in records.h, -ENOMEM. */
int job_ran_with_find(const struct api_readers *readers, struct budget_hold *hold,
                      const struct job_recorded *job, struct job_context *context,
                      struct err *err);

#endif
