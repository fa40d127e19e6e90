/* SPDX-License-Identifier: Apache-2.0 */
/* job_summary_writer - rows of summaries on their way out, in one of the forms. */
#include "report/job_summary_writer.h"

#include "base/span.h"

#include <string.h>

int job_summary_writer_open(enum job_summary_form form, FILE *out, const char *into,
                            struct job_summary_writer *ret, struct err *err)
{
    *ret = (struct job_summary_writer){ .form = form, .out = out, .into = into };
    return form == JOB_SUMMARY_XLSX ? job_sheet_new(into, &ret->sheet, err) : 0;
}

void job_summary_writer_done(struct job_summary_writer *writer)
{
    job_sheet_free(writer->sheet);
    writer->sheet = NULL;
}

void job_summary_writer_print(const struct job_summary_writer *writer,
                              const struct job_context *context, bool is_stored,
                              struct strbuf *out)
{
    bool is_table = writer->form == JOB_SUMMARY_NONE && is_stored;
    job_summary_print(is_table ? JOB_SUMMARY_TABLE : writer->form, context, out);
}

static int stream_error(struct err *err)
{
    return err_set(err, EIO, "standard output: %s", strerror(errno));
}

int job_summary_writer_add(struct job_summary_writer *writer, struct span row,
                           struct err *err)
{
    AUTO(strbuf_done) struct strbuf before = STRBUF_INIT;
    int rc = 0;
    if (writer->sheet) {
        rc = job_sheet_add_json(writer->sheet, row, err);
    } else {
        job_summary_print_before(writer->form, writer->rows, &before);
        if (strbuf_error(&before) < 0)
            return err_set(err, ENOMEM, "out of memory");
        (void)fwrite(strbuf_text(&before), 1, before.size, writer->out);
        (void)fwrite(row.data, 1, row.size, writer->out);
        rc = ferror(writer->out) ? stream_error(err) : 0;
    }
    writer->rows += rc == 0;
    return rc;
}

int job_summary_writer_finish(struct job_summary_writer *writer, size_t *ret_cut,
                              struct err *err)
{
    AUTO(strbuf_done) struct strbuf end = STRBUF_INIT;
    *ret_cut = 0;
    if (writer->sheet && writer->rows == 0)
        return err_set(err, ENODATA, "%s: not written, for there is no row",
                       writer->into);
    if (writer->sheet)
        return job_sheet_finish(writer->sheet, ret_cut, err);
    job_summary_print_end(writer->form, writer->rows, &end);
    (void)fwrite(strbuf_text(&end), 1, end.size, writer->out);
    return fflush(writer->out) != 0 ? stream_error(err) : 0;
}
