/* SPDX-License-Identifier: Apache-2.0 */
/* datasets_page - the datasets that a job had mounted, on its page, and in what two
 * jobs differ. */
#ifndef REPORT_JOB_PROVENANCE_DATASETS_PAGE_H
#define REPORT_JOB_PROVENANCE_DATASETS_PAGE_H

#include "analysis/job/job.h"
#include "base/json_writer.h"
#include "base/strbuf.h"

#define DATASETS_SHOWN ((size_t)20)

/* A line for each, under "Datasets:"; nothing where there are none. */
void datasets_page_print(const struct job_datasets *datasets, struct strbuf *out);
/* The lines alone. */
void datasets_list_print(const struct job_datasets *datasets, struct strbuf *out);
/* The member "datasets"; nothing where there are none. */
void datasets_json(const struct job_datasets *datasets, struct json_writer *w);

/* What stands before the two digests of a dataset that was another one: a command to
 * type, on a line of its own. */
#define DATASETS_DIFF_COMMAND "which files differ: baro dataset diff "

/* By path: the same dataset, another one, gone, added.  Nothing where neither has any.
 */
void datasets_diff_print(const struct job_datasets *a, const struct job_datasets *b,
                         struct strbuf *out);

#endif
