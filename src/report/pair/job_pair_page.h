/* SPDX-License-Identifier: Apache-2.0 */
/* job_pair_page - in what two runs differ: as text, rows or JSON. */
#ifndef REPORT_PAIR_JOB_PAIR_PAGE_H
#define REPORT_PAIR_JOB_PAIR_PAGE_H

#include "analysis/job/job.h"
#include "analysis/pair/pair.h"
#include "base/table/table.h"

/* The columns of a row a difference, of all pages of this room. */
enum job_pair_column {
    JOB_PAIR_MEASURE,
    JOB_PAIR_FAMILY,
    JOB_PAIR_UNIT,
    JOB_PAIR_KIND,
    JOB_PAIR_TEXT_A,
    JOB_PAIR_TEXT_B,
    JOB_PAIR_A,
    JOB_PAIR_B,
    JOB_PAIR_DISTANCE,
    JOB_PAIR_FLOOR,
    JOB_PAIR_SCORE,
    JOB_PAIR_CHANCE, /* this and what follows: with a climate */
    JOB_PAIR_PAIRS,
};

/* Those up to JOB_PAIR_SCORE. */
void job_pair_columns_add(struct table *table);

/* Of a pair that was compared. */
void job_pair_print_text(const struct job_pair *pair, struct strbuf *out);
/* A row a difference. */
void job_pair_print_rows(const struct job_pair *pair, enum table_form form,
                         struct strbuf *out);
/* {"differences":[...],"climate":{...}}: with a climate it is no mere list. */
void job_pair_print_json(const struct job_pair *pair, struct strbuf *out);

#endif
