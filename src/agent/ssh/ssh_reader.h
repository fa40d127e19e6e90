/* SPDX-License-Identifier: Apache-2.0 */
/* ssh_reader - the text of baro-ssh-read as it comes, observed.
 *
 *     obdfilter.scratch-OST0001.job_cleanup_interval=600     a line each target: the
 * list job_stats: ...                                          then the dumps, one
 * after the other ──▶ list of targets ──▶ parser ──▶ observe ──▶ fn
 *
 * Memory does not depend on the length of the text.  What the observer knows stays in
 * memory from round to round.
 * Threads  one at a time.
 */
#ifndef AGENT_SSH_SSH_READER_H
#define AGENT_SSH_SSH_READER_H

#include "base/cleanup.h"
#include "model/model.h"

/* Entry and observation are valid during the call.  A negative return ends the round
 * and is returned. */
typedef int ssh_row_fn(void *arg, struct span server, const struct entry *entry,
                       const struct observation *seen);

struct ssh_reader;

/* server must outlive the reader.  Errors: -EINVAL (the interval), -ENOMEM. */
int ssh_reader_new(const char *server, int64_t interval_ms, ssh_row_fn *fn, void *arg,
                   struct ssh_reader **ret);
void ssh_reader_free(struct ssh_reader *reader);
DEFINE_AUTO(struct ssh_reader, ssh_reader_free);

/* A round begins; t_ms stands for the instant of the read. */
void ssh_reader_begin(struct ssh_reader *reader, int64_t t_ms);
/* A piece of the text.  Errors: -ENODEV (no target was named), -EMSGSIZE (the list is
 * too long), -ENOMEM, what fn returned; then only _end is legal. */
int ssh_reader_feed(struct ssh_reader *reader, struct span text);
/* The text is at its end: whole, or broken off, where what was whole stays.  Errors: as
 * above. */
int ssh_reader_end(struct ssh_reader *reader, bool is_whole);

/* Of the last list. */
size_t ssh_reader_target_count(const struct ssh_reader *reader);

#endif
