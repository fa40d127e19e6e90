/* SPDX-License-Identifier: Apache-2.0 */
/* files_part - files that jobs of this node ran with, on their way to barod.
 *
 *     "files ..." of a session's node ─▶ parsed, printed again ─▶ SPOOL/files ─▶
 *         (uid, job: the kernel's word)                    POST /v1/provenance
 *
 * Nothing that a program sends is believed but the files themselves.  Accepted is what
 * is on the disk.  What is sent twice changes nothing at barod.  Where the spool lost
 * something, lists state for an hour that there was more.
 *
 * Bounds   FILES_QUEUE_BYTES_MAX on the disk.  While barod is away what is accepted
 *          stays: more is refused, of a user FILES_USER_BYTES_MAX, of all together
 *          FILES_ALL_BYTES_MAX.
 * Threads  open, close: the agent's loop.  The others: the sampler's.
 */
#ifndef AGENT_SAMPLING_FILES_PART_H
#define AGENT_SAMPLING_FILES_PART_H

#include "agent/local/local_listener.h"
#include "agent/sampling/text_queue.h"

#define FILES_QUEUE_BYTES_MAX (UINT64_C(16) << 20)
#define FILES_ALL_BYTES_MAX (UINT64_C(12) << 20)
#define FILES_USER_BYTES_MAX (UINT64_C(2) << 20)

struct files_part;

/* All that is given must outlive it.  Errors: as text_queue_open(). */
int files_part_open(const struct agent_opts *opts, const struct agent_report *report,
                    uv_loop_t *loop, struct files_part **ret, struct err *err);
void files_part_close(struct files_part *part); /* NULL is fine */
/* As submit and settle of local_opts. */
const char *files_part_put(struct files_part *part,
                           const struct local_submission *submission,
                           uint64_t *ret_ticket);
const char *files_part_settle(struct files_part *part, uint64_t ticket);
void files_part_count(struct files_part *part, struct post_queue_counts *ret);

#endif
