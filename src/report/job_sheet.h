/* SPDX-License-Identifier: Apache-2.0 */
/* job_sheet - rows of jobs as a workbook of one sheet (xlsx).
 *
 *     _jobid | _datetime_start | _datetime_start UTC | ...      the header stays in
 * view 4711   |      1500000000 | 2017-07-14 02:40:00 | ...
 *
 * Numbers are numbers.  Behind each column of seconds since 1970 stands the same time
 * as a date.  Rows go to a temporary file as they come (in TMPDIR, or /tmp), so that
 * memory is that of one row; the workbook is made of it at the end, beside its place,
 * and renamed.
 *
 * A spreadsheet has doubles with 16 digits: whole numbers that do not fit are texts,
 * the 17th digit of a fraction is lost.
 */
#ifndef REPORT_JOB_SHEET_H
#define REPORT_JOB_SHEET_H

#include "analysis/table/table.h"
#include "base/cleanup.h"
#include "base/err.h"

struct job_sheet;

/* path must outlive *ret.  Errors: -ENOSYS (built without libxlsxwriter), -ENOMEM, -EIO
 * (no temporary file). */
int job_sheet_new(const char *path, struct job_sheet **ret, struct err *err);
void job_sheet_free(struct job_sheet *sheet);
DEFINE_AUTO(struct job_sheet, job_sheet_free);

/* Once, before the rows: the columns of summaries (analysis/job/job_columns.h), each of
 * times with one beside it that shows it as a date.  Errors: -ENOMEM, -EIO. */
int job_sheet_header(struct job_sheet *sheet, struct err *err);
/* The cells of row that are columns of the sheet, in that order.  Errors: -EFBIG (a
 * sheet has so many rows), -EIO. */
int job_sheet_add(struct job_sheet *sheet, const struct job_row *row, struct err *err);
/* An object that job_context_print_json() printed; the columns come before the first.
 * Errors: as those, -EBADMSG (no such object). */
int job_sheet_add_json(struct job_sheet *sheet, struct span object, struct err *err);
/* All is there: makes the file.  *ret_cut: texts that were longer than a cell may be
 * and end in "...".  Errors: -EIO, what renaming says. */
int job_sheet_finish(struct job_sheet *sheet, size_t *ret_cut, struct err *err);

#endif
