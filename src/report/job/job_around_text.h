/* SPDX-License-Identifier: Apache-2.0 */
/* job_around_text - what was around a job, and its class, as paragraphs for a person.
 *
 * What is not known is left out.
 */
#ifndef REPORT_JOB_AROUND_TEXT_H
#define REPORT_JOB_AROUND_TEXT_H

#include "analysis/job/job.h"
#include "base/strbuf.h"

/* Of one job: its site, servers, health, co-scheduled jobs, fabric and clocks.
 * has_share: the page has its share of the traffic already. */
void job_around_print(const struct job_comparison *s, bool has_share,
                      struct strbuf *out);
/* Of one job: what about it was unusual in its class. */
void job_class_print(const struct job_comparison *s, struct strbuf *out);
/* Of a pair: a line that says which class they are compared with, or why with none
 * (then false). */
bool job_pair_print_class(const struct job_comparison *s, struct strbuf *out);
/* And what is known of the fabrics and clocks of each. */
void job_pair_print_around(const struct job_comparison *s, struct strbuf *out);

#endif
