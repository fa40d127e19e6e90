/* SPDX-License-Identifier: Apache-2.0 */
/* output - what commands print: a result to standard output, its notes to standard
 * error.
 */
#ifndef CMD_OUTPUT_H
#define CMD_OUTPUT_H

#include "report/report.h"

/* All of it to standard output.  Errors: -EIO, -ENOMEM. */
int output_print(const struct strbuf *out, struct err *err);
/* The same of a page of sentences, its lines wrapped (base/terminal/wrap.h). */
int output_page(const struct strbuf *page, struct err *err);
/* As output_print(), then notes to standard error. */
int output_print_notes(const struct strbuf *out, const struct strbuf *notes,
                       struct err *err);

/* The form of a result on standard output.  Errors: -EINVAL (output). */
int output_form(struct result_form *ret, const char *output, bool raw, struct err *err);
/* The table in that form, with its notes.  Errors: -EIO, -ENOMEM. */
int output_table(const struct table *table, const struct result_form *form,
                 struct err *err);
/* A result of several tables; who stands before the notes of one as CSV.
 * Errors: -EINVAL (a form or a name that is none), -EIO, -ENOMEM. */
int table_parts_print(const char *who, const struct table_part *parts, size_t count,
                      const struct table_parts_args *args, struct err *err);

#endif
