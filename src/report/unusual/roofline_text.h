/* SPDX-License-Identifier: Apache-2.0 */
/* roofline_text - a job's roofline as text for a person and as JSON. */
#ifndef REPORT_UNUSUAL_ROOFLINE_TEXT_H
#define REPORT_UNUSUAL_ROOFLINE_TEXT_H

#include "analysis/footprint/footprint.h"
#include "base/json_writer.h"
#include "base/strbuf.h"

#define ROOFLINE_VALUE_SIZE 48

/* "320 GF/s", with a decimal prefix; unit: "F/s", "B/s".  Returns text. */
const char *roofline_rate_text(char text[static ROOFLINE_VALUE_SIZE], double rate,
                               const char *unit);
/* One sentence or two, without a line end: how the job stands to the roof, or why there
 * is none.  Nothing without both metrics. */
void roofline_sentence_print(const struct roofline *roofline, struct strbuf *out);

/* A page's part, in lines of 80 columns; nothing without both metrics. */
void roofline_print(const struct roofline *roofline, struct strbuf *out);
/* The member "roofline"; null: one of both metrics is missing. */
void roofline_json(const struct roofline *roofline, struct json_writer *w);

#endif
