/* SPDX-License-Identifier: Apache-2.0 */
/* result_print - a result's table for people: trends as blocks, since as a time of day.
 */
#ifndef CMD_RESULT_PRINT_H
#define CMD_RESULT_PRINT_H

#include "base/table.h"

struct result_form {
    enum table_form form;
    struct table_print_opts print;
    bool has_blocks; /* the terminal shows U+2581 .. U+2588 */
};

/* The form that --output names (NULL: a table), for what standard output is.
 * Errors: -EINVAL (output). */
int result_form_init(struct result_form *ret, const char *output, bool raw,
                     struct err *err);
/* Append the table as the form says; in JSON and CSV the notes go to notes. */
void result_print(const struct table *table, const struct result_form *form,
                  struct strbuf *out, struct strbuf *notes);
/* The same to standard output, and the notes to standard error.
 * Errors: -ENOMEM, what write says. */
int result_write(const struct table *table, const struct result_form *form,
                 struct err *err);
/* Texts to standard output and standard error.  Errors: -ENOMEM, what write says. */
int result_write_texts(const struct strbuf *out, const struct strbuf *notes,
                       struct err *err);

#endif
