/* SPDX-License-Identifier: Apache-2.0 */
/* job_text - jobs out of the text of any batch system, distinguished by its content.
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

#include "source/scheduler/job_form.h"

struct job_text;

/* opts and list must outlive *ret, which is the caller's.  Errors: -ENOMEM. */
int job_text_new(const struct job_text_opts *opts, struct job_list *list,
                 struct job_text **ret);
void job_text_free(struct job_text *text);
DEFINE_AUTO(struct job_text, job_text_free);

/* A row, line or object that is no job costs that one and is reported to on_fault.
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
