/* SPDX-License-Identifier: Apache-2.0 */
/* progress - how far long work is, as one line of a terminal that is written over.
 *
 *     "120 of 400 logs, 35 a second, 8 s left"
 */
#ifndef BASE_TERMINAL_PROGRESS_H
#define BASE_TERMINAL_PROGRESS_H

#include "base/strbuf.h"

struct progress {
    const char *unit;     /* "logs" */
    int64_t begun_ns;     /* monotonic */
    int64_t displayed_ns; /* of the last line; 0: none */
};

void progress_begin(struct progress *progress, const char *unit, int64_t now_ns);
/* The line for done of count, with the terminal's order to go to its start.  Nothing
 * where count is below 2, or less than a quarter of a second after the last line, but
 * for the last one, which has a line end. */
void progress_print(struct progress *progress, size_t done, size_t count,
                    int64_t now_ns, struct strbuf *out);

/* The line of work that does not report how far it is, but whose duration was
 * estimated: "unit: 40 s, about 80 s left", and above the estimate how long it was to
 * be. */
void progress_print_estimate(struct progress *progress, int64_t expected_s,
                             int64_t now_ns, struct strbuf *out);

#endif
