/* SPDX-License-Identifier: Apache-2.0 */
/* finding_text - a finding in words for a person. */
#ifndef REPORT_FINDING_TEXT_H
#define REPORT_FINDING_TEXT_H

#include "analysis/job/job.h"
#include "base/strbuf.h"

/* "98 %" of a share, "4.2 x" of a ratio, "3" of a count: value is the finding's, or its
 * threshold. */
void finding_print_value(const struct finding *finding, double value,
                         struct strbuf *out);
/* "all files on one target were slow: OST 14 (OST000e)", "...: rank 0" */
void finding_print_text(const struct finding *finding, struct strbuf *out);
/* "scratch-OST0003, most by job 4711 of user 17600012", of contended-target. */
void finding_print_contention(const struct server_target *target, struct strbuf *out);
/* "job 4711 of user 17600012", without bytes that a terminal might obey. */
void finding_print_other_job(const struct server_neighbour *n, struct strbuf *out);
/* "98 % (reported above 50 %; n = 4096 accesses)" */
void finding_print_evidence(const struct finding *finding, struct strbuf *out);
/* What to do; NULL: nothing, or the finding that explains this one has it. */
const char *finding_advice(const struct finding *finding);
/* The same as a line behind so many blanks and one; nothing, where there is none. */
void finding_print_advice(const struct finding *finding, int blanks,
                          struct strbuf *out);
/* "False alarms: 0.4 % of 1000 healthy jobs (simulated)", without its end. */
void finding_print_rate(const struct finding *finding, struct strbuf *out);
/* Three lines: name, cost and words; evidence, threshold, n and p; how often it is
 * false, without its end.
 * run_s: how long the run took. */
void finding_print(const struct finding *finding, double run_s, struct strbuf *out);

#endif
