/* SPDX-License-Identifier: Apache-2.0 */
/* job_datasets_find - the datasets that a job had mounted, into its context; private to
 * api. */
#ifndef API_HISTORY_JOB_DATASETS_FIND_H
#define API_HISTORY_JOB_DATASETS_FIND_H

#include "analysis/job/job.h"
#include "api/api_private.h"
#include "api/history/job_recorded.h"

/* For who may see the job; of private ones how many there are, but for its owner and
 * administrators.  hold is charged.  Errors: as in records.h, -ENOMEM. */
int job_datasets_find(const struct api_readers *readers, struct budget_hold *hold,
                      const struct job_recorded *job, struct job_context *context,
                      struct err *err);

#endif
