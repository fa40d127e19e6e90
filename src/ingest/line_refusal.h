/* SPDX-License-Identifier: Apache-2.0 */
/* line_refusal - lines that are refused: counted, and the first of them with a reason.
 */
#ifndef INGEST_LINE_REFUSAL_H
#define INGEST_LINE_REFUSAL_H

#include "ingest/line_receiver_private.h"

/* The point's line is bad; at: where in it. */
void line_refusal_add(struct line_receiver *in, const struct line_point *point,
                      const char *at, const char *reason);
/* The reader could not read a line: its fault is the reason, or, in strict mode, what
 * cc-metric-store reports of it. */
void line_refusal_fault(struct line_receiver *in);
/* Strict: nothing after this line is accepted.  The text is that of cc-metric-store. */
void line_refusal_stop(struct line_receiver *in, uint64_t line, const char *text);
/* Likewise of a field: its clients may look for the texts. */
void line_refusal_as_peer(struct line_receiver *in, const struct line_point *point,
                          const struct line_field *field);
/* The name of a metric, without its escapes, that the sink has not. */
bool line_refusal_is_unknown(struct line_receiver *in, struct span name);

#endif
