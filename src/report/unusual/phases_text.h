/* SPDX-License-Identifier: Apache-2.0 */
/* phases_text - the phases of a run as text for a person and as JSON. */
#ifndef REPORT_UNUSUAL_PHASES_TEXT_H
#define REPORT_UNUSUAL_PHASES_TEXT_H

#include "analysis/footprint/footprint.h"
#include "base/json_writer.h"
#include "base/strbuf.h"

/* "computes, moves data over the network"; of one that alternates "alternates, 9
 * changes: computes, writes"; "as most of the run" where nothing marks it. */
void phase_acts_print(const struct job_phases *phases, size_t phase,
                      struct strbuf *out);
/* "+0 s to +12.0 min": since the run began. */
void phase_span_print(const struct job_phases *phases, size_t phase,
                      struct strbuf *out);
/* "12.5 %" */
void phase_share_print(const struct job_phase *phase, struct strbuf *out);
#define PHASE_MARKS_MAX 5
/* Metrics that are higher (mark 1) or lower (-1) than the run's median, with both
 * values: "net_bw 900 MB/s (run 20 MB/s)", the farthest ones first.  Returns how many;
 * ret is initialised and to be done with. */
size_t phase_marks_list(const struct job_phases *phases, size_t phase, int mark,
                        struct strbuf ret[static PHASE_MARKS_MAX]);

/* A page's part, in lines of 80 columns; nothing without phases. */
void phases_print(const struct job_phases *phases, struct strbuf *out);
/* The member "phases". */
void phases_json(const struct job_phases *phases, struct json_writer *w);

#endif
