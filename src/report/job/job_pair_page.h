/* SPDX-License-Identifier: Apache-2.0 */
/* job_pair_page - in what two runs differ: as text, rows or JSON. */
#ifndef REPORT_JOB_PAIR_PAGE_H
#define REPORT_JOB_PAIR_PAGE_H

#include "analysis/job/job.h"
#include "analysis/pair/pair.h"
#include "base/table/table.h"

/* Of a pair that was compared. */
void job_pair_print_text(const struct job_pair *pair, struct strbuf *out);
/* A row a difference. */
void job_pair_print_rows(const struct job_pair *pair, enum table_form form,
                         struct strbuf *out);
/* {"differences":[...],"climate":{...}}: with a climate it is no mere list. */
void job_pair_print_json(const struct job_pair *pair, struct strbuf *out);

#endif
