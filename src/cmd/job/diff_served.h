/* SPDX-License-Identifier: Apache-2.0 */
/* diff_served - baro job diff of jobs whose logs a barod has. */
#ifndef CMD_JOB_DIFF_SERVED_H
#define CMD_JOB_DIFF_SERVED_H

#include "client/job/job.h"

/* The barod that a command names. */
struct client_endpoint diff_endpoint(const struct job_gather_args *around);

/* Print what it responds; with a repository of datasets (NULL: BARO_DATASETS) also
 * which files of theirs differ.  Errors: those of job_served_diff(), -EIO. */
int diff_served_print(const struct job_gather_args *around,
                      const struct job_diff_request *request, const char *repository);

#endif
