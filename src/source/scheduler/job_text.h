/* SPDX-License-Identifier: Apache-2.0 */
/* job_text - jobs out of the text of any batch system, told apart by its content.
 *
 *     feed(piece) feed(piece) finish()
 *        └──▶ head: which form? ──▶ sacct | csv | pbs_log   line by line
 *                              └──▶ job_json                as it arrives
 *
 * Memory: a line of at most JOB_TEXT_LINE_BYTES_MAX, or one job, beside the list.
 * Units    times are nanoseconds, UTC.
 * Threads  none inside.
 */
#ifndef SOURCE_SCHEDULER_JOB_TEXT_H
#define SOURCE_SCHEDULER_JOB_TEXT_H

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
    struct sched_zone zone;        /* of times that name none */
    const struct job_names *names; /* of JSON and CSV; NULL: none of the site's own */
    job_fault_fn *on_fault;        /* may be NULL */
    void *arg;
};

/* For the readers of lines: one is no job, and why (static). */
void job_text_fault(const struct job_text_opts *opts, struct job_list *list,
                    uint64_t line, struct span text, const char *reason);

struct job_text;

/* opts and list must outlive *ret, which is the caller's.  Errors: -ENOMEM. */
int job_text_new(const struct job_text_opts *opts, struct job_list *list,
                 struct job_text **ret);
void job_text_free(struct job_text *text);
DEFINE_AUTO(struct job_text, job_text_free);

/* A row, line or object that is no job costs that one and is told to on_fault.
 * Errors: -EINVAL (the text is of no known form, or its header lacks what is needed:
 * err says which), -EBADMSG (JSON that is damaged), -ENOMEM, -E2BIG, -EMSGSIZE. */
int job_text_feed(struct job_text *text, const void *data, size_t size,
                  struct err *err);
/* The text has ended. */
int job_text_finish(struct job_text *text, struct err *err);

/* All of it at once. */
int job_text_read(struct span text, const struct job_text_opts *opts,
                  struct job_list *list, struct err *err);

#endif
