/* SPDX-License-Identifier: Apache-2.0 */
/* job_phases_html - the phases of a run and its roofline as parts of an HTML page. */
#ifndef REPORT_JOB_JOB_PHASES_HTML_H
#define REPORT_JOB_JOB_PHASES_HTML_H

#include "analysis/footprint/footprint.h"
#include "base/strbuf.h"

/* A strip over the run's time and a table; a sentence of a run of one phase. */
void job_phases_html(const struct footprint *footprint,
                     const struct node_samples *samples, struct strbuf *out);
/* Its sentence, and a picture; nothing where one of both metrics is missing. */
void job_roofline_html(const struct footprint *footprint, struct strbuf *out);

#endif
