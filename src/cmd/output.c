/* SPDX-License-Identifier: Apache-2.0 */
/* output - what commands print: a result to standard output, its notes to standard
 * error.
 */
#include "cmd/output.h"

#include "base/terminal/wrap.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

int output_print(const struct strbuf *out, struct err *err)
{
    if (strbuf_error(out) < 0)
        return err_set(err, ENOMEM, "out of memory");
    if (fwrite(strbuf_text(out), 1, out->size, stdout) != out->size ||
        fflush(stdout) != 0)
        return err_set(err, EIO, "standard output: %s", strerror(errno));
    return 0;
}

int output_page(const struct strbuf *page, struct err *err)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    if (strbuf_error(page) < 0)
        return err_set(err, ENOMEM, "out of memory");
    wrap_lines(strbuf_span(page), wrap_columns(STDOUT_FILENO), &out);
    return output_print(&out, err);
}

int output_print_notes(const struct strbuf *out, const struct strbuf *notes,
                       struct err *err)
{
    if (strbuf_error(notes) < 0)
        return err_set(err, ENOMEM, "out of memory");
    int rc = output_print(out, err);
    if (rc == 0)
        (void)fwrite(strbuf_text(notes), 1, notes->size, stderr);
    return rc;
}

int output_form(struct result_form *ret, const char *output, bool raw, struct err *err)
{
    struct screen screen;
    screen_init(&screen, stdout, STDOUT_FILENO);
    return result_form_init(ret, output, raw, &screen, err);
}

int output_table(const struct table *table, const struct result_form *form,
                 struct err *err)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf notes = STRBUF_INIT;
    result_print(table, form, &out, &notes);
    return output_print_notes(&out, &notes, err);
}

int table_parts_print(const char *who, const struct table_part *parts, size_t count,
                      const struct table_parts_args *args, struct err *err)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf notes = STRBUF_INIT;
    struct screen screen;
    screen_init(&screen, stdout, STDOUT_FILENO);
    int rc = table_parts_form(who, parts, count, args, &screen, &out, &notes, err);
    return rc < 0 ? rc : output_print_notes(&out, &notes, err);
}
