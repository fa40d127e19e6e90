/* SPDX-License-Identifier: Apache-2.0 */
/* result_screen - a result that is drawn again and again on the terminal.
 *
 * On a terminal: the time, an empty line, the table in the terminal's width, its notes.
 * Elsewhere the table alone, each after the one before; notes are the caller's.
 *
 * Threads  the main one, as the screen.
 */
#ifndef REPORT_RESULT_SCREEN_H
#define REPORT_RESULT_SCREEN_H

#include "base/err.h"
#include "base/terminal/screen.h"
#include "report/result_print.h"

/* The line above the table. */
struct result_heading {
    int64_t now_ms;
    int64_t interval_ns; /* 0: is not shown */
};

/* What belongs to standard error is appended to notes.  Errors: -EIO, -ENOMEM. */
int result_screen_draw(struct screen *screen, const struct table *table,
                       const struct result_form *form,
                       const struct result_heading *heading, struct strbuf *notes,
                       struct err *err);

#endif
