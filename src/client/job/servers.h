/* SPDX-License-Identifier: Apache-2.0 */
/* job_servers_query - barod, or its database, asked what the servers counted of a run.
 */
#ifndef CLIENT_JOB_SERVERS_H
#define CLIENT_JOB_SERVERS_H

#include "analysis/job/job.h"
#include "base/json_writer.h"
#include "client/client.h"

/* endpoint: --server, --records and their like; the rest of it is not used.
 * Errors: -ENOENT (nothing is known of this job), those of client/http.h. */
int job_servers_query(const struct client_endpoint *endpoint,
                      const struct job_request *job, struct job_servers *ret,
                      struct err *err);

/* A barod, or its database, as where evidence comes from. */
struct job_endpoint {
    const struct client_endpoint *endpoint;
    const char *cluster; /* of the jobs; NULL: any */
    bool wants_steps;    /* what servers counted over time, too */
};

/* What the servers counted, stored summaries, records and samples of nodes, of jobs by
 * their ids.  A database without a daemon has no samples.  endpoint outlives what is
 * returned. */
struct job_inputs job_endpoint_inputs(struct job_endpoint *endpoint);

#endif
