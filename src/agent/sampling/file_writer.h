/* SPDX-License-Identifier: Apache-2.0 */
/* file_writer - a small file that a thread writes over, so that who has a new text for
 * it does not wait for the disk.
 *
 * Of texts that come while one is written the last is written next.
 * Threads  any.
 */
#ifndef AGENT_SAMPLING_FILE_WRITER_H
#define AGENT_SAMPLING_FILE_WRITER_H

#include "agent/report.h"
#include "base/err.h"
#include "base/strbuf.h"

struct file_writer;

/* after: what a file that cannot be written means, for the log.
 * Errors: -ENOMEM, those of starting a thread. */
int file_writer_start(const char *path, const char *after,
                      const struct agent_report *report, struct file_writer **ret,
                      struct err *err);
/* After the last text is written; NULL is fine. */
void file_writer_stop(struct file_writer *writer);
/* The text becomes the writer's, and the strbuf is empty. */
void file_writer_put(struct file_writer *writer, struct strbuf *text);
uint64_t file_writer_failures(struct file_writer *writer);

#endif
