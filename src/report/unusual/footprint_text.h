/* SPDX-License-Identifier: Apache-2.0 */
/* footprint_text - what a job's nodes did, as text for a person and as JSON.
 *
 * A finding is a sentence of what was measured, and one of what may be done.
 */
#ifndef REPORT_UNUSUAL_FOOTPRINT_TEXT_H
#define REPORT_UNUSUAL_FOOTPRINT_TEXT_H

#include "analysis/footprint/footprint.h"
#include "base/json_writer.h"
#include "base/strbuf.h"

#define FOOTPRINT_VALUE_SIZE 48

/* "2400 MHz", "0.1"; unit "": none.  Returns text. */
const char *footprint_value_text(char text[static FOOTPRINT_VALUE_SIZE], double value,
                                 const char *unit);
/* "c04 did nothing from 2026-11-21T06:00:10Z on: cpu_load 0.1, on the 7 others 72". */
void footprint_finding_print(const struct footprint_finding *finding,
                             struct strbuf *out);
/* What to do, with a command; nothing where no command helps. */
void footprint_advice_print(const struct footprint_finding *finding,
                            struct strbuf *out);
/* The metrics, a line each; phases, and the roofline. */
void footprint_print(const struct footprint *footprint, struct strbuf *out);

/* An object each. */
void footprint_finding_json(const struct footprint_finding *finding,
                            struct json_writer *w);
void footprint_json(const struct footprint *footprint, struct json_writer *w);

#endif
