/* SPDX-License-Identifier: Apache-2.0 */
/* database - a job out of a barod's database that is read without a daemon.
 *
 *     runs of jobs, summaries ─┐
 *     rows of jobstats ────────┴▶ context
 *
 * There are no metrics: they are in the store of the barod alone.
 */
#ifndef CLIENT_JOB_DATABASE_H
#define CLIENT_JOB_DATABASE_H

#include "analysis/job/job.h"
#include "client/client.h"

/* What is known of the job.  id may be CLUSTER/ID.  cluster: of the job; NULL: any.
 * context is initialised; after a failure it is to be done with, too.  Errors: -ENOENT
 * (no run and no summary of it is stored), what the database returns, -ENOMEM. */
int job_database_build(const struct client_endpoint *endpoint, const char *cluster,
                       const char *id, struct job_context *context, struct err *err);

/* Call fn with the job's last run, if there is one.  Errors: what the database and fn
 * return. */
int job_database_run(const struct client_endpoint *endpoint, const char *cluster,
                     const char *id, records_job_fn *fn, void *arg, struct err *err);

#endif
