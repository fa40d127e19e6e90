/* SPDX-License-Identifier: Apache-2.0 */
/* job_csv - jobs out of lines of comma-separated values (RFC 4180).
 *
 * The first line names the columns by the names of job_fields, or by the site's own, in
 * any order; further ones are passed over.  Commas, or semicolons or tabs where the
 * header has them instead.
 */
#ifndef SOURCE_SCHEDULER_JOB_CSV_H
#define SOURCE_SCHEDULER_JOB_CSV_H

#include "source/scheduler/job_form.h"

#define JOB_CSV_COLUMNS_MAX 1024

struct job_csv {
    const struct job_text_opts *opts;
    struct job_list *list;
    struct job_fields fields;
    struct strbuf cell;
    char delimiter;
    size_t column_count;
    struct {
        enum job_field field; /* JOB_FIELD_COUNT: nobody knows it */
        unsigned rank;
    } columns[JOB_CSV_COLUMNS_MAX];
};

void job_csv_init(struct job_csv *csv, const struct job_text_opts *opts,
                  struct job_list *list);
void job_csv_done(struct job_csv *csv);

/* Whether line names a job's id and start. */
bool job_csv_is_header(struct span line, const struct job_names *names);

/* The next line, from 1; line ends within quotes are part of it.  Errors: -EINVAL (the
 * header lacks what is needed), -ENOMEM, -E2BIG. */
int job_csv_line(struct job_csv *csv, struct span line, uint64_t number,
                 struct err *err);

#endif
