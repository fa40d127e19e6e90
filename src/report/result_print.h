/* SPDX-License-Identifier: Apache-2.0 */
/* result_print - a result's table for people: trends as blocks, since as a time of day.
 */
#ifndef REPORT_RESULT_PRINT_H
#define REPORT_RESULT_PRINT_H

#include "base/table/table.h"
#include "base/terminal/screen.h"

struct result_form {
    enum table_form form;
    struct table_print_opts print;
    bool has_blocks; /* the terminal shows U+2581 .. U+2588 */
};

/* The form that output names ("table", "json", "csv"; NULL: a table), for what is on
 * the other side of screen.  raw: numbers in full, not 1.2 GiB/s.
 * Errors: -EINVAL (output). */
int result_form_init(struct result_form *ret, const char *output, bool raw,
                     const struct screen *screen, struct err *err);
/* Append the table as the form says; in JSON and CSV its notes go to notes, a line each
 * with # before it. */
void result_print(const struct table *table, const struct result_form *form,
                  struct strbuf *out, struct strbuf *notes);

#endif
