/* SPDX-License-Identifier: Apache-2.0 */
/* barod_parts - what a barod adds to the page of a log, or of its summary.
 *
 *     operand ─┬▶ rows of jobstats ─────────────────▶ page.servers
 *              └▶ record, metrics of its nodes ─────▶ page.record, page.nodes
 *
 * Nothing known of a job is no failure: its file system, or its cluster, may be another
 * one.  Nor is a barod that does not respond at the environment's address: the page was
 * requested, not the barod.
 */
#ifndef CLIENT_JOB_BAROD_PARTS_H
#define CLIENT_JOB_BAROD_PARTS_H

#include "client/client.h"
#include "client/job/operand.h"
#include "client/series/series.h"

/* Rows of the servers, of a log that was read; log is called where there is none.
 * Errors: those of client/http.h, where the endpoint names a barod or a database. */
int job_barod_rows_add(const struct client_endpoint *endpoint, struct job_operand *job,
                       struct job_assessment *page, series_log_fn *log, void *log_arg,
                       struct err *err);

/* The batch system's record, and metrics of its nodes.  cluster: of the job; NULL: its
 * own.  *page points into *job then.  Errors: likewise. */
int job_barod_nodes_add(const struct client_endpoint *endpoint, const char *cluster,
                        struct job_operand *job, struct job_assessment *page,
                        struct err *err);

#endif
