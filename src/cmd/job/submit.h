/* SPDX-License-Identifier: Apache-2.0 */
/* submit - runs and steps of a list of jobs, to a barod. */
#ifndef CMD_JOB_SUBMIT_H
#define CMD_JOB_SUBMIT_H

#include "client/job/job.h"

/* What it acknowledged is in its database; counts are printed to standard error, and
 * how far it is, where that is a terminal.  Jobs that ended before since_ns are left
 * out. Errors: -EBADMSG (every job was refused), those of client/http.h. */
int jobs_submit(const struct client_endpoint *endpoint, const struct job_list *list,
                int64_t since_ns, struct err *err);

#endif
