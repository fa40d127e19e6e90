/* SPDX-License-Identifier: Apache-2.0 */
/* job_metrics_page - a job's footprint, as it was stored when it ended: for a page
 * whose metrics are no longer in memory, and for programs. */
#ifndef REPORT_JOB_JOB_METRICS_PAGE_H
#define REPORT_JOB_JOB_METRICS_PAGE_H

#include "analysis/job/job.h"
#include "base/json_writer.h"
#include "base/strbuf.h"

/* A line a metric; nothing where none is stored, or the metrics themselves are there.
 */
void job_metrics_print_text(const struct job_nodes *nodes, struct strbuf *out);
/* The same as a section. */
void job_metrics_html(const struct job_nodes *nodes, struct strbuf *out);
/* The member "footprint", whether the metrics are there or not; null: none is stored.
 */
void job_metrics_json(const struct job_nodes *nodes, struct json_writer *w);
/* Whether the page shows it in place of the metrics. */
bool job_metrics_stand_in(const struct job_nodes *nodes);

#endif
