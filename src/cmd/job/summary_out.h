/* SPDX-License-Identifier: Apache-2.0 */
/* job_summary_out - where baro job summarize puts rows: standard output, a workbook, a
 * CSV file that grows, a barod; and its progress.
 */
#ifndef CMD_JOB_SUMMARY_OUT_H
#define CMD_JOB_SUMMARY_OUT_H

#include "client/job/job.h"
#include "report/report.h"

struct job_summary_out {
    enum job_summary_form form;
    struct job_sheet *sheet;    /* of JOB_SUMMARY_XLSX */
    const char *into;           /* its file */
    struct job_csv_file *table; /* NULL: no file that grows */
    struct job_server *server;  /* NULL: no barod */
    size_t count;               /* logs in all */
    size_t rows, lost;
    int64_t begun_ns, reported_ns, flushed_ns;
    struct err why; /* of a row that could not be put */
};

/* into: of a workbook; NULL: there is none.  out is to be done with after a failure,
 * too. */
int job_summary_out_open(struct job_summary_out *out, const char *into,
                         struct err *err);
void job_summary_out_done(struct job_summary_out *out);

/* Callbacks of job_summarize(), with out as their argument. */
void job_summary_out_form(void *arg, const struct job_context *context,
                          struct strbuf *ret);
int job_summary_out_result(void *arg, const struct job_summarized *result);

/* A stored summary; of JOB_SUMMARY_NONE as a table. */
int job_summary_out_stored(struct job_summary_out *out,
                           const struct job_context *stored, struct err *err);
/* rc: how it went; what was built until then is in the barod.  Returns rc, or what went
 * wrong at the end. */
int job_summary_out_end(struct job_summary_out *out, int rc, struct err *err);

#endif
