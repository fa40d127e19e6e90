/* SPDX-License-Identifier: Apache-2.0 */
/* job_stored - what a summary says of a job whose log is not here. */
#ifndef CMD_JOB_STORED_H
#define CMD_JOB_STORED_H

#include "cmd/job_surroundings.h"

/* As job_page's, of what is known without the log. */
void job_stored_print_text(const struct job_operand *job,
                           const struct job_surroundings *around, struct strbuf *out);
void job_stored_print_line(const struct job_operand *job,
                           const struct job_surroundings *around, struct strbuf *out);
void job_stored_print_json(const struct job_operand *job,
                           const struct job_surroundings *around, struct strbuf *out);

#endif
