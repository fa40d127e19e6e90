/* SPDX-License-Identifier: Apache-2.0 */
/* job_stored_page - a job whose log is not here: what its stored summary says. */
#ifndef REPORT_JOB_STORED_PAGE_H
#define REPORT_JOB_STORED_PAGE_H

#include "analysis/job/job.h"
#include "base/strbuf.h"

struct job_stored {
    const char *text;                  /* what the reader called the job */
    const struct job_context *summary; /* as it is stored */
    int unreadable_errno;              /* why its log cannot be read */
};

/* As job_page's, of an assessment without the run. */
void job_stored_print_text(const struct job_stored *job, const struct job_assessment *a,
                           struct strbuf *out);
/* What matters most of a job of which some context is known, in one sentence, without a
 * line end. */
void job_sentence_print(const struct job_assessment *a, struct strbuf *out);
/* A page out of whatever is known of the first job of the comparison: that sentence,
 * other findings, its nodes, servers, what was around it, and which evidence there is
 * and which not. */
void job_context_print_text(const struct job_assessment *a, struct strbuf *out);

void job_stored_print_json(const struct job_stored *job, const struct job_assessment *a,
                           struct strbuf *out);

#endif
