/* SPDX-License-Identifier: Apache-2.0 */
/* job_servers_query - barod, or its database, asked what the servers counted of a run.
 */
#ifndef CLIENT_JOB_SERVERS_H
#define CLIENT_JOB_SERVERS_H

#include "analysis/job/job.h"
#include "base/json_writer.h"
#include "client/client.h"

/* Of so many targets, the most contended first, it is asked who else was there. */
#define JOB_SERVERS_QUERIED 8

/* endpoint: --server, --records and their like; the rest of it is not looked at.
 * Errors: -ENOENT (nothing is known of this job), those of client/http.h. */
int job_servers_query(const struct client_endpoint *endpoint, const struct profile *run,
                      struct job_servers *ret, struct err *err);

#endif
