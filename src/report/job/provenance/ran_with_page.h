/* SPDX-License-Identifier: Apache-2.0 */
/* ran_with_page - what a job ran with, on its page, and in what two jobs differ. */
#ifndef REPORT_JOB_PROVENANCE_RAN_WITH_PAGE_H
#define REPORT_JOB_PROVENANCE_RAN_WITH_PAGE_H

#include "analysis/job/job.h"
#include "base/json_writer.h"
#include "base/strbuf.h"

#define RAN_WITH_SHOWN ((size_t)10) /* of each kind */
#define RAN_WITH_HOSTS_SHOWN ((size_t)3)
#define RAN_WITH_DIFF_SHOWN ((size_t)30)

/* A line for each kind and RAN_WITH_SHOWN files of it; counts alone where it is hidden;
 * nothing where nothing is known. */
void ran_with_print(const struct job_ran_with *ran, struct strbuf *out);
/* The member "ran_with"; nothing where nothing is known. */
void ran_with_json(const struct job_ran_with *ran, struct json_writer *w);

/* What one has and the other not, and files of one name that are others: by their
 * build-id or version, else by size or time.  That both had the same is stated where
 * both are whole, and of each file it is known.  Nothing where one of them is not
 * known.
 */
void ran_with_diff_print(const struct job_ran_with *a, const struct job_ran_with *b,
                         struct strbuf *out);

#endif
