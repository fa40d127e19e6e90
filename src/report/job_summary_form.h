/* SPDX-License-Identifier: Apache-2.0 */
/* job_summary_form - summaries of jobs in the forms that are printed. */
#ifndef REPORT_JOB_SUMMARY_FORM_H
#define REPORT_JOB_SUMMARY_FORM_H

#include "analysis/job/job.h"
#include "base/strbuf.h"

enum job_summary_form {
    JOB_SUMMARY_CSV,
    JOB_SUMMARY_JSON,  /* elements of an array */
    JOB_SUMMARY_TABLE, /* a line a column */
    JOB_SUMMARY_XLSX,  /* rows of a workbook (job_sheet) */
    JOB_SUMMARY_NONE,
};

/* Errors: -EINVAL (none of csv, json, table, xlsx, none). */
int job_summary_form_parse(const char *name, enum job_summary_form *ret);

/* A row; nothing of JOB_SUMMARY_NONE, and of a workbook the object that
 * job_sheet_add_json() reads. */
void job_summary_print(enum job_summary_form form, const struct job_context *context,
                       struct strbuf *out);
/* What comes before row number index (from 0), and after the last of count. */
void job_summary_print_before(enum job_summary_form form, size_t index,
                              struct strbuf *out);
void job_summary_print_end(enum job_summary_form form, size_t count,
                           struct strbuf *out);

#endif
