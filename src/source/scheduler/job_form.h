/* SPDX-License-Identifier: Apache-2.0 */
/* job_form - the forms that lists of jobs come in, and what the reader of each is
 * given.
 */
#ifndef SOURCE_SCHEDULER_JOB_FORM_H
#define SOURCE_SCHEDULER_JOB_FORM_H

#include "source/scheduler/job_fields.h"

#define JOB_TEXT_LINE_BYTES_MAX ((size_t)1 << 20)

enum job_form {
    JOB_FORM_ANY, /* by content */
    JOB_FORM_SACCT,
    JOB_FORM_CSV,
    JOB_FORM_PBS_LOG,
    JOB_FORM_JSON,
    JOB_FORM_JSON_LINES,
    JOB_FORM_COUNT,
};

/* "auto", "sacct", "csv", "pbs-log", "json", "json-lines".  Errors: -EINVAL. */
int job_form_parse(struct span name, enum job_form *ret);
const char *job_form_name(enum job_form form);

struct job_text_opts {
    enum job_form form;
    struct sched_clock clock;      /* of times that name no zone */
    const struct job_names *names; /* of JSON and CSV; NULL: none of the site's own */
    job_fault_fn *on_fault;        /* may be NULL */
    void *arg;
};

/* For the readers of one form: text on line is no job, and why (static text).  It is
 * counted in list and reported to opts->on_fault. */
void job_text_fault(const struct job_text_opts *opts, struct job_list *list,
                    uint64_t line, struct span text, const char *reason);

#endif
