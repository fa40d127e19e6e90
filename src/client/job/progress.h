/* SPDX-License-Identifier: Apache-2.0 */
/* progress - whether a job goes on, by the record of its batch system. */
#ifndef CLIENT_JOB_PROGRESS_H
#define CLIENT_JOB_PROGRESS_H

#include "client/client.h"

enum job_progress {
    JOB_PROGRESS_UNKNOWN, /* no batch system has reported it */
    JOB_PROGRESS_GOES_ON, /* it waits, or it runs */
    JOB_PROGRESS_ENDED,
};

/* Of its last run, by a barod or by its database.  id may be CLUSTER/ID.  cluster: of
 * the job; NULL: any.  Errors: those of client/http.h, what a database returns. */
int job_progress_read(const struct client_endpoint *endpoint, const char *cluster,
                      const char *id, enum job_progress *ret, struct err *err);

#endif
