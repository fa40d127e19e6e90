/* SPDX-License-Identifier: Apache-2.0 */
/* job_summary_writer - rows of summaries on their way out, in one of the forms.
 *
 *     contexts ─▶ print ─▶ rows ─▶ add ─┬▶ a stream: CSV, JSON, a line a column
 *                                       └▶ a workbook, at the end
 *
 * Threads  print may be called in another process than add.
 */
#ifndef REPORT_JOB_SUMMARY_WRITER_H
#define REPORT_JOB_SUMMARY_WRITER_H

#include "report/job_sheet.h"
#include "report/job_summary_form.h"

#include <stdio.h>

struct job_summary_writer {
    enum job_summary_form form;
    FILE *out;               /* the caller's; not used by a workbook */
    const char *into;        /* the workbook's file; the caller's */
    struct job_sheet *sheet; /* of JOB_SUMMARY_XLSX */
    size_t rows;             /* so far */
};

/* into: of JOB_SUMMARY_XLSX, else NULL.  ret is to be done with after a failure, too.
 * Errors: as job_sheet_new(). */
int job_summary_writer_open(enum job_summary_form form, FILE *out, const char *into,
                            struct job_summary_writer *ret, struct err *err);
void job_summary_writer_done(struct job_summary_writer *writer);
DEFINE_AUTO_DONE(struct job_summary_writer, job_summary_writer_done);

/* A row of the writer's form.  Of JOB_SUMMARY_NONE a context of a log is nothing, and a
 * stored one, which was requested by its id, a table. */
void job_summary_writer_print(const struct job_summary_writer *writer,
                              const struct job_context *context, bool is_stored,
                              struct strbuf *out);
/* A row that was printed so.  Errors: -EIO (the stream's), as job_sheet_add_json(). */
int job_summary_writer_add(struct job_summary_writer *writer, struct span row,
                           struct err *err);
/* After the last row: the end of an array, the workbook.  *ret_cut: as
 * job_sheet_finish().  Errors: -ENODATA (a workbook without rows is none), -EIO, as
 * job_sheet_finish(). */
int job_summary_writer_finish(struct job_summary_writer *writer, size_t *ret_cut,
                              struct err *err);

#endif
