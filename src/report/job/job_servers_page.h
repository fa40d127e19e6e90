/* SPDX-License-Identifier: Apache-2.0 */
/* job_servers_page - what the servers counted of a run, and of others meanwhile. */
#ifndef REPORT_JOB_SERVERS_PAGE_H
#define REPORT_JOB_SERVERS_PAGE_H

#include "analysis/job/job.h"
#include "base/json_writer.h"

/* The part of the page that a person reads, and the members of an object. */
void job_servers_print_text(const struct job_servers *servers,
                            const struct profile *run, struct strbuf *out);
/* The sentences of it alone, without the table of targets. */
void job_servers_print_summary(const struct job_servers *servers,
                               const struct profile *run, struct strbuf *out);
/* "12.3 GiB", "4.56 k requests". */
void job_server_flow_print(const struct server_flow *flow, enum server_measure measure,
                           struct strbuf *out);
/* Which job did most of what others did on a target; nothing where it is not known. */
void job_server_most_print(const struct server_target *target, struct strbuf *out);
void job_servers_print_json(const struct job_servers *servers,
                            const struct profile *run, struct json_writer *w);
/* Its share of the bytes is in the text: the page has one such number. */
bool job_servers_has_share(const struct job_servers *servers);
/* Lines about those of its targets that were contended. */
void job_servers_print_contention(const struct job_servers *servers,
                                  const struct profile *run, struct strbuf *out);

#endif
