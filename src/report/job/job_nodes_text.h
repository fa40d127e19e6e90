/* SPDX-License-Identifier: Apache-2.0 */
/* job_nodes_text - who a job was, and what its nodes did, as parts of a page. */
#ifndef REPORT_JOB_JOB_NODES_TEXT_H
#define REPORT_JOB_JOB_NODES_TEXT_H

#include "analysis/job/job.h"
#include "base/json_writer.h"
#include "base/strbuf.h"

/* "Job 501 on nova, user ann, COMPLETED\nRan from ... to ... on c[01-08].\nIt was given
 * ..." */
void job_record_print(const struct job_identity *identity, struct strbuf *out);
/* The same for programs, as the member "job". */
void job_record_json(const struct job_identity *identity, struct json_writer *w);

/* A finding of the nodes: its sentence, what it cost, what to do. */
void job_node_finding_print(const struct footprint_finding *finding,
                            struct strbuf *out);
/* Without the sentence. */
void job_node_more_print(const struct footprint_finding *finding, struct strbuf *out);
/* The metrics, a line each; nothing where nodes is NULL or was not observed. */
void job_nodes_print(const struct job_nodes *nodes, struct strbuf *out);

#endif
