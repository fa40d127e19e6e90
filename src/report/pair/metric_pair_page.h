/* SPDX-License-Identifier: Apache-2.0 */
/* metric_pair_page - in what the metrics of two runs differ: as text, or rows. */
#ifndef REPORT_PAIR_METRIC_PAIR_PAGE_H
#define REPORT_PAIR_METRIC_PAIR_PAGE_H

#include "analysis/pair/pair.h"
#include "base/table/table.h"

/* why: that their logs are not compared, a sentence without its end. */
void metric_pair_print_text(const struct metric_pair *pair, const char *why,
                            struct strbuf *out);
/* A row a difference, in the columns of job_pair_print_rows(). */
void metric_pair_print_rows(const struct metric_pair *pair, enum table_form form,
                            struct strbuf *out);

#endif
